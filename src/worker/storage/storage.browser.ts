/** The store in a real Chromium: the contract, then what only several tabs, deaths and full disks can show. */
import { expect, type Page } from "@playwright/test";
import { DENIED, ready, test } from "../../../e2e/store";
import { IDENTITY, NOW, SERVER } from "../../policy/cases/given";
import type { StoredDecision } from "../../policy/decision";
import { CONTRACT } from "./contract/cases";

test("the contract", async ({ profile }) => {
  test.setTimeout(180_000);
  const tab = await profile.open();
  for (const name of Object.keys(CONTRACT)) await test.step(name, () => tab.call("contract", name));
});

test("[F5] [K4-05] [A2] two tabs race 200 requests against money for 100: exactly 100 are admitted", async ({
  profile,
}) => {
  const [one, two] = [await profile.open(), await profile.open()];
  const capMicros = 100 * (await one.call("estimateMicros"));
  await ready(one, { budget: { window: "24h", capMicros } });
  await two.call("open");
  const counts = await Promise.all([one.call("race", "1", 100), two.call("race", "2", 100)]);
  expect(counts.map(({ admit = 0 }) => admit).reduce((a, b) => a + b)).toBe(100);
  expect(counts.map(({ refuse = 0 }) => refuse).reduce((a, b) => a + b)).toBe(100);
  expect((await one.call("call", "account", SERVER, NOW)).holds).toHaveLength(100);
});

test("[D1] an acknowledged refusal survives the browser being killed", async ({ profile }) => {
  const before = await ready(await profile.open());
  const refused = await before.call("admit", "ex-1", DENIED);
  await profile.browser.restart("kill");
  const after = await profile.open();
  expect(await after.call("open")).toMatchObject({ state: "ok" });
  const again = await after.call("admit", "ex-2");
  expect(again.kind).toBe("replay");
  expect(again.decision.refusal).toEqual(refused.refusal);
});

test("[A7] an edit in one tab has emptied the other's memory before it is acknowledged", async ({ profile }) => {
  const one = await ready(await profile.open());
  const two = await profile.open();
  await two.call("open");
  for (let round = 0; round < 10; round += 1) {
    await two.call("admit", `ex-${round}`, DENIED);
    expect(await two.call("replay", IDENTITY)).not.toBeNull();
    await one.call("allow", { maxOutputTokens: 700 + round });
    expect(await two.call("replay", IDENTITY)).toBeNull();
    expect((await two.call("admit", `again-${round}`)).kind).toBe("admit");
  }
});

test("[F27] [A7] a frozen tab holds up no edit, and answers nothing old when it wakes", async ({ profile }) => {
  const one = await ready(await profile.open());
  const two = await profile.open();
  await two.call("open");
  await two.call("admit", "ex-1", DENIED);
  expect(await two.call("replay", IDENTITY)).not.toBeNull();
  const devtools = await profile.browser.context.newCDPSession(two.page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await one.call("allow", { maxOutputTokens: 701 });
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  expect(await two.call("replay", IDENTITY)).toBeNull();
});

test("[A7] a tab that heard nothing for a while holds up no edit, and answers nothing old", async ({ profile }) => {
  const one = await ready(await profile.open());
  const two = await profile.open();
  await two.call("open");
  await two.call("admit", "ex-1", DENIED);
  const deaf = two.call("deafThenReplay", IDENTITY, 12_000);
  // Acknowledged while the other tab can still neither hear nor let go.
  await one.call("allow", { maxOutputTokens: 701 });
  await one.call("setNow", NOW);
  const first = await Promise.race([
    deaf.then(() => "the deaf tab"),
    one.call("estimateMicros").then(() => "the edit"),
  ]);
  expect(first).toBe("the edit");
  expect(await deaf).toBeNull();
});

test("[A4] replays answered in two tabs add up", async ({ profile }) => {
  const one = await ready(await profile.open());
  const two = await profile.open();
  await two.call("open");
  await one.call("admit", "ex-1", DENIED);
  await two.call("admit", "ex-2");
  for (let at = 0; at < 5; at += 1) {
    await one.call("replay", IDENTITY);
    await two.call("replay", IDENTITY);
  }
  const counted = async () => {
    const [decision]: StoredDecision[] = await one.call("call", "decisions", SERVER);
    return decision?.represented;
  };
  await expect.poll(counted).toBe(11);
  expect((await two.call("call", "record", "ex-1")).represented).toBe(11);
});

test("[F1] [M4] a tab that dies between admit and settle leaves its hold to the next one", async ({ profile }) => {
  const one = await ready(await profile.open());
  expect((await one.call("admit", "ex-1")).kind).toBe("admit");
  await one.kill();
  const two = await profile.open();
  await two.call("open");
  expect(await two.call("call", "recover", NOW + 1_000)).toHaveLength(0);
  expect(await two.call("call", "recover", NOW + 1_000_000)).toHaveLength(1);
  const account = await two.call("call", "account", SERVER, NOW);
  expect([account.holds.length, account.settledMicros]).toEqual([0, await two.call("estimateMicros")]);
  expect((await two.call("call", "record", "ex-1")).ending).toBe("lost");
});

test("[D4] a first visit is no loss", async ({ profile }) => {
  const tab = await profile.open();
  expect(await tab.call("open")).toMatchObject({ state: "ok", lost: null });
});

test("[D4] [F26] [K6-05] a full disk refuses, and what was stored still answers", async ({ profile }) => {
  const one = await profile.open();
  const devtools = await profile.browser.context.newCDPSession(one.page);
  // Counts only for a database that is opened after it.
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: profile.address, quotaSize: 5_000_000 });
  await ready(one);
  await one.call("admit", "ex-1", DENIED);
  await expect(one.call("admitLarge", "ex-2", 20_000_000)).rejects.toThrow("full");
  expect(await one.call("call", "record", "ex-2")).toBeUndefined();
  expect(await one.call("call", "health")).toMatchObject({ state: "unavailable" });
  expect((await one.call("admit", "ex-4")).kind).toBe("replay");
  expect((await one.call("admit", "ex-3", { identity: `${SERVER}:1` })).kind).toBe("admit");
  expect(await one.call("call", "health")).toMatchObject({ state: "ok" });
});

