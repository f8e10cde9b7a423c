/** Everything a person can do is done here without a pointer: no click, no hover, no focus set by script. */
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { policyText } from "./policy-text";
import type { Purser } from "./purser";
import { PROBE, prompt } from "./scripted";

test.describe.configure({ mode: "parallel" });

/** More stops than any view has. */
const STOPS_MAX = 120;

async function focused(target: Locator): Promise<boolean> {
  return (await target.count()) > 0 && target.first().evaluate((element) => element === document.activeElement);
}

/** Walks there with Tab alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    if (await focused(target)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reached ${target}`);
}

async function press(page: Page, target: Locator, key: "Enter" | "Space" = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
}

/** Follows a link of the main navigation. */
async function visit(purser: Purser, place: "Work" | "Activity" | "Policies" | "Settings"): Promise<void> {
  const nav = purser.page.getByRole("navigation", { name: "Main" });
  await press(purser.page, nav.getByRole("link", { name: place }));
}

test("servers and policies: add, enable in the form, disconnect, connect, remove", async ({ purser, scripted }) => {
  test.setTimeout(120_000);
  const { page } = purser;
  const side = page.getByRole("complementary", { name: "Servers" });
  await press(page, side.getByRole("button", { name: "Add a server" }));
  await page.keyboard.type(PROBE);
  const dialog = page.getByRole("dialog", { name: "Add a server" });
  await type(page, dialog.getByRole("textbox", { name: "URL" }), scripted.http.url);
  await page.keyboard.press("Enter");
  await purser.waitForState(PROBE, "connected");

  await press(page, page.getByRole("link", { name: "Policy", exact: true }));
  const form = page.getByRole("form", { name: `Policy for ${PROBE}` });
  await press(page, form.getByRole("switch", { name: "Allow sampling" }), "Space");
  await press(page, form.getByRole("button", { name: "Add local-extractive-1" }));
  await type(page, form.getByLabel("Budget (USD)", { exact: true }), "0.5");
  await page.keyboard.press("Enter");
  await expect(form.getByText("Saved as revision 1")).toBeVisible();
  await expect(page.getByRole("meter", { name: `${PROBE} budget` }).first()).toBeVisible();

  await press(page, side.getByRole("link", { name: PROBE }));
  await press(page, page.getByRole("button", { name: "Disconnect" }));
  await purser.waitForState(PROBE, "off");
  await press(page, page.getByRole("button", { name: "Connect", exact: true }));
  await purser.waitForState(PROBE, "connected");
  await press(page, page.getByRole("button", { name: "Remove", exact: true }));
  await press(page, page.getByRole("alertdialog").getByRole("button", { name: "Remove the server" }));
  await expect(purser.server(PROBE)).toHaveCount(0);
});

