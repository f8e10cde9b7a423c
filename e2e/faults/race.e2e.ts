/** Tabs that race one account: whatever they interleave, no limit is passed and every request is answered once (A2, M6). */
import { writeFile } from "node:fs/promises";
import { expect, test } from "../fixtures";
import { policyText } from "../policy-text";
import type { Purser } from "../purser";
import type { Frame } from "../servers/probe";
import { ledgerOf, peaksOf, sumOf, watchAccount } from "./ledger";
import { type Line, type Lines, reasonOf, startLines } from "./lines";

test.describe.configure({ mode: "parallel" });

const SOAK = process.env.PURSER_SOAK === "1" ? 10 : 1;
const SERVER = "racer";
const CAP_MICROS = 800;
const MAX_CONCURRENT = 6;
const BURST = 150;
const PER_MINUTE = 60;
const IN_FLIGHT = 12;
/** Null stands for a result. */
const BINDING = [null, "policy.concurrency", "policy.budget_exhausted", "policy.rate_limit"];

const POLICY = policyText({
  [SERVER]: {
    budget: { window: "24h", usd: CAP_MICROS / 1e6 },
    max_concurrent: MAX_CONCURRENT,
    rate_limit: { requests_per_minute: PER_MINUTE, burst: BURST },
  },
});

/** Every request another one, so that no stored decision answers it. */
function request(n: number) {
  return { messages: [{ role: "user", content: { type: "text", text: `lap ${n}` } }], maxTokens: 20 };
}

/** So many tabs connected to one server, the person's yes given for the session. */
async function grid(purser: Purser, lines: Lines, tabs: number): Promise<readonly Line[]> {
  await purser.connectTo({ name: SERVER, url: lines.url });
  await purser.loadPolicyFile(POLICY);
  await purser.go("/");
  await purser.waitForState(SERVER, "connected");
  const grid = [lines.newest()];
  const first = grid[0]?.ask(request(0));
  await purser.answerConsent(SERVER, "allow_session");
  expect(await first).toHaveProperty("json.result");
  for (let tab = 1; tab < tabs; tab += 1) {
    await (await purser.secondTab()).waitForState(SERVER, "connected");
    grid.push(lines.newest());
  }
  return grid;
}

/** Sends `count` requests over these connections, always so many in flight on each. */
async function race(grid: readonly Line[], count: number): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  let next = 1;
  const drive = async (line: Line) => {
    while (next <= count) frames.push(await line.ask(request(next++)));
  };
  await Promise.all(grid.flatMap((line) => Array.from({ length: IN_FLIGHT }, () => drive(line))));
  return frames;
}

for (const tabs of [2, 4]) {
  test(`[F5] [M6] [A2] [W1] ${tabs} tabs race one account: money, slots and rate hold, each request answered once`, async ({
    purser,
  }, info) => {
    const lines = await startLines();
    const grid_ = await grid(purser, lines, tabs);
    const count = 700 * SOAK;
    await watchAccount(purser.page, SERVER);
    const startedAt = Date.now();
    const frames = await race(grid_, count);
    const tookMs = Date.now() - startedAt;
    const settled = async () => (await ledgerOf(purser.page, SERVER)).account.holds.length;
    await expect.poll(settled).toBe(0);
    const peaks = await peaksOf(purser.page);
    const { account, records, days } = await ledgerOf(purser.page, SERVER);

    const told = new Map<unknown, number>();
    for (const frame of frames) told.set(reasonOf(frame), (told.get(reasonOf(frame)) ?? 0) + 1);
    const figures = { tabs, requests: count, tookMs, capMicros: CAP_MICROS, ...peaks, told: Object.fromEntries(told) };
    await writeFile(info.outputPath("figures.json"), JSON.stringify({ ...figures, settled: account.settledMicros }));
    info.annotations.push({ type: "figures", description: JSON.stringify(figures) });

    expect([...lines.answers.values()].filter((given) => given.length !== 1)).toEqual([]);
    expect(peaks.looks).toBeGreaterThan(20);
    expect(Math.max(peaks.micros, account.settledMicros)).toBeLessThanOrEqual(CAP_MICROS);
    expect(peaks.slots).toBeLessThanOrEqual(MAX_CONCURRENT);
    expect(peaks.tokens).toBeLessThanOrEqual(BURST);

    // What the server counted is what the records say and what the account was charged, to the last request.
    const ran = records.filter((record) => record.chargeBasis !== "none");
    expect(ran.length).toBe((told.get(null) ?? 0) + 1);
    expect(sumOf(records)).toBe(account.settledMicros);
    expect(days.chargedMicros).toBe(account.settledMicros);
    expect(account.settledCount).toBe(ran.length);
    expect(records.reduce((sum, record) => sum + record.count + record.represented, 0)).toBe(count + 1);
    expect(records.filter((record) => record.overrunMicros > 0)).toEqual([]);
    // A token is taken by whatever got past the first two limits.
    const minutes = (Date.now() - startedAt) / 60_000;
    const taken = count - (told.get("policy.rate_limit") ?? 0) - (told.get("policy.concurrency") ?? 0);
    expect(taken).toBeLessThanOrEqual(BURST + Math.ceil(PER_MINUTE * minutes));
    // A limit that never bound was not tried.
    expect([...told.keys()]).toEqual(expect.arrayContaining(BINDING));
    await lines.close();
  });
}
