/** A refused request sent again and again under new ids and in other clothes (SPEC A4, D, I): one answer, once decided. */
import { expect, test } from "../fixtures";
import type { Purser } from "../purser";
import { serveModern } from "../servers/probe-modern";
import { type Adversary, connectAll, errorOf, startAll, useModelApi } from "./adversary";
import { booksOf, countDialogs, tell } from "./books";
import { CLOTHES, dressed, dressedParams, type Params, plainRequest } from "./clothes";

/** Over HTTP each answer is a POST of its own, so fewer of them prove the same in less time. */
const SOAK = process.env.PURSER_SOAK === "1";
const TIMES = { http: SOAK ? 10_000 : 1_000, ws: 10_000 } as const;
/** As many as are in flight at once. */
const BATCH = 250;
const PAID = { models: ["claude-haiku-4-5"] };

for (const way of ["http", "ws"] as const) {
  test(`[F8] [F10] [A4] [D3] [I1] [I2] [I3] a denied request ${TIMES[way]} times with new ids, in clothes, over ${way}`, async ({
    purser,
    modelApi,
  }) => {
    test.setTimeout(240_000);
    const [adversary] = await startAll(way);
    await useModelApi(purser, modelApi);
    await connectAll(purser, [[adversary, PAID]]);
    const request = plainRequest("please");
    const first = await ask(purser, adversary, dressed(request, 0));
    await purser.answerConsent(adversary.name, "deny");
    const denied = errorOf(await first.frame);
    const dialogs = await countDialogs(purser);

    const { run, done } = await adversary.run(purser, async ({ sample }) => {
      const wrong = new Map<string, string>();
      for (let from = 0; from < TIMES[way]; from += BATCH) {
        const batch = Array.from({ length: BATCH }, (_, at) => sample(null, { raw: dressed(request, from + at) }));
        for (const [at, frame] of (await Promise.all(batch)).entries()) {
          if (errorOf(frame) !== denied) wrong.set(CLOTHES[(from + at) % CLOTHES.length]?.name ?? "", errorOf(frame));
        }
      }
      return wrong;
    });
    expect([...(await done)], "answers that differ from the first, by garment").toEqual([]);
    await run.waitEnded(/done/);

    await expect.poll(async () => (await booksOf(purser, adversary.name)).records[0]?.represented).toBe(TIMES[way]);
    const books = await booksOf(purser, adversary.name);
    expect(books).toMatchObject({ decisions: 1, loopAlerts: 1, settledMicros: 0, holds: 0, denials: 1 });
    expect(books.records).toHaveLength(1);
    expect(modelApi.calls).toEqual([]);
    expect(await dialogs()).toBe(0);
    // One line and one sentence for all of them (E2), and the loop is said beside the server (D3).
    await expect(run.notices()).toHaveCount(1);
    await expect(run.steps()).toHaveCount(1);
    await purser.go(`/servers/${adversary.name}`);
    await expect(purser.page.getByText(/retry loop: one refused request came/).first()).toBeVisible();
    const answers = adversary.answers().length;
    expect(answers).toBe(TIMES[way] + 1);
    const scenario = `a denied request again, in ${CLOTHES.length} clothes, ${way}`;
    tell({ scenario, sent: TIMES[way] + 1, answers, completions: 0, records: 1, calls: 0, dialogs: 1 });
    await adversary.close();
  });
}