test("[K4] [G1] [G3] run, deny, forget, allow, raise", async ({ purser, scripted }) => {
  test.setTimeout(120_000);
  const { page } = purser;
  await scripted.connect(purser, {
    max_output_tokens: 100,
    raise: { usd: 0.5, requests: 10 },
    budget: { window: "24h", usd: 0.5 },
  });
  scripted.probe.tool = async ({ sample }) => ("result" in (await sample(prompt("Please read."))).json ? "yes" : "no");
  const side = page.getByRole("complementary", { name: "Servers" });
  const run = async () => {
    await press(page, side.getByRole("link", { name: PROBE }));
    await press(page, page.getByRole("complementary", { name: "Details" }).getByRole("link", { name: "ask" }));
    await press(page, purser.toolForm("ask").getByRole("button", { name: "Run", exact: true }));
  };

  await run();
  const deny = purser.consent(PROBE).getByRole("button", { name: "Deny", exact: true });
  const allow = purser.consent(PROBE).getByRole("button", { name: "Allow this one" });
  // Keys answer once it has been on the screen for a moment, Deny's too: the dialog takes the focus of who types.
  const listens = async () => {
    await expect(deny).toBeFocused();
    await expect(allow).not.toHaveAttribute("aria-disabled", "true");
  };
  await listens();
  await page.keyboard.press("Enter");
  await expect(purser.consent(PROBE)).toBeHidden();
  await (await purser.latestRun(PROBE, "ask")).waitEnded(/done/);

  await visit(purser, "Activity");
  await press(
    page,
    page
      .getByRole("table", { name: "Activity" })
      .getByRole("row", { name: /denied/ })
      .getByRole("link"),
  );
  await press(page, page.getByRole("button", { name: "Forget this decision" }));
  await expect(page.getByRole("button", { name: "Forget this decision" })).toHaveCount(0);

  await visit(purser, "Work");
  await run();
  await listens();
  await press(page, allow, "Space");
  await expect(purser.consent(PROBE)).toBeHidden();
  const second = await purser.latestRun(PROBE, "ask");
  await second.waitEnded(/done/);
  await expect(second.card).toContainText("yes");

  await purser.loadPolicyFile(
    policyText({ [PROBE]: { budget: { window: "24h", usd: 0 }, raise: { usd: 0.5, requests: 10 } } }),
  );
  await visit(purser, "Work");
  await run();
  const broke = await purser.latestRun(PROBE, "ask");
  await broke.waitEnded(/done/);
  await press(page, broke.notices().getByRole("button", { name: /^Raise by \$0\.50 for today$/ }));
  await page.keyboard.type("Ada");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Who is granting this?" })).toHaveCount(0);
  await press(page, broke.card.getByRole("button", { name: "Run again" }));
  await listens();
  await press(page, purser.consent(PROBE).getByRole("button", { name: /^Deny and mute/ }));
  await expect(purser.consent(PROBE)).toBeHidden();
});

test("settings, the policy file, and the log", async ({ purser, scripted, browser_, expectComplaints }) => {
  test.setTimeout(120_000);
  const { page } = purser;
  await scripted.connect(purser, {});
  await visit(purser, "Settings");
  await type(page, page.getByRole("textbox", { name: "Profile name" }), "Ada");
  await press(page, page.getByRole("button", { name: "Save name" }));
  const anthropic = purser.provider("Anthropic");
  await type(page, anthropic.getByLabel("API key"), "sk-test-0123456789");
  await press(page, anthropic.getByRole("button", { name: "Save key" }), "Space");
  await expect(anthropic.getByText("key set", { exact: true })).toBeVisible();
  await press(page, anthropic.getByRole("button", { name: "Forget key" }));
  await expect(anthropic.getByText("no key", { exact: true })).toBeVisible();
  await press(page, page.getByRole("button", { name: "Edit price of local-extractive-1" }));
  const price = page.getByRole("dialog", { name: "Price of local-extractive-1" });
  await type(page, price.getByLabel("Input (USD per million)"), "3");
  await page.keyboard.press("Enter");
  await expect(price).toHaveCount(0);

  await visit(purser, "Policies");
  const editor = page.getByRole("textbox", { name: "Policy file" });
  await expect(editor).toBeVisible();
  // CodeMirror lies in a shadow root, where the outer document's focus is its host.
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    if (await editor.evaluate((element) => element === (element.getRootNode() as ShadowRoot).activeElement)) break;
    await page.keyboard.press("Tab");
  }
  expect(browser_.complaints).toEqual([]);
  // Chromium itself writes a style attribute when typing replaces a selection of several lines; the CSP drops it.
  expectComplaints(/^Applying inline style violates/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("servers:\n  nobody:\n  allow: yes\n");
  await expect(purser.problems().first()).toBeVisible();
  await page.keyboard.press("Escape");
  await press(page, page.getByRole("button", { name: "Save policies", exact: true }));
  await expect(page.getByText(/^Saved[.;]/)).toHaveCount(0);

  await visit(purser, "Activity");
  // What was typed is not thrown away without a question.
  await press(page, page.getByRole("button", { name: "Discard the changes" }));
  await tabTo(page, page.getByLabel("Ending", { exact: true }));
  await page.keyboard.type("refused");
  await expect(page.getByText("Nothing matches these filters")).toBeVisible();
  await press(page, page.getByRole("button", { name: "Show everything" }));
  await expect(page.getByRole("table", { name: "Activity" })).toBeVisible();
});
