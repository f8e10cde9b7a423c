/** The store in a real Chromium: the contract, then what only several tabs, deaths and full disks can show. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test as base, expect, type JSHandle, type Page } from "@playwright/test";
import { build } from "vite";
import { Browser } from "../../../e2e/browser";
import { IDENTITY, NOW, SERVER } from "../../policy/cases/given";
import type { StoredDecision } from "../../policy/decision";
import { CONTRACT } from "./contract/cases";
import type { TabCommands } from "./contract/tab";

type Command = keyof TabCommands;
interface Line {
  call(command: Command, args: readonly unknown[]): Promise<unknown>;
  end(): void;
}

/** One worker with one store, as a tab of Purser has it. */
interface Tab {
  readonly page: Page;
  // biome-ignore lint/suspicious/noExplicitAny: what a command answers is known where it is called
  call(command: Command, ...args: readonly unknown[]): Promise<any>;
  /** Dies without a word, as a closed or crashed tab does. */
  kill(): Promise<void>;
}

async function serve(): Promise<{ readonly server: Server; readonly address: string }> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: import.meta.dirname,
    build: { write: false, minify: false, rolldownOptions: { input: "contract/tab.ts" } },
  });
  if (!("output" in built)) throw new Error("the bundle has one output");
  const { code } = built.output[0];
  const server = createServer((request, response) => {
    const isTab = request.url === "/tab.js";
    response.setHeader("content-type", isTab ? "text/javascript" : "text/html");
    response.end(isTab ? code : "<!doctype html><title>Storage</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function startWorker(): Line {
  const worker = new Worker("/tab.js", { type: "module" });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  worker.onmessage = ({ data }) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.ok) one?.resolve(data.value);
    else one?.reject(new Error(`${data.problem}: ${data.message}`));
  };
  worker.onerror = (event) => {
    for (const one of waiting.values()) one.reject(new Error(event.message));
  };
  let last = 0;
  return {
    call(command, args) {
      last += 1;
      const id = last;
      worker.postMessage({ id, command, args });
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    end: () => worker.terminate(),
  };
}

async function tabIn(page: Page): Promise<Tab> {
  const line: JSHandle<Line> = await page.evaluateHandle(startWorker);
  return {
    page,
    call: (command, ...args) => line.evaluate((one, [name, given]) => one.call(name, given), [command, args] as const),
    kill: () => line.evaluate((one) => one.end()),
  };
}

interface Profile {
  readonly browser: Browser;
  readonly address: string;
  /** A page of its own with a tab in it. */
  open(): Promise<Tab>;
}

const test = base.extend<{ profile: Profile }, { address: string }>({
  address: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const { server, address } = await serve();
      await use(address);
      server.close();
    },
    { scope: "worker" },
  ],
  profile: async ({ address }, use) => {
    const browser = await Browser.start(address);
    await use({
      browser,
      address,
      async open() {
        const page = await browser.context.newPage();
        await page.goto(address);
        return tabIn(page);
      },
    });
    await browser.close();
  },
});

/** Starts a store and lets sampling be asked for. */
async function ready(tab: Tab, over: object = {}): Promise<Tab> {
  await tab.call("open");
  await tab.call("allow", over);
  return tab;
}

const DAY_MS = 86_400_000;
const isStorage = (event: { kind: string }) => event.kind === "storage";
const DENIED = { consent: { answer: "deny", by: "Robin" } };

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

function deleteDatabase(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase("purser");
        request.onsuccess = () => resolve();
        request.onerror = () => reject(request.error);
      }),
  );
}

test("[D7] a database that comes back empty allows nothing until the person confirms", async ({ profile }) => {
  const one = await ready(await profile.open());
  const { page } = one;
  await one.kill();
  await deleteDatabase(page);
  const two = await tabIn(page);
  expect(await two.call("open")).toMatchObject({ state: "amnesia" });
  // Not one of the servers it knew, and not one allowed since.
  await two.call("allow");
  expect((await two.call("call", "policy", SERVER)).policy.allowSampling).toBe(false);
  await expect(two.call("admit", "ex-1")).rejects.toThrow("lost");
  const [event] = (await two.call("call", "events", null, 50)).filter(isStorage);
  expect(event.text).toContain("Stored data was lost");
  // Another tab, and another start, know it too.
  const three = await profile.open();
  expect(await three.call("open")).toMatchObject({ state: "amnesia" });
  await two.call("call", "confirmLoss", "Robin", NOW);
  // Who was allowed to spend is asked for anew.
  expect((await two.call("admit", "ex-1")).kind).toBe("ask");
  await expect.poll(() => three.call("call", "health")).toMatchObject({ state: "ok", lost: null });
  expect((await three.call("admit", "ex-2")).kind).not.toBe("refuse");
});

test("[D7] a database that held no more than a server's address is missed too", async ({ profile }) => {
  const one = await profile.open();
  await one.call("open");
  const row = { name: SERVER, url: "http://127.0.0.1:1/mcp", headers: {}, autoConnect: false, addedAt: NOW, era: null };
  await one.call("call", "putServer", row);
  const { page } = one;
  await one.kill();
  await deleteDatabase(page);
  const two = await tabIn(page);
  expect(await two.call("open")).toMatchObject({ state: "amnesia", lost: { servers: [SERVER] } });
});