test("[F8] [F36] [W8] [A4] embedded again in other clothes, over many calls: nothing is asked, paid or sent back", async ({
  purser,
  modelApi,
}) => {
  const CALLS = SOAK ? 12 : 4;
  const EMBEDDED = 32;
  const modern = await serveModern();
  modelApi.give({ kind: "text", text: "never said", inputTokens: 5, outputTokens: 2 });
  await useModelApi(purser, modelApi);
  const slow = { ...PAID, rate_limit: { requests_per_minute: 1, burst: 5 } };
  await connectAll(purser, [[{ name: "modern", url: modern.url }, slow]]);
  const request = plainRequest("please");
  modern.embed = { only: dressedParams(request, 0) };
  const first = await purser.runTool("modern", "ask");
  await purser.answerConsent("modern", "deny");
  await first.waitEnded(/refused/);
  const dialogs = await countDialogs(purser);

  for (let call = 0; call < CALLS; call += 1) {
    const many: Record<string, Params> = {};
    for (let at = 0; at < EMBEDDED; at += 1) many[`k${at}`] = dressedParams(request, call * EMBEDDED + at);
    modern.embed = many;
    const run = await purser.runTool("modern", "ask");
    await run.waitEnded(/refused/);
    await expect(run.notices()).toHaveCount(1);
    await expect(run.card).toContainText("user.denied");
  }
  const again = CALLS * EMBEDDED;
  await expect.poll(async () => (await booksOf(purser, "modern")).records[0]?.represented).toBe(again);
  const books = await booksOf(purser, "modern");
  expect(books).toMatchObject({ decisions: 1, loopAlerts: 1, settledMicros: 0, holds: 0, denials: 1 });
  expect(books.records).toHaveLength(1);

  await test.step("one of two refused: the other is not asked for, not paid for, and no dialog stays", async () => {
    modern.embed = { fresh: plainRequest("something new"), old: dressedParams(request, 3) };
    const run = await purser.runTool("modern", "ask");
    await run.waitEnded(/refused/);
    await expect(purser.consent("modern")).toHaveCount(0);
    expect(await booksOf(purser, "modern")).toMatchObject({ settledMicros: 0, holds: 0, denials: 1 });
  });
  expect(await dialogs()).toBe(0);
  expect(modern.responses).toEqual([]);
  expect(modelApi.calls).toEqual([]);
  await test.step("round after round in one call: the rate binds, and the refused round is not answered", async () => {
    modern.more = (answered) => ({ more: plainRequest(`more ${answered}`) });
    const run = await purser.runTool("modern", "ask");
    await purser.answerConsent("modern", "allow_session");
    await run.waitEnded(/refused/);
    await expect(run.card).toContainText("policy.rate_limit");
    expect(modern.responses).toHaveLength(modelApi.calls.length);
    expect(modelApi.calls.length).toBeGreaterThan(1);
    expect(modelApi.calls.length).toBeLessThan(9);
  });
  await expect.poll(async () => (await booksOf(purser, "modern")).holds).toBe(0);
  const { records } = await booksOf(purser, "modern");
  const [calls, answers] = [modelApi.calls.length, modern.responses.length];
  const sent = 1 + again + 2 + answers + 1;
  const scenario = "embedded again in clothes, then in rounds, 2026-07-28";
  tell({ scenario, sent, answers, completions: answers, records: records.length, calls, dialogs: 2 });
  await modern.close();
});

test("[F9] [D1] [D6] over HTTP and WebSocket: a cut line, a restarted server, a reload and a new browser change nothing", async ({
  purser,
}) => {
  test.setTimeout(180_000);
  const adversaries = await startAll("http", "ws");
  await connectAll(
    purser,
    adversaries.map((one) => [one, {}]),
  );
  const request = plainRequest("once and for all");
  const denied = new Map<string, string>();
  for (const one of adversaries) {
    const { frame, run } = await ask(purser, one, dressed(request, 0));
    await purser.answerConsent(one.name, "deny");
    denied.set(one.name, errorOf(await frame));
    await run.waitEnded();
  }
  let sent = 1;
  const sameAfter = (what: string, tab: Purser) =>
    test.step(what, async () => {
      const dialogs = await countDialogs(tab);
      for (const one of adversaries) {
        await tab.waitForState(one.name, "connected");
        const { frame, run } = await ask(tab, one, dressed(request, sent));
        expect(errorOf(await frame), `${one.name}, ${what}`).toBe(denied.get(one.name));
        await run.waitEnded();
      }
      sent += 1;
      expect(await dialogs()).toBe(0);
      // Counters follow within a second (A7); what a crash may lose is not what is looked for here.
      for (const { name } of adversaries) {
        await expect.poll(async () => (await booksOf(tab, name)).records[0]?.represented, name).toBe(sent - 1);
      }
    });

  for (const one of adversaries) {
    one.cut();
    await purser.serverAction(one.name, "Disconnect");
    await purser.waitForState(one.name, "off");
    await purser.serverAction(one.name, "Connect");
  }
  await sameAfter("cut and connected again", purser);
  for (const one of adversaries) {
    one.probe.protocol = "2025-06-18";
    await one.restart();
    await purser.serverAction(one.name, "Disconnect");
    await purser.serverAction(one.name, "Connect");
  }
  await sameAfter("the server restarted and speaks an earlier protocol", purser);
  await purser.reload();
  await sameAfter("the tab was reloaded", purser);
  const last = await purser.restartBrowser("kill");
  await sameAfter("the browser was killed", last);

  for (const one of adversaries) {
    const books = await booksOf(last, one.name);
    expect(books).toMatchObject({ decisions: 1, denials: 1, holds: 0 });
    expect(books.records).toHaveLength(1);
    const scenario = `again after every way to reconnect, ${one.name}`;
    tell({ scenario, sent, answers: one.answers().length, completions: 0, records: 1, calls: 0, dialogs: 1 });
    await one.close();
  }
});

async function ask(purser: Purser, adversary: Adversary, raw: string) {
  const { run, done } = await adversary.run(purser, ({ sample }) => sample(null, { raw }));
  return { run, frame: done };
}
