/** SPEC K1, K2, K7 between tabs, and what a dialog does when its ground goes: one question, one answer, none orphaned. */
import { type Adversary, startAdversary } from "./adversary/adversary";
import { countDialogs } from "./dialogs";
import { expect, test } from "./fixtures";
import { policyText } from "./policy-text";
import type { Purser } from "./purser";
import { prompt } from "./scripted";
import type { Frame } from "./servers/probe";

test.describe.configure({ mode: "parallel" });

/** Runs the tool with one question; `frame` comes when it is answered. */
async function question(server: Adversary, tab: Purser, words: string): Promise<{ readonly frame: Promise<Frame> }> {
  const { done } = await server.run(tab, ({ sample }) => sample(prompt(words)));
  return { frame: done };
}

const allowed = async (asked: { readonly frame: Promise<Frame> }) => "result" in (await asked.frame).json;
const reasonOf = ({ json }: Frame) => (json.error as { data?: { reason?: unknown } } | undefined)?.data?.reason;

test("[K1] [K2] [F6] [F41] a dialog in one tab, its request, its answer, its policy and its end in the other", async ({
  purser,
}) => {
  const server = await startAdversary("ws");
  const { name } = server;
  try {
    await server.connect(purser, {});
    const other = await purser.secondTab();
    await other.waitForState(name, "connected");
    const seen = await countDialogs(other.page);

    await test.step("allowed for the session here, the other tab's waiting request goes on without a dialog", async () => {
      const here = await question(server, purser, "here");
      await expect(purser.consent(name)).toBeVisible();
      const there = await question(server, other, "there");
      await expect(other.page.getByText("answer it in the tab that runs it").first()).toBeVisible();
      await purser.answerConsent(name, "allow_session");
      expect([await allowed(here), await allowed(there)]).toEqual([true, true]);
      expect(await seen.total()).toBe(0);
    });

    await test.step("its policy edited in the other tab: the dialog goes, and asks again what holds now", async () => {
      await purser.loadPolicyFile(policyText({ [name]: { consent: "per_request" } }));
      await purser.go("/");
      const asked = await question(server, purser, "before the edit");
      await expect(purser.consent(name)).not.toContainText("The policy was edited");
      await other.loadPolicyFile(policyText({ [name]: { consent: "per_session", max_output_tokens: 50 } }));
      const dialog = purser.consent(name);
      await expect(dialog).toContainText("The policy was edited while you were asked; this is what holds now.");
      await expect(dialog).toContainText("up to 50 tokens");
      await expect(dialog.getByRole("button", { name: /^Allow for this session/ })).toBeVisible();
      await purser.answerConsent(name, "allow_once");
      expect(await allowed(asked)).toBe(true);
    });

    await test.step("an edit that allows it no more closes the dialog with a line, and is nobody's denial", async () => {
      const asked = await question(server, purser, "too large by then");
      await expect(purser.consent(name)).toBeVisible();
      await other.loadPolicyFile(policyText({ [name]: { max_input_tokens: 1 } }));
      expect(reasonOf(await asked.frame)).toBe("policy.input_too_large");
      await expect(purser.consent(name)).toHaveCount(0);
      await expect(
        purser.page.getByText(/^The policy refused the request of .*; the consent is closed\.$/).first(),
      ).toBeVisible();
      await other.loadPolicyFile(policyText({ [name]: {} }));
      await purser.go("/");
    });

    await test.step("the connection cut: the dialog closes with a line", async () => {
      await question(server, purser, "lost with its connection").then(({ frame }) => void frame.catch(() => undefined));
      await expect(purser.consent(name)).toBeVisible();
      server.cut();
      await expect(purser.consent(name)).toHaveCount(0);
      await expect(purser.page.getByText(/the consent is closed\.$/).first()).toBeVisible();
      for (const tab of [purser, other]) await tab.waitForState(name, "connected");
    });

    await test.step("the tab with the dialog closed: the other tab asks itself", async () => {
      await other.go("/");
      await question(server, other, "asked by a tab that goes");
      await expect(other.consent(name)).toBeVisible();
      const mine = await question(server, purser, "asked behind it");
      await expect(purser.page.getByText("answer it in the tab that runs it").first()).toBeVisible();
      await other.page.close();
      await purser.answerConsent(name, "allow_once");
      expect(await allowed(mine)).toBe(true);
    });

    await test.step("removed in another tab: the dialog closes with a line, and no denial was ever recorded", async () => {
      const third = await purser.secondTab();
      await third.waitForState(name, "connected");
      await question(server, purser, "asked by who is gone").then(({ frame }) => void frame.catch(() => undefined));
      await expect(purser.consent(name)).toBeVisible();
      await third.serverAction(name, "Remove");
      await expect(purser.consent(name)).toHaveCount(0);
      await expect(purser.page.getByText(/consent (for .+ )?is closed\.$/).first()).toBeVisible();
      const rows = await purser.log({ ending: "denied" });
      await expect(rows).toHaveCount(0);
    });
  } finally {
    await server.close();
  }
});

test("[K2-13] [K2-20] [K7] cancelled while the person is pressing Allow: no call, no charge, no frame, no denial", async ({
  purser,
  modelApi,
}) => {
  modelApi.give({ kind: "text", text: "never said", inputTokens: 5, outputTokens: 2 });
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
  const server = await startAdversary("http");
  try {
    await server.connect(purser, { models: ["claude-haiku-4-5"] });
    const { run, done } = await server.run(purser, async ({ post, cancel, answerTo }) => {
      const frames: (Frame | null)[] = [];
      for (let at = 0; at < 5; at += 1) {
        const id = post(prompt(`taken back ${at}`), at === 0 ? { id: 0 } : {});
        await expect(purser.consent(server.name).getByRole("button", { name: "Allow this one" })).toBeEnabled();
        cancel(id);
        // As fast as a hand that was on its way already; mostly the dialog is gone.
        const late = purser.consent(server.name).getByRole("button", { name: "Allow this one" });
        await late.click({ timeout: 100, noWaitAfter: true }).catch(() => undefined);
        await expect(purser.consent(server.name)).toHaveCount(0);
        frames.push(await answerTo(id, 300));
      }
      return frames;
    });
    expect(await done).toEqual([null, null, null, null, null]);
    await run.waitEnded(/done/);
    await expect(
      purser.page.getByText(`${server.name} took its request back; the consent is closed.`).first(),
    ).toBeVisible();
    const rows = await purser.log({ server: server.name });
    await expect(rows.filter({ hasText: "cancelled" })).toHaveCount(5);
    await expect(rows.filter({ hasText: /denied|completed/ })).toHaveCount(0);
    expect(modelApi.calls.length).toBe(0);
    await expect(purser.page.getByRole("meter", { name: `${server.name} budget` }).first()).toHaveAttribute(
      "aria-valuenow",
      "0",
    );
  } finally {
    await server.close();
  }
});
