/** Cases met in the field whose outcome is what the person sees, or what a whole exchange comes to. */
import { expect, test } from "./fixtures";
import { type PolicyBlock, policyText } from "./policy-text";
import type { Purser, Run } from "./purser";
import { PROBE, prompt, type Scripted } from "./scripted";
import type { Frame, Script } from "./servers/probe";

test.describe.configure({ mode: "parallel" });

/** Runs the tool as `work` says, and waits until its card shows the end. */
async function ran(purser: Purser, scripted: Scripted, work: (script: Script) => Promise<unknown>): Promise<Run> {
  scripted.probe.tool = work;
  const run = await purser.runTool(PROBE, "ask");
  await run.waitEnded(/done/);
  return run;
}

/** Where `first` stands before `second` on the screen. */
async function expectAbove(first: ReturnType<Run["notices"]>, second: ReturnType<Run["notices"]>): Promise<void> {
  const [above, below] = [await first.boundingBox(), await second.boundingBox()];
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
}

test("[K2-05] [K2-08] [K2-09] [K2-10] whatever a refused server returns, our own account of it stands above", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, { models: ["a-model-nobody-has"] });
  await test.step("[K2-05] it puts the refusal into words of its own", async () => {
    const claim = "sampling/createMessage error -1: the user said no";
    const run = await ran(purser, scripted, async ({ sample }) => {
      await sample(prompt("translate: door"));
      return claim;
    });
    await expect(run.notices()).toHaveText(/may use no model that is known here/);
    const label = run.card.getByText(/^Sampling was not fully served in this run \(no permitted model\)/);
    await expectAbove(run.notices(), label);
    await expectAbove(label, run.card.getByText(claim));
  });
  await test.step("[K2-08] it answers with a model of its own", async () => {
    const run = await ran(purser, scripted, async ({ sample }) => {
      const { json } = await sample(prompt("translate: window"));
      expect(json).toMatchObject({ error: { code: -32003, data: { reason: "policy.no_permitted_model" } } });
      return "het raam";
    });
    await expect(run.card.getByText(/this may be incomplete, or made elsewhere\.$/)).toBeVisible();
    await expect(run.card).not.toContainText(/denied/i);
  });
  for (const [how, content] of [
    ["no content", []],
    ["a blank text", [{ type: "text", text: "" }]],
  ] as const) {
    await test.step(`[K2-10] it swallows the refusal and returns ${how}`, async () => {
      const run = await ran(purser, scripted, async ({ sample }) => {
        await sample(prompt(`translate: roof, and return ${how}`));
        return { content };
      });
      await expect(run.card.getByText("No result: sampling was refused (no permitted model).")).toBeVisible();
    });
  }
  await test.step("[K2-09] it falls back in silence: in full once with the reset, then one line each, all in the log", async () => {
    await setPolicy(purser, { budget: { window: "24h", usd: 0 } });
    for (const [at, told] of [/^probe reached its daily limit of .* Resets /, /^Refused: probe reached /].entries()) {
      const run = await ran(purser, scripted, async ({ sample }) => {
        await sample(prompt(`sum up page ${at}`));
        return "keywords: door, window, roof";
      });
      await expect(run.notices()).toHaveText(told);
      await expect(run.card.getByText(/not fully served in this run \(budget used up\)/)).toBeVisible();
    }
    const rows = await purser.log({ server: PROBE, ending: "refused" });
    await expect(rows.filter({ hasText: "policy.budget_exhausted" })).toHaveCount(2);
  });
});

test("[K1-23] a request outside any tool call says so in the dialog, and on its record", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, {});
  const { probe } = scripted;
  const params = prompt("nobody called a tool");
  probe.wire?.send(JSON.stringify({ jsonrpc: "2.0", id: 77, method: "sampling/createMessage", params }), null);
  await expect(purser.consent(PROBE)).toContainText("outside any tool call of yours");
  await purser.answerConsent(PROBE, "deny");
  const answer = () => probe.frames.find(({ json }) => json.id === 77 && json.method === undefined);
  await expect.poll(() => answer()?.json).toMatchObject({ error: { data: { reason: "user.denied" } } });
  await purser.page.getByText("1 sampling request outside any tool run").click();
  const rows = await purser.log({ server: PROBE, ending: "denied" });
  await rows.getByRole("link").click();
  await expect(purser.page.getByRole("article", { name: "Record" })).toContainText("Outside any tool call");
});

test("[K2-19] [K1-24] hundreds of refused requests are one row; forty at once are one dialog", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, null);
  await test.step("[K2-19] a server that may not sample asks three hundred times in one call", async () => {
    const frames: Frame[] = [];
    await ran(purser, scripted, async ({ sample }) => {
      frames.push(...(await Promise.all(Array.from({ length: 300 }, () => sample(prompt("again"))))));
      return "gave up";
    });
    expect(new Set(frames.map(({ text }) => text.slice(text.indexOf('"error"')))).size).toBe(1);
    expect(frames[0]?.json).toMatchObject({ error: { data: { reason: "policy.sampling_disabled" } } });
    const rows = await purser.log({ server: PROBE, ending: "refused" });
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText("asked again ×299");
    await expect(purser.consent(PROBE)).toHaveCount(0);
  });
  await test.step("[K1-24] one call asks for forty completions at once", async () => {
    await setPolicy(purser, { max_concurrent: 2, rate_limit: { requests_per_minute: 20, burst: 40 } });
    await purser.waitForState(PROBE, "connected");
    let frames: readonly Frame[] = [];
    scripted.probe.tool = async ({ sample }) => {
      frames = await Promise.all(Array.from({ length: 40 }, (_, at) => sample(prompt(`part ${at}`))));
      return "put together";
    };
    const run = await purser.runTool(PROBE, "ask");
    await purser.answerConsent(PROBE, "allow_session");
    await run.waitEnded(/done/);
    await expect(purser.consent(PROBE)).toHaveCount(0);
    const refused = frames.filter(({ json }) => "error" in json).map(({ json }) => json.error as Refused);
    expect(frames.length - refused.length).toBe(2);
    for (const { code, data } of refused) {
      expect([code, data.reason, data.retryable]).toEqual([-32004, "policy.concurrency", true]);
    }
    // Honest retries must not come back as a herd (A8).
    expect(new Set(refused.map(({ data }) => data.retryAt)).size).toBe(refused.length);
    await expect(run.card.getByText("put together")).toBeVisible();
  });
});

interface Refused {
  readonly code: number;
  readonly data: { readonly reason: string; readonly retryable: boolean; readonly retryAt: string };
}

async function setPolicy(purser: Purser, block: PolicyBlock): Promise<void> {
  await purser.loadPolicyFile(policyText({ [PROBE]: block }));
  await purser.go("/");
}
