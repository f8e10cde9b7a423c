/** Ids of every kind, and taking requests back at every moment (SPEC W1, K7, M3): one response or none, one closed hold. */
import { expect, test } from "../fixtures";
import { prompt } from "../scripted";
import { connectAll, startAll, useModelApi } from "./adversary";
import { booksOf, countDialogs, tell } from "./books";

const PAID = { models: ["claude-haiku-4-5"], rate_limit: { requests_per_minute: 1_000, burst: 1_000 } };

for (const way of ["http", "ws"] as const) {
  test(`[F7] [W1] ids of every kind: each request has its one response, and a second of the same id its own, over ${way}`, async ({
    purser,
  }) => {
    const [adversary] = await startAll(way);
    const { name } = adversary;
    await connectAll(purser, [[adversary, { max_concurrent: 32 }]]);
    const first = await adversary.run(purser, ({ sample }) => sample(prompt("What is an id?")));
    await purser.answerConsent(name, "allow_session");
    await first.done;
    await first.run.waitEnded(/done/);
    const dialogs = await countDialogs(purser);
    const from = adversary.answers().length;

    const odd = ["a", "", "1001", "0", " ", "\u{1f4b7}", "__proto__", 0, -1, 1001, 1.5, 2 ** 53 - 1, -(2 ** 53 - 1)];
    const twice = [7, 7, "7", "7"];
    // What no answer can repeat as it came, or that is no id at all.
    const unusable = ["9007199254740993", "1e400", "1e300", "null", "true", "{}", "[1]"];
    const { run, done } = await adversary.run(purser, async ({ sample, post, answerTo }) => {
      let n = 0;
      const next = () => prompt(`Say which one this is: ${n++}.`);
      const rawOf = (id: string) =>
        `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":${JSON.stringify(next())}}`;
      for (const id of unusable) post(null, { raw: rawOf(id) });
      post(null, { raw: `{"jsonrpc":"2.0","method":"sampling/createMessage","params":${JSON.stringify(next())}}` });
      for (const id of twice) post(next(), { id });
      await Promise.all(odd.map((id) => sample(next(), { id })));
      // All again, now that they were answered.
      await Promise.all(odd.map((id) => sample(next(), { id })));
      return answerTo("never asked", 500);
    });
    expect(await done).toBeNull();
    await run.waitEnded(/done/);
    const expected: readonly (string | number)[] = [...twice, ...odd, ...odd];
    const answered = adversary.answers().slice(from);
    expect(sorted(answered.map(({ json }) => json.id))).toEqual(sorted(expected));
    expect(answered.filter(({ json }) => !("result" in json))).toEqual([]);
    expect(await dialogs()).toBe(0);
    await expect.poll(async () => (await booksOf(purser, name)).holds).toBe(0);
    const books = await booksOf(purser, name);
    expect(books.records).toHaveLength(1 + expected.length);
    expect(books.settledMicros).toBe(books.records.reduce((sum, { chargedMicros }) => sum + chargedMicros, 0));
    const sent = 1 + expected.length + unusable.length + 1;
    const answers = 1 + answered.length;
    const scenario = `ids of every kind, ${unusable.length + 1} of them unusable, ${way}`;
    tell({ scenario, sent, answers, completions: answers, records: books.records.length, calls: answers, dialogs: 1 });
    await adversary.close();
  });

  test(`[F33] [K7] [W1] [M3] requests taken back at every moment, over ${way}`, async ({ purser, modelApi }) => {
    test.setTimeout(120_000);
    const [adversary] = await startAll(way);
    const { name } = adversary;
    modelApi.give({ kind: "slow", everyMs: 100, inputTokens: 20 });
    await useModelApi(purser, modelApi);
    await connectAll(purser, [[adversary, PAID]]);
    const dialogs = await countDialogs(purser);
    let sent = 0;

    await test.step("in the same breath", async () => {
      const { run, done } = await adversary.run(purser, async ({ post, cancel, answerTo }) => {
        for (let at = 0; at < 20; at += 1) cancel(post(prompt(`never mind ${at}`), { id: `breath ${at}` }));
        return answerTo("breath 0", 1_000);
      });
      expect(await done).toBeNull();
      await run.waitEnded(/done/);
      sent += 20;
      await expect(purser.consent(name)).toHaveCount(0);
    });

    await test.step("while the person is asked, as id 0; what is pressed after that counts for nothing", async () => {
      let goOn: () => void = () => undefined;
      const seen = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const { run, done } = await adversary.run(purser, async ({ post, cancel, answerTo }) => {
        post(prompt("Yes?"), { id: 0 });
        await seen;
        // The string is another id: nothing is open under it.
        cancel("0");
        await answerTo("0", 300);
        cancel(0);
        cancel(0);
        return answerTo(0, 1_500);
      });
      const dialog = purser.consent(name);
      await expect(dialog).toBeVisible();
      const allow = dialog.getByRole("button", { name: /^Allow for this session/ });
      await expect(allow).not.toHaveAttribute("aria-disabled", "true");
      const pressable = await allow.elementHandle();
      const denyable = await dialog.getByRole("button", { name: /^Deny$/ }).elementHandle();
      goOn();
      await expect(dialog).toBeHidden();
      for (const button of [pressable, denyable]) await button?.evaluate((node) => (node as HTMLElement).click());
      expect(await done).toBeNull();
      await run.waitEnded(/done/);
      await expect(run.steps()).toContainText("cancelled");
      sent += 1;
      expect(await booksOf(purser, name)).toMatchObject({ denials: 0, consents: 0, holds: 0, settledMicros: 0 });
      expect(modelApi.calls).toEqual([]);
    });

    await test.step("while it generates", async () => {
      const { run, done } = await adversary.run(purser, async ({ post, cancel, answerTo }) => {
        post(prompt("Yes?"), { id: 1 });
        await expect.poll(() => modelApi.calls.length).toBe(1);
        cancel("unknown");
        cancel(1);
        cancel(1);
        return answerTo(1, 1_500);
      });
      await purser.answerConsent(name, "allow_session");
      expect(await done).toBeNull();
      await run.waitEnded(/done/);
      sent += 1;
      await expect.poll(async () => (await booksOf(purser, name)).holds).toBe(0);
      const { records, settledMicros, denials } = await booksOf(purser, name);
      const ran = records.filter(({ dispatchedAt }) => dispatchedAt !== null);
      expect(ran).toMatchObject([{ ending: "cancelled", because: "K7", answeredBy: expect.anything() }]);
      // What was sent is charged, once.
      expect(settledMicros).toBe(ran[0]?.chargedMicros);
      expect(settledMicros).toBeGreaterThan(0);
      expect(denials).toBe(0);
    });

    await test.step("after the answer, and what was never asked", async () => {
      modelApi.give({ kind: "text", text: "answered", inputTokens: 20, outputTokens: 4 });
      const before = await booksOf(purser, name);
      const { run, done } = await adversary.run(purser, async ({ sample, cancel, answerTo, send }) => {
        const frame = await sample(prompt("Again?"), { id: 2 });
        cancel(2);
        cancel("never asked");
        send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: null } });
        send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: { id: 2 } } });
        send({ jsonrpc: "2.0", method: "notifications/cancelled" });
        await answerTo("never asked", 300);
        return frame;
      });
      expect((await done).json).toHaveProperty("result");
      await run.waitEnded(/done/);
      sent += 1;
      await expect.poll(async () => (await booksOf(purser, name)).holds).toBe(0);
      const after = await booksOf(purser, name);
      const last = after.records.filter(({ id }) => !before.records.some((old) => old.id === id));
      expect(last).toMatchObject([{ ending: "completed" }]);
      expect(after.settledMicros).toBe(before.settledMicros + (last[0]?.chargedMicros ?? 0));
    });

    const answers = adversary.answers();
    expect(answers.map(({ json }) => json.id)).toEqual([2]);
    expect(await dialogs()).toBe(2);
    const { records } = await booksOf(purser, name);
    // Each request is in its row, throttles in a common one; none says that the person denied it.
    expect(records.reduce((sum, { count }) => sum + count, 0)).toBe(sent);
    expect(new Set(records.map(({ ending }) => ending))).toEqual(new Set(["cancelled", "throttled", "completed"]));
    const scenario = `taken back at every moment, ${way}`;
    const calls = modelApi.calls.length;
    tell({ scenario, sent, answers: 1, completions: 1, records: records.length, calls, dialogs: 2 });
    await adversary.close();
  });
}

function sorted(ids: readonly unknown[]): readonly string[] {
  return ids.map((id) => JSON.stringify(id)).sort();
}
