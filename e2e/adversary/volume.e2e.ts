/** Different requests as fast as they can be sent (SPEC A2, A8, M2, M6): rate and budget bind, and every one is answered. */
import { expect, test } from "../fixtures";
import { prompt } from "../scripted";
import type { Frame } from "../servers/probe";
import { connectAll, reasonOf, startAll, useModelApi } from "./adversary";
import { booksOf, countDialogs, tell, watchAccount } from "./books";

const SOAK = process.env.PURSER_SOAK === "1";
const WAYS = ["http", "ws"] as const;

for (const way of WAYS) {
  test(`[F5] [W1] [K2] [M6] 200 different requests at once under a budget for three, over ${way}`, async ({
    purser,
    modelApi,
  }) => {
    const SENT = 200;
    const [adversary] = await startAll(way);
    const { name } = adversary;
    // What is reported is nearly what is held, so that a fourth never fits: 3 × ~520 µ$ of 1,700.
    modelApi.give({ kind: "text", text: "paid", inputTokens: 5, outputTokens: 100 });
    await useModelApi(purser, modelApi);
    const capMicros = 1_700;
    const block = {
      models: ["claude-haiku-4-5"],
      budget: { window: "24h", usd: capMicros / 1_000_000 },
      rate_limit: { requests_per_minute: 1_000, burst: 1_000 },
      max_concurrent: 64,
    };
    await connectAll(purser, [[adversary, block]]);
    const dialogs = await countDialogs(purser);
    const most = await watchAccount(purser, name);
    const { run, done } = await adversary.run(purser, ({ sample }) =>
      Promise.all(Array.from({ length: SENT }, (_, at) => sample(prompt(`question ${at}`)))),
    );
    await purser.answerConsent(name, "allow_session");
    const frames = await done;
    await run.waitEnded(/done/);

    const completed = frames.filter(isResult);
    expect(completed).toHaveLength(3);
    expect(frames.map(reasonOf).filter((reason) => reason === "policy.budget_exhausted")).toHaveLength(SENT - 3);
    expectOneAnswerEach(adversary.answers(), SENT);
    expect(modelApi.calls).toHaveLength(3);
    expect(await dialogs()).toBe(1);
    expect(await most(), "the most that was ever settled and held").toBeLessThanOrEqual(capMicros);
    const books = await settledBooks(() => booksOf(purser, name));
    expect(books.settledMicros).toBeLessThanOrEqual(capMicros);
    expect(books.records).toHaveLength(SENT);
    // The reason and the raise are said once, not 197 times (E).
    await expect(run.notices()).toHaveCount(1);
    const scenario = `200 at once under a budget for 3, ${way}`;
    const counts = { sent: SENT, answers: frames.length, completions: completed.length, records: books.records.length };
    tell({ scenario, ...counts, calls: modelApi.calls.length, dialogs: await dialogs() });
    await adversary.close();
  });
}

for (const way of WAYS) {
  test(`[F11] [A8] [M2] [M6] variations at full speed meet rate and budget, over ${way}`, async ({ purser }) => {
    test.setTimeout(180_000);
    const sent = SOAK ? 5_000 : 300;
    const [adversary] = await startAll(way);
    const { name } = adversary;
    const capMicros = 8_000;
    const limit = { requests_per_minute: 60, burst: 5 };
    const block = { rate_limit: limit, budget: { window: "24h", usd: capMicros / 1_000_000 }, max_concurrent: 64 };
    await connectAll(purser, [[adversary, block]]);
    const first = await adversary.run(purser, ({ sample }) => sample(prompt("Log in and say who you are.")));
    await purser.answerConsent(name, "allow_session");
    const told = [await first.done];
    await first.run.waitEnded(/done/);
    const most = await watchAccount(purser, name);
    const dialogs = await countDialogs(purser);
    const startedAt = Date.now();

    await test.step("one character changes", async () => {
      const { run, done } = await adversary.run(purser, ({ sample }) =>
        Promise.all(Array.from({ length: sent }, (_, at) => sample(prompt(varied("Please answer this now", at))))),
      );
      const frames = await done;
      await run.waitEnded(/done/);
      told.push(...frames);
      expect(frames.filter(isResult).length, "burst and refill").toBeLessThanOrEqual(allowed(limit, startedAt));
      const promised = frames.flatMap((frame) => (reasonOf(frame) === "policy.rate_limit" ? [retryAtOf(frame)] : []));
      expect(promised.length, "refused for their rate").toBeGreaterThan(sent / 2);
      expect(new Set(promised).size, "no two are told to come back at the same instant").toBe(promised.length);
    });
    await test.step("each retry carries a longer history", async () => {
      const { run, done } = await adversary.run(purser, async ({ sample }) => {
        const frames: Frame[] = [];
        const turns: unknown[] = [];
        for (let at = 0; at < sent / 5; at += 1) {
          turns.push({ role: "user", content: { type: "text", text: "Please." } });
          frames.push(await sample({ messages: turns, maxTokens: 50 }));
          const told = frames.at(-1)?.text ?? "";
          turns.push({ role: "assistant", content: { type: "text", text: told } });
        }
        return frames;
      });
      told.push(...(await done));
      await run.waitEnded(/done/);
    });

    const completions = told.filter(isResult).length;
    expect(completions).toBeGreaterThan(1);
    expect(completions, "burst and refill in all").toBeLessThanOrEqual(1 + allowed(limit, startedAt));
    expectOneAnswerEach(adversary.answers(), told.length);
    expect(await dialogs()).toBe(0);
    expect(await most(), "the most that was ever settled and held").toBeLessThanOrEqual(capMicros);
    const books = await settledBooks(() => booksOf(purser, name));
    const charged = books.records.reduce((sum, record) => sum + record.chargedMicros, 0);
    expect(books.settledMicros).toBe(charged);
    const ran = books.records.filter(({ dispatchedAt }) => dispatchedAt !== null).length;
    expect(ran).toBe(completions);
    const scenario = `one character changed, then ever longer, 60 a minute, ${way}`;
    const counts = { sent: told.length, answers: adversary.answers().length, completions };
    tell({ scenario, ...counts, records: books.records.length, calls: ran, dialogs: 1 });
    await adversary.close();
  });
}

/** `text` with one character changed, another one for every `n`. */
function varied(text: string, n: number): string {
  const at = n % text.length;
  return `${text.slice(0, at)}${String.fromCodePoint(0x4e00 + n)}${text.slice(at + 1)}`;
}

/** What a bucket lets through from full: its burst, and what flowed in since. */
function allowed(limit: { readonly requests_per_minute: number; readonly burst: number }, sinceAt: number): number {
  return limit.burst + Math.ceil(((Date.now() - sinceAt) * limit.requests_per_minute) / 60_000);
}

function isResult(frame: Frame): boolean {
  return "result" in frame.json;
}

function retryAtOf(frame: Frame): string {
  return (frame.json.error as { readonly data: { readonly retryAt: string } }).data.retryAt;
}

function expectOneAnswerEach(answers: readonly Frame[], sent: number): void {
  expect(answers.length, "responses in all").toBe(sent);
  expect(new Set(answers.map(({ json }) => json.id)).size, "ids that were answered").toBe(sent);
}

/** Settling may follow the reply; then no hold is left. */
async function settledBooks(read: () => ReturnType<typeof booksOf>): Promise<Awaited<ReturnType<typeof booksOf>>> {
  await expect.poll(async () => (await read()).holds).toBe(0);
  return read();
}