function openVersion(page: Page, version: number): Promise<void> {
  return page.evaluate(
    (wanted) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open("purser", wanted);
        request.onsuccess = () => resolve(request.result.close());
        request.onerror = () => reject(request.error);
      }),
    version,
  );
}

test("[F23] [D4] a database of a newer version is never touched", async ({ profile }) => {
  const one = await profile.open();
  await openVersion(one.page, 99);
  expect(await one.call("open")).toMatchObject({ state: "unavailable" });
  await expect(one.call("admit", "ex-1")).rejects.toThrow("newer_version");
});

test("[D4] a newer version that opens elsewhere closes this one and is told apart", async ({ profile }) => {
  const one = await ready(await profile.open());
  const other = await profile.browser.context.newPage();
  await other.goto(profile.address);
  await openVersion(other, 99);
  await expect.poll(() => one.call("call", "health")).toMatchObject({ state: "unavailable" });
  await expect(one.call("admit", "ex-1")).rejects.toThrow("newer_version");
  expect(await one.call("replay", IDENTITY)).toBeNull();
});

for (const name of ["InvalidStateError", "UnknownError"]) {
  test(`[D4] [F24] [K6-01] [K6-02] a lost connection (${name}) is opened anew once, and the request decided once`, async ({
    profile,
  }) => {
    const one = await ready(await profile.open());
    await one.call("loseConnection", name);
    expect((await one.call("admit", "ex-1")).kind).toBe("admit");
    expect((await one.call("call", "account", SERVER, NOW)).holds).toHaveLength(1);
  });
}

test("[F27] [D4] a transaction that a frozen tab keeps open is not waited for without end", async ({ profile }) => {
  const one = await ready(await profile.open());
  const two = await profile.open();
  await two.call("stall", "purser");
  await expect(one.call("admit", "ex-1")).rejects.toThrow("blocked");
  await two.page.close();
  await expect.poll(async () => (await one.call("admit", "ex-2")).kind, { timeout: 15_000 }).toBe("admit");
  expect((await one.call("call", "account", SERVER, NOW)).holds).toHaveLength(1);
});

test("[L2] a page of many records is read by an index, whatever the filter", async ({ profile }) => {
  const one = await ready(await profile.open());
  await one.call("fill", 10_000);
  for (const [filter, expected] of [
    [{ server: null, endings: [], model: null }, 50],
    [{ server: SERVER, endings: ["failed"], model: null }, 4],
    [{ server: null, endings: ["failed", "denied"], model: null }, 50],
    [{ server: "server-1", endings: [], model: "steady" }, 50],
  ] as const) {
    const { rows, ms } = await one.call("page", { ...filter, from: null, to: null });
    expect(rows).toBe(expected);
    test.info().annotations.push({ type: "page", description: `${ms} ms ${JSON.stringify(filter)}` });
  }
});

test("a single admit is lean", async ({ profile }) => {
  const one = await ready(await profile.open());
  const { median, p95 } = await one.call("latency", 300);
  test.info().annotations.push({ type: "admit", description: `median ${median} ms, p95 ${p95} ms` });
  expect(median).toBeGreaterThan(0);
});
