/**
 * A busy server through one account, on a store that is full already: 4,020 requests in an hour and 57,000 in a day of
 * the tab's clock under `npm run soak`, a short stretch of it elsewhere. What is asserted is what must hold on any
 * machine; times are asserted in the long form only and printed in both.
 */
import { type Clock, expect, test } from "../clock";
import { policyText } from "../policy-text";
import type { Purser } from "../purser";
import { type Flooder, startFlooder } from "../servers/flood";
import { fillRecords } from "./fill";
import { type Load, lookAt, scrollLog, stopScrolling, watchTasks } from "./watch";
import { workerSession } from "./worker-session";

const SOAK = process.env.PURSER_SOAK !== undefined;
const RECORDS = SOAK ? 100_000 : 20_000;
const MINUTE_MS = 60_000;
/** 4,020 in an hour are 67 a minute; 57,000 in a day are 198 in five. */
const HOUR = { steps: SOAK ? 60 : 4, stepMs: MINUTE_MS, each: 67 };
const DAY = { steps: SOAK ? 288 : 2, stepMs: 5 * MINUTE_MS, each: 198 };
const RATE = { requests_per_minute: 60, burst: 150 };
const BUDGET_USD = SOAK ? 60 : 1;
const SERVER = "busy";

test("[F20] [M6] [L2] thousands of requests on a full store: fluid, bounded, and counted to the last", async ({
  purser,
  clock,
}, testInfo) => {
  test.setTimeout(SOAK ? 3_600_000 : 180_000);
  const { page } = purser;
  const flooder = await startFlooder();
  await clock.set(Date.UTC(2031, 4, 6, 0, 1));
  await begin(purser, flooder);
  await fillRecords(page, SERVER, RECORDS, clock.now() - 86_400_000);
  await purser.log();
  const worker = await workerSession(page);
  await scrollLog(page);
  const before = { ...(await lookAt(page)), workerHeapBytes: await worker.heapBytes() };
  const watched = await watchTasks(page);
  const hour = await stretch(clock, flooder, HOUR);
  const tasks = await watched();
  const day = await stretch(clock, flooder, DAY);
  await stopScrolling(page);
  const queries = await browse(purser);
  const after = { ...(await lookAt(page)), workerHeapBytes: await worker.heapBytes() };
  const { sent, answered, told } = await flooder.count();
  flooder.close();

  const figures = { records: RECORDS, hour, day, told, tasks, queries };
  const text = JSON.stringify({ ...figures, before: inMb(before), after: inMb(after) });
  process.stdout.write(`${text}\n`);
  await testInfo.attach("load", { body: text, contentType: "application/json" });

  // One more was asked to have the person's yes.
  expect(answered, "each request has one response").toBe(sent);
  const minutes = (HOUR.steps * HOUR.stepMs + DAY.steps * DAY.stepMs) / MINUTE_MS;
  expect(told.result ?? 0, "never more than the rate lets through").toBeLessThanOrEqual(
    RATE.burst + RATE.requests_per_minute * (minutes + 1),
  );
  expect(told.result ?? 0, "most were admitted").toBeGreaterThan(sent * 0.5);
  await expect
    .poll(() => sums(purser), { message: "the sums by day say what the server was told" })
    .toEqual({
      completed: RECORDS + (told.result ?? 0),
      throttled: sent - (told.result ?? 0),
    });
  const { chargedMicros, settledMicros, heldMicros } = await money(purser);
  expect(settledMicros, "the account says what the records do").toBe(chargedMicros);
  expect(settledMicros + heldMicros).toBeLessThanOrEqual(BUDGET_USD * 1_000_000);
  expect(after.nodes, "nodes on the page").toBeLessThan(before.nodes + 3_000);
  expect(after.workerHeapBytes - before.workerHeapBytes, "the worker's heap").toBeLessThan(48 * 1024 * 1024);
  if (SOAK) expect(tasks.over50, "tasks over 50 ms on the main thread").toBe(0);
});

