/** One refused request, again and again: each answered from memory, none worth a transaction (A4, A7, D3). */
import type { Worker } from "@playwright/test";
import { expect, test } from "../fixtures";
import { policyText } from "../policy-text";
import { ledgerOf } from "./ledger";
import { errorOf, reasonOf, startLines } from "./lines";

const SOAK = process.env.PURSER_SOAK === "1" ? 10 : 1;
const TIMES = 2_000 * SOAK;
const IN_FLIGHT = 50;
const STUBBORN = "stubborn";
const COUNT = "test:transactions";

/** Counts the transactions a worker opens from now on. */
function countTransactions(worker: Worker): Promise<void> {
  return worker.evaluate((key) => {
    const all = globalThis as unknown as Record<string, number>;
    const { transaction } = IDBDatabase.prototype;
    all[key] = 0;
    IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...given) {
      all[key] = (all[key] ?? 0) + 1;
      return transaction.apply(this, given);
    };
  }, COUNT);
}

test(`[F21] [A4] [D3] ${TIMES} times the same refused request: the same answer, hardly a transaction, one alert`, async ({
  purser,
}) => {
  const lines = await startLines();
  await purser.connectTo({ name: STUBBORN, url: lines.url });
  await purser.loadPolicyFile(policyText({ [STUBBORN]: { max_input_tokens: 10 } }));
  await purser.go("/");
  await expect.poll(() => lines.connections).toBe(2);
  const line = lines.newest();
  const large = { messages: [{ role: "user", content: { type: "text", text: "word ".repeat(100) } }], maxTokens: 50 };
  const first = await line.ask(large);
  expect(reasonOf(first)).toBe("policy.input_too_large");
  const [worker] = purser.page.workers();
  if (worker === undefined) throw new Error("the page has no worker");
  await countTransactions(worker);

  const startedAt = Date.now();
  let left = TIMES;
  const different = new Set<string>();
  const repeat = async () => {
    while (left > 0) {
      left -= 1;
      different.add(JSON.stringify(errorOf(await line.ask(large))));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, repeat));
  const seconds = (Date.now() - startedAt) / 1_000;
  const opened = await worker.evaluate((key) => (globalThis as unknown as Record<string, number>)[key] ?? 0, COUNT);

  expect([...different]).toEqual([JSON.stringify(errorOf(first))]);
  // Counts are written a batch within a second, and what is shown is read again now and then: by time, not by request.
  expect(opened).toBeLessThan(40 + 40 * seconds);
  expect(opened).toBeLessThan(TIMES / 4);
  await expect
    .poll(async () => (await ledgerOf(purser.page, STUBBORN)).records.map(({ represented }) => represented))
    .toEqual([TIMES]);
  const { account, decisions } = await ledgerOf(purser.page, STUBBORN);
  expect(decisions.map(({ represented }) => represented)).toEqual([TIMES]);
  expect(account.settledMicros).toBe(0);
  await purser.go("/activity");
  await expect(purser.page.getByText(/stubborn keeps repeating a request/)).toHaveCount(1);
  await lines.close();
});
