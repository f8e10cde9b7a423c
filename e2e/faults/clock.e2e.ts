/** The computer's clock set back and forward while it runs: no window opens early, nothing is given twice (M5). */
import { expect, test } from "../clock";
import { policyText } from "../policy-text";
import { PROBE, prompt, type Scripted } from "../scripted";
import type { Frame } from "../servers/probe";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

test("the clock of page and worker is the test's, also after a reload", async ({ purser, clock }) => {
  const told = () =>
    Promise.all([
      purser.page.evaluate(() => Date.now()),
      ...purser.page.workers().map((worker) => worker.evaluate(() => Date.now())),
    ]);
  for (const byMs of [DAY, -YEAR]) {
    await clock.step(byMs);
    for (const at of await told()) expect(Math.abs(at - clock.now())).toBeLessThan(5_000);
    await purser.reload();
    expect(await told()).toHaveLength(2);
    for (const at of await told()) expect(Math.abs(at - clock.now())).toBeLessThan(5_000);
  }
});

function dataOf(frame: Frame): Record<string, string> {
  const { error } = frame.json as { error?: { data?: Record<string, string> } };
  return error?.data ?? {};
}

type Sample = (text: string) => Promise<Frame>;

/** One tool call that asks, $0.0004 at a time, as `script` says; what it throws is the test's. */
function timeline(scripted: Scripted, script: (sample: Sample) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    scripted.probe.tool = async ({ sample }) => {
      await script((text) => sample(prompt(`${"word ".repeat(400)}${text}`, { maxTokens: 5 }))).then(resolve, reject);
      return "done";
    };
  });
}

test("[F29] [K4-08] [K4-16] [M5] the clock set back and forward by an hour, a day, a year", async ({
  purser,
  scripted,
  clock,
}) => {
  test.setTimeout(180_000);
  // The end of October: a month that ends, a night of 25 hours in half the world, and windows that know of neither.
  await clock.set(Date.UTC(2027, 9, 30, 12));
  // Enough for what one request may cost at most, and not for one more beside what one has cost.
  await scripted.connect(purser, { budget: { window: "24h", usd: 0.0006 } });
  const R0 = "2027-10-31T00:00:00.000Z";
  const R1 = "2027-11-01T00:00:00.000Z";

  const windows = timeline(scripted, async (sample) => {
    const first = sample("one");
    await purser.answerConsent(PROBE, "allow_session");
    expect((await first).json).toHaveProperty("result");
    const spent = await sample("two");
    expect(dataOf(spent)).toMatchObject({ reason: "policy.budget_exhausted", resetsAt: R0 });

    for (const [what, byMs] of [
      ["an hour back", -HOUR],
      ["a day back", -DAY],
      ["a year back", -YEAR],
    ] as const) {
      await clock.step(byMs);
      expect(dataOf(await sample("two")), `${what}: a refusal stands`).toEqual(dataOf(spent));
      const other = dataOf(await sample(`after ${what}`));
      expect(other, `${what}: the window does not open`).toMatchObject({
        reason: "policy.budget_exhausted",
        resetsAt: R0,
      });
    }
    await clock.set(Date.parse(R0) - 60_000);
    expect(dataOf(await sample("two")), "not a minute early").toEqual(dataOf(spent));

    // The next day: what was agreed to has ended with the window, and there is money for one request.
    await clock.set(Date.parse(R0) + 60_000);
    const next = sample("two");
    await purser.answerConsent(PROBE, "allow_session");
    expect((await next).json).toHaveProperty("result");
    const spentAgain = await sample("three");
    expect(dataOf(spentAgain)).toMatchObject({ reason: "policy.budget_exhausted", resetsAt: R1 });

    // Forward and back again buys nothing a second time.
    for (const at of [Date.parse(R0) - 12 * HOUR, Date.parse(R0) + 23 * HOUR, Date.parse(R0) - YEAR]) {
      await clock.set(at);
      expect(dataOf(await sample(`at ${at}`)), new Date(at).toISOString()).toMatchObject({
        reason: "policy.budget_exhausted",
        resetsAt: R1,
      });
    }
  });
  const run = await purser.runTool(PROBE, "ask");
  await windows;
  await run.waitEnded(/done/);

  await clock.set(Date.parse(R1) + HOUR);
  await purser.loadPolicyFile(policyText({ [PROBE]: { rate_limit: { requests_per_minute: 1, burst: 2 } } }));
  await purser.go("/");
  await purser.waitForState(PROBE, "connected");
  const rates = timeline(scripted, async (sample) => {
    const first = sample("first");
    await purser.answerConsent(PROBE, "allow_session");
    expect((await first).json).toHaveProperty("result");
    expect((await sample("second")).json).toHaveProperty("result");
    expect(dataOf(await sample("third"))).toMatchObject({ reason: "policy.rate_limit" });
    await clock.step(-DAY);
    for (const text of ["third", "fourth"]) {
      const { reason, retryAt = "" } = dataOf(await sample(text));
      expect(reason).toBe("policy.rate_limit");
      const waitMs = Date.parse(retryAt) - clock.now();
      expect(waitMs, `a day back: ${text} is told to wait minutes`).toBeLessThan(5 * 60_000);
    }
    // Two minutes on by the clock as it goes now there are two requests again, and a year later no more.
    for (const byMs of [2 * 60_000, YEAR]) {
      await clock.step(byMs);
      const passed = [];
      for (const text of ["a", "b", "c", "d"]) {
        const asked = sample(`${text} after ${byMs}`);
        if (byMs === YEAR && text === "a") await purser.answerConsent(PROBE, "allow_session");
        passed.push("result" in (await asked).json);
      }
      expect(passed, `after ${byMs} ms`).toEqual([true, true, false, false]);
    }
  });
  const paced = await purser.runTool(PROBE, "ask");
  await rates;
  await paced.waitEnded(/done/);
});

test("[F41] [F30] [K5] a dialog over a night's sleep: nothing is agreed to by itself, and the answer still counts", async ({
  purser,
  scripted,
  clock,
  browser_,
}) => {
  await scripted.connect(purser, { consent: "per_request" });
  const { run, frame } = await scripted.ask(purser, prompt("asleep"));
  const dialog = purser.consent(PROBE);
  await expect(dialog).toBeVisible();
  const devtools = await browser_.context.newCDPSession(purser.page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await clock.step(8 * HOUR);
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  // Another tab, as tabs do all the time, closes whatever is past its time.
  const other = await purser.secondTab();
  await expect(dialog).toBeVisible();
  expect(scripted.probe.frames.filter(({ json }) => "result" in json && "id" in json && json.id === 1000)).toEqual([]);
  await purser.answerConsent(PROBE, "deny");
  expect((await frame).text).toContain('"reason":"user.denied"');
  await run.waitEnded();
  const again = await scripted.ask(purser, prompt("asleep"));
  expect((await again.frame).text).toContain('"reason":"user.denied"');
  await other.page.close();
});