/** Connected, and the one question answered; its request is the first that is counted. */
async function begin(purser: Purser, flooder: Flooder): Promise<void> {
  await purser.connectTo({ name: SERVER, url: flooder.url });
  // The day goes past midnight, and a yes ends with its window (K1).
  const budget = { window: "7d", usd: BUDGET_USD };
  await purser.loadPolicyFile(policyText({ [SERVER]: { rate_limit: RATE, budget, max_concurrent: 64 } }));
  await purser.go("/");
  await purser.waitForState(SERVER, "connected");
  await flooder.flood("varied", 1000, 1);
  await purser.answerConsent(SERVER, "allow_session");
  await answeredAll(flooder);
}

interface Stretch {
  readonly steps: number;
  readonly stepMs: number;
  readonly each: number;
}

async function stretch(clock: Clock, flooder: Flooder, { steps, stepMs, each }: Stretch): Promise<object> {
  const start = await flooder.count();
  for (let step = 0; step < steps; step += 1) {
    await clock.step(stepMs);
    await flooder.flood("varied", 1_000, each);
    await answeredAll(flooder);
  }
  const end = await flooder.count();
  const admitted = (end.told.result ?? 0) - (start.told.result ?? 0);
  return { requests: end.sent - start.sent, admitted, refused: end.sent - start.sent - admitted };
}

async function answeredAll(flooder: Flooder): Promise<void> {
  let [before, unchanged] = [-1, 0];
  for (;;) {
    const { sent, answered, closed } = await flooder.count();
    // The count begins with what the timer has sent; a first look may come before it.
    if (answered === sent && answered === before) return;
    unchanged = answered === before ? unchanged + 1 : 0;
    if (unchanged > 1_000) throw new Error(`${sent - answered} requests are not answered; closed: ${closed.join()}`);
    before = answered;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Queries a person makes: by ending, by server, and back; ms until the rows stand. */
async function browse(purser: Purser): Promise<readonly number[]> {
  const took: number[] = [];
  for (const filter of [{ ending: "throttled" }, { ending: "completed" }, { server: SERVER }]) {
    const startedAt = performance.now();
    const rows = await purser.log(filter);
    await expect(rows.first()).toBeVisible();
    took.push(Math.round(performance.now() - startedAt));
  }
  return took;
}

function inMb(load: Load & { readonly workerHeapBytes: number }): object {
  const mb = (bytes: number) => Math.round(bytes / 104_857.6) / 10;
  return { nodes: load.nodes, pageHeapMb: mb(load.pageHeapBytes), workerHeapMb: mb(load.workerHeapBytes) };
}

async function sums(purser: Purser): Promise<Record<string, number>> {
  const rows = await readAll<{ ending: string; count: number }>(purser, "days");
  const byEnding: Record<string, number> = {};
  for (const { ending, count } of rows) byEnding[ending] = (byEnding[ending] ?? 0) + count;
  return byEnding;
}

/** What this window's records were charged, beside what the account says of it. */
async function money(purser: Purser) {
  const days = await readAll<{ day: string; chargedMicros: number }>(purser, "days");
  const chargedMicros = days.filter(({ day }) => day >= "2031-05-06").reduce((sum, day) => sum + day.chargedMicros, 0);
  type Kept = { server: string; settledMicros: number; holds: { amountMicros: number }[] };
  const account = (await readAll<Kept>(purser, "accounts")).find(({ server }) => server === SERVER);
  const heldMicros = account?.holds.reduce((sum, hold) => sum + hold.amountMicros, 0) ?? 0;
  return { chargedMicros, settledMicros: account?.settledMicros ?? 0, heldMicros };
}

function readAll<T>({ page }: Purser, store: string): Promise<T[]> {
  return page.evaluate(
    (name) =>
      new Promise<unknown[]>((resolve, reject) => {
        const opening = indexedDB.open("purser");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const asked = opening.result.transaction(name).objectStore(name).getAll();
          asked.onerror = () => reject(asked.error);
          asked.onsuccess = () => {
            opening.result.close();
            resolve(asked.result);
          };
        };
      }),
    store,
  ) as Promise<T[]>;
}
