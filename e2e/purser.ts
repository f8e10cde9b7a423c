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

  async addServer(input: ServerInput): Promise<void> {
    const { page } = this;
    await page.getByRole("complementary", { name: "Servers" }).getByRole("button", { name: "Add a server" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a server" });
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
    await expect(this.server(name)).toContainText(state, { timeout: 15_000 });
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
      await this.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    }
  }

  // Policies

  /** Replaces the whole policy file by `text` and imports it. */
  async loadPolicyFile(text: string): Promise<void> {
    await this.go("/policies");
    await this.page
      .getByLabel("Import a policy file")
      .setInputFiles({ name: "sampling-policy.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) });
    await this.page.getByRole("button", { name: "Import", exact: true }).click();
    await expect(this.page.getByText(/^Imported\b/)).toBeVisible();
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

  /** Opens the tool's form, fills its arguments as JSON and runs it; answers with the newest run's card. */
  async runTool(server: string, tool: string, args: object = {}): Promise<Run> {
    await this.go(`/servers/${encodeURIComponent(server)}/tools/${encodeURIComponent(tool)}`);
    const form = this.page.getByRole("form", { name: `Run ${tool}` });
    await expect(form).toBeVisible();
    if (Object.keys(args).length > 0) {
      await form.getByRole("button", { name: "Raw JSON" }).click();
      await form.getByRole("textbox", { name: "Arguments (JSON)" }).fill(JSON.stringify(args));
    }
    await form.getByRole("button", { name: "Run", exact: true }).click();
    await expect(form).toBeHidden();
    return this.latestRun(server, tool);
  }

  latestRun(server: string, tool: string): Run {
    return new Run(this.page, this.page.getByRole("article", { name: `${tool} on ${server}`, exact: true }).last());
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
    await button.click();
    await expect(dialog).toBeHidden();
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
    await expect(group.getByRole("button", { name: "Forget key" })).toBeVisible();
  }

  async setProviderBaseUrl(label: string, url: string, models: readonly string[] = []): Promise<void> {
    await this.go("/settings");
    const group = this.provider(label);
    await group.getByRole("textbox", { name: "Base URL" }).fill(url);
    if (models.length > 0) await group.getByRole("textbox", { name: "Models" }).fill(models.join(", "));
    await group.getByRole("button", { name: "Save address" }).click();
  }

  // Activity

  async log(filter: LogFilter = {}): Promise<Locator> {
    await this.go("/activity");
    if (filter.server !== undefined) await this.page.getByLabel("Server", { exact: true }).selectOption(filter.server);
    if (filter.ending !== undefined) await this.page.getByLabel("Ending", { exact: true }).selectOption(filter.ending);
    return this.page.getByRole("table", { name: "Activity" }).getByRole("row");
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
  constructor(
    private readonly page: Page,
    readonly card: Locator,
  ) {}

  steps(): Locator {
    return this.card.getByRole("list", { name: "Sampling steps" }).getByRole("listitem");
  }

  notices(): Locator {
    return this.card.getByRole("note");
  }

  async waitEnded(state = /succeeded|failed|refused|cancelled|unknown|interrupted/, timeoutMs = 60_000): Promise<void> {
    await expect(this.card.getByTestId("run-state")).toHaveText(state, { timeout: timeoutMs });
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