test("[D7] a database that is deleted under an open tab is a loss, not a first visit", async ({ profile }) => {
  const one = await ready(await profile.open());
  await deleteDatabase(one.page);
  await expect(one.call("admit", "ex-1")).rejects.toThrow("lost");
  expect(await one.call("call", "health")).toMatchObject({ state: "amnesia" });
});

test("[D7] [F25] a database that lost its tail is a loss", async ({ profile }) => {
  const one = await ready(await profile.open());
  await one.kill();
  await one.page.evaluate(
    (server) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open("purser");
        request.onsuccess = () => {
          const tx = request.result.transaction("revisions", "readwrite");
          tx.objectStore("revisions").delete([server, 1]);
          tx.oncomplete = () => resolve();
          tx.onerror = () => reject(tx.error);
        };
      }),
    SERVER,
  );
  const two = await profile.open();
  expect(await two.call("open")).toMatchObject({ state: "amnesia" });
});

for (const [what, store, deleted] of [
  ["the last that was held", "accounts", SERVER],
  ["the last line of the log", "events", null],
] as const) {
  test(`[D7] [F25] a database that lost ${what} is a loss, and the log says what is missing`, async ({ profile }) => {
    const one = await ready(await profile.open());
    expect((await one.call("admit", "ex-1")).kind).toBe("admit");
    // The witness looks again within two seconds.
    await one.call("wait", 3_000);
    await one.kill();
    await one.page.evaluate(
      ([from, key]) =>
        new Promise<void>((resolve, reject) => {
          const request = indexedDB.open("purser");
          request.onsuccess = () => {
            const tx = request.result.transaction(from, "readwrite");
            if (key === null) tx.objectStore(from).clear();
            else tx.objectStore(from).delete(key);
            tx.oncomplete = () => resolve();
            tx.onerror = () => reject(tx.error);
          };
        }),
      [store, deleted] as const,
    );
    const two = await profile.open();
    expect(await two.call("open")).toMatchObject({ state: "amnesia" });
    const [event] = (await two.call("call", "events", null, 50)).filter(isStorage);
    expect(event.text).toContain(store === "events" ? "the newest lines of the log" : `what ${SERVER} spent`);
  });
}

test("[D7] a server that was removed is no loss, nor is one that came back under its name", async ({ profile }) => {
  const one = await ready(await profile.open());
  await one.call("admit", "ex-1");
  const row = { name: SERVER, url: "http://127.0.0.1:1/mcp", headers: {}, autoConnect: false, addedAt: NOW, era: null };
  await one.call("call", "putServer", row);
  await one.call("call", "removeServer", SERVER, "Robin", NOW);
  await one.kill();
  const two = await profile.open();
  expect(await two.call("open")).toMatchObject({ state: "ok" });
  await two.call("setNow", NOW - 86_400_000);
  await two.call("allow");
  await two.call("admit", "ex-2");
  await two.kill();
  expect(await (await profile.open()).call("open")).toMatchObject({ state: "ok" });
});

test("[D7] [K6-08] a deleted witness is written again before it is needed", async ({ profile }) => {
  const one = await ready(await profile.open());
  await one.kill();
  await one.page.evaluate(() => caches.delete("purser:witness"));
  const two = await profile.open();
  expect(await two.call("open")).toMatchObject({ state: "ok" });
  await two.kill();
  await deleteDatabase(two.page);
  expect(await (await profile.open()).call("open")).toMatchObject({ state: "amnesia", lost: { servers: [SERVER] } });
});

test("[D7] [L4] keeping records longer again misses none that went while they were kept shorter", async ({
  profile,
}) => {
  const one = await profile.open();
  await one.call("setNow", NOW + 10 * DAY_MS);
  await one.call("open");
  await one.call("writeOld", "old", NOW);
  // The witness looks at the database with every policy that is saved.
  await one.call("allow");
  await one.call("call", "putSetting", "recordDays", 5);
  await one.kill();
  const two = await profile.open();
  await two.call("setNow", NOW + 10 * DAY_MS);
  expect(await two.call("open")).toMatchObject({ state: "ok" });
  await expect.poll(() => two.call("call", "record", "old")).toBeUndefined();
  await two.call("call", "putSetting", "recordDays", 90);
  await two.kill();
  const three = await profile.open();
  await three.call("setNow", NOW + 10 * DAY_MS);
  expect(await three.call("open")).toMatchObject({ state: "ok" });
});

test("[F29] [L4] a clock that was a year ahead for a while has cost no record", async ({ profile }) => {
  const one = await profile.open();
  await one.call("open");
  await one.call("writeOld", "old", NOW);
  await expect.poll(() => one.call("call", "setting", "recordsAgedAt")).toBe(NOW);
  await one.kill();
  const two = await profile.open();
  await two.call("setNow", NOW + 365 * DAY_MS);
  await two.call("open");
  await expect.poll(() => two.call("call", "setting", "recordsAgedAt")).toBe(NOW + DAY_MS);
  expect(await two.call("call", "record", "old")).toMatchObject({ id: "old" });
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

test("[D7] [F24] site data cleared under an open tab is a loss", async ({ profile }) => {
  const one = await ready(await profile.open());
  const devtools = await profile.browser.context.newCDPSession(one.page);
  await devtools.send("Storage.clearDataForOrigin", { origin: profile.address, storageTypes: "all" });
  await expect(one.call("admit", "ex-1")).rejects.toThrow("lost");
  expect((await one.call("call", "health")).lost.servers).toEqual([SERVER]);
});

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
