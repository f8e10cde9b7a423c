/**
 * The one page object: every browser test drives Purser through it, by roles and accessible names only. Its methods are
 * kept stable; what they need of the screen is what a person using a screen reader would find.
 */
import { expect, type Locator, type Page } from "@playwright/test";
import type { Browser } from "./browser";

export interface ServerInput {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ConsentChoice = "allow_session" | "allow_once" | "deny" | "deny_and_mute";

const CONSENT_BUTTONS: Readonly<Record<ConsentChoice, RegExp>> = {
  allow_session: /^Allow for this session/,
  allow_once: /^Allow this one/,
  deny: /^Deny$/,
  deny_and_mute: /^Deny and mute/,
};

export interface LogFilter {
  readonly server?: string;
  readonly ending?: string;
}

export class Purser {
  constructor(
    readonly page: Page,
    readonly address: string,
    private readonly browser: Browser,
  ) {}

  /** Opens the app at a hash route, e.g. `/activity`, and waits until its worker answers. */
  async open(route = "/"): Promise<this> {
    await this.page.goto(`${this.address}/#${route}`);
    await this.ready();
    return this;
  }

  async ready(): Promise<void> {
    await expect(this.page.getByRole("navigation", { name: "Main" })).toBeVisible();
    await expect(this.page.getByRole("complementary", { name: "Servers" })).toHaveAttribute("aria-busy", "false");
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Goes to a hash route without a reload. */
  async go(route: string): Promise<void> {
    await this.page.evaluate((hash) => {
      location.hash = hash;
    }, route);
  }

  // Servers

  async openAddServer(): Promise<Locator> {
    const side = this.page.getByRole("complementary", { name: "Servers" });
    await side.getByRole("button", { name: "Add a server" }).click();
    return this.page.getByRole("dialog", { name: "Add a server" });
  }

  async addServer(input: ServerInput): Promise<void> {
    const dialog = await this.openAddServer();
    await dialog.getByRole("textbox", { name: "Name", exact: true }).fill(input.name);
    await dialog.getByRole("textbox", { name: "URL", exact: true }).fill(input.url);
    for (const [name, value] of Object.entries(input.headers ?? {})) {
      await dialog.getByRole("button", { name: "Add a header" }).click();
      await dialog.getByRole("textbox", { name: "Header name" }).last().fill(name);
      await dialog.getByLabel("Header value").last().fill(value);
    }
    await dialog.getByRole("button", { name: "Connect" }).click();
    await expect(dialog).toBeHidden();
  }

  server(name: string): Locator {
    return this.page.getByRole("complementary", { name: "Servers" }).getByRole("listitem", { name, exact: true });
  }

  async waitForState(name: string, state: string): Promise<void> {
    await expect(this.server(name).getByText(state, { exact: true })).toBeVisible({ timeout: 15_000 });
  }

  /** Adds a server and waits until it is connected. */
  async connectTo(input: ServerInput): Promise<void> {
    await this.addServer(input);
    await this.waitForState(input.name, "connected");
  }

  async connectDemo(): Promise<void> {
    await this.page.getByRole("button", { name: "Connect the demo servers" }).click();
  }

  async serverAction(name: string, action: "Connect" | "Disconnect" | "Remove"): Promise<void> {
    await this.go(`/servers/${encodeURIComponent(name)}`);
    const details = this.page.getByRole("complementary", { name: "Details" });
    await details.getByRole("button", { name: action, exact: true }).click();
    if (action === "Remove") {
      await this.page.getByRole("alertdialog").getByRole("button", { name: "Remove the server" }).click();
    }
  }

  // Policies

  /** Replaces the whole policy file by `text` and saves it. */
  async loadPolicyFile(text: string): Promise<void> {
    await this.go("/policies");
    await this.page
      .getByLabel("Import a policy file")
      .setInputFiles({ name: "sampling-policy.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) });
    await expect(this.page.getByText(/is in the editor/)).toBeVisible();
    await this.page.getByRole("button", { name: "Save policies", exact: true }).click();
    await expect(this.page.getByText(/^Saved[.;]/)).toBeVisible();
  }

  /** The problems named after a failed import. */
  problems(): Locator {
    return this.page.getByRole("list", { name: "Problems" }).getByRole("listitem");
  }

  /** Fills fields of one server's policy form by their labels and saves. */
  async editPolicy(server: string, fields: Readonly<Record<string, string | boolean>>): Promise<void> {
    await this.go(`/servers/${encodeURIComponent(server)}/policy`);
    const form = this.page.getByRole("form", { name: `Policy for ${server}` });
    await expect(form).toBeVisible();
    for (const [label, value] of Object.entries(fields)) {
      const field = form.getByLabel(label, { exact: true });
      if (typeof value === "boolean") await field.setChecked(value);
      else if ((await field.evaluate((node) => node.tagName)) === "SELECT") await field.selectOption(value);
      else await field.fill(value);
    }
    await form.getByRole("button", { name: "Save policy" }).click();
    await expect(form.getByText(/^Saved as revision \d+/)).toBeVisible();
  }

  // Tools

  /** Opens the tool's form, fills its arguments as JSON and runs it; answers with this run's card. */
  async runTool(server: string, tool: string, args: object = {}): Promise<Run> {
    await this.openTool(server, tool);
    const form = this.toolForm(tool);
    if (Object.keys(args).length > 0) {
      await form.getByRole("button", { name: "Raw JSON" }).click();
      await form.getByRole("textbox", { name: "Arguments (JSON)" }).fill(JSON.stringify(args));
    }
    const before = await this.runsKept();
    await form.getByRole("button", { name: "Run", exact: true }).click();
    await expect(form).toBeHidden();
    await expect.poll(() => this.runsKept()).toBeGreaterThan(before);
    return this.latestRun(server, tool);
  }

  /** Opens the form of a tool without running it. */
  async openTool(server: string, tool: string): Promise<void> {
    await this.go(`/servers/${encodeURIComponent(server)}/tools/${encodeURIComponent(tool)}`);
    await expect(this.toolForm(tool)).toBeVisible();
  }

  toolForm(tool: string): Locator {
    return this.page.getByRole("form", { name: `Run ${tool}`, exact: true });
  }

  /** The newest run of a tool that is on the screen; stays that run when newer ones come. */
  async latestRun(server: string, tool: string): Promise<Run> {
    const cards = this.page.getByRole("article", { name: `${tool} on ${server}`, exact: true });
    const at = await cards.last().getAttribute("aria-posinset");
    return new Run(cards.and(this.page.locator(`[aria-posinset="${at}"]`)));
  }

  /** How many runs the transcript holds; only those near the view are on the page. */
  private async runsKept(): Promise<number> {
    const cards = this.page.getByRole("article").and(this.page.locator("[aria-setsize]"));
    return (await cards.count()) === 0 ? 0 : Number(await cards.last().getAttribute("aria-setsize"));
  }

  // Consent

  consent(server: string): Locator {
    return this.page.getByRole("alertdialog", { name: `Consent for ${server}`, exact: true });
  }

  async answerConsent(server: string, choice: ConsentChoice): Promise<void> {
    const dialog = this.consent(server);
    await expect(dialog).toBeVisible({ timeout: 15_000 });
    const button = dialog.getByRole("button", { name: CONSENT_BUTTONS[choice] });
    // Allow arms only after it was on the screen for a while (K4).
    await expect(button).not.toHaveAttribute("aria-disabled", "true");
    const answered = await dialog.elementHandle();
    await button.click();
    // This very dialog: the next question of the server may stand in its place at once.
    await answered?.waitForElementState("hidden");
  }

  /** The same where the product may or may not ask; `run` ends without a question where it does not. */
  async answerConsentIfAsked(server: string, choice: ConsentChoice, run: Run): Promise<void> {
    const over = run.card.and(this.page.locator("[aria-busy=false]"));
    await expect(this.consent(server).or(over)).toBeVisible({ timeout: 30_000 });
    if (await this.consent(server).isVisible()) await this.answerConsent(server, choice);
  }

  /** Puts the dialog aside as a chip; it covers the right of the screen. */
  async minimiseConsent(server: string): Promise<void> {
    await this.consent(server).getByRole("button", { name: "Minimise" }).click();
    await expect(this.consent(server)).toBeHidden();
  }

  /** The chip of a consent that is not shown now. */
  consentChip(server: string): Locator {
    const chips = this.page.getByRole("list", { name: "Waiting for your consent" });
    return chips.getByRole("button", { name: `${server} waits for your consent` });
  }

  /** Gives the name a grant carries, in the dialog that asks for it. */
  async nameGrantor(name: string): Promise<void> {
    const dialog = this.page.getByRole("dialog", { name: "Who is granting this?" });
    await dialog.getByRole("textbox", { name: "Your name" }).fill(name);
    await dialog.getByRole("button", { name: "Save" }).click();
  }

  // Settings

  async setProfileName(name: string): Promise<void> {
    await this.go("/settings");
    await this.page.getByRole("textbox", { name: "Profile name" }).fill(name);
    await this.page.getByRole("button", { name: "Save name" }).click();
  }

  provider(label: string): Locator {
    return this.page.getByRole("group", { name: label });
  }

  async setProviderKey(label: string, key: string, remember = false): Promise<void> {
    await this.go("/settings");
    const group = this.provider(label);
    await group.getByLabel("API key").fill(key);
    if (remember) await group.getByLabel("Remember on this device").check();
    await group.getByRole("button", { name: "Save key" }).click();
    await expect(group.getByRole("button", { name: "Forget key" })).toBeEnabled();
  }

  /** `models` only where the provider does not know its own. */
  async setProviderBaseUrl(label: string, url: string, models: readonly string[] = []): Promise<void> {
    await this.go("/settings");
    const group = this.provider(label);
    await group.getByRole("textbox", { name: "Base URL" }).fill(url);
    if (models.length > 0) await group.getByRole("textbox", { name: "Models" }).fill(models.join("\n"));
    await group.getByRole("button", { name: "Save address" }).click();
    await expect(group.getByText("Saved", { exact: true })).toBeVisible();
  }

  /** The person's own price of a model, dollars per million tokens; cached tokens at the input price. */
  async setPrice(model: string, price: { readonly input: string; readonly output: string }): Promise<void> {
    await this.go("/settings");
    await this.page.getByRole("button", { name: `Edit price of ${model}` }).click();
    const dialog = this.page.getByRole("dialog", { name: `Price of ${model}` });
    const figures = { Input: price.input, Output: price.output, "Cache read": price.input, "Cache write": price.input };
    for (const [name, value] of Object.entries(figures))
      await dialog.getByLabel(`${name} (USD per million)`).fill(value);
    await dialog.getByRole("button", { name: "Save price" }).click();
    await expect(dialog).toBeHidden();
  }

  // Activity

  /** The rows of the log, newest first, without the head. */
  async log(filter: LogFilter = {}): Promise<Locator> {
    await this.go("/activity");
    if (filter.server !== undefined) await this.page.getByLabel("Server", { exact: true }).selectOption(filter.server);
    if (filter.ending !== undefined) await this.page.getByLabel("Ending", { exact: true }).selectOption(filter.ending);
    const rows = this.page.getByRole("table", { name: "Activity" }).getByRole("row");
    return rows.filter({ has: this.page.getByRole("cell") });
  }

  // Browsers and tabs

  /** Another tab of the same browser, on the same store. */
  async secondTab(route = "/"): Promise<Purser> {
    return this.browser.tab(route);
  }

  /** Ends the browser (`kill`: as a crash would) and starts it again on the same profile. */
  async restartBrowser(how: "close" | "kill" = "close", route = "/"): Promise<Purser> {
    await this.browser.restart(how);
    return this.browser.tab(route);
  }
}

/** One tool run's card in the transcript. */
export class Run {
  constructor(readonly card: Locator) {}

  /** One word: queued, running, done, failed, refused, cancelled, outcome unknown, interrupted. */
  state(): Locator {
    return this.card.getByText(/^(queued|running|done|failed|refused|cancelled|outcome unknown|interrupted)$/).first();
  }

  steps(): Locator {
    return this.card.getByRole("list", { name: "Sampling steps" }).getByRole("listitem");
  }

  notices(): Locator {
    return this.card.getByRole("note");
  }

  async waitEnded(state = /./, timeoutMs = 30_000): Promise<void> {
    await expect(this.card).toHaveAttribute("aria-busy", "false", { timeout: timeoutMs });
    await expect(this.state()).toHaveText(state);
  }

  async cancel(): Promise<void> {
    await this.card.getByRole("button", { name: "Cancel" }).click();
  }

  async runAgain(): Promise<void> {
    await this.card.getByRole("button", { name: "Run again", exact: true }).click();
  }

  /** Presses the raise this run's notice offers. */
  async raise(options: { readonly runAgain: boolean }): Promise<void> {
    const name = options.runAgain ? /^Raise by .* and run again$/ : /^Raise by (?!.*run again)/;
    await this.notices().getByRole("button", { name }).click();
  }
}
