/** What is left of a store in a real Chromium, and what is made of it: losses, ages, a deleted witness (D7). */
import { expect } from "@playwright/test";
import { DAY_MS, deleteDatabase, isStorage, ready, tabIn, test } from "../../../e2e/store";
import { NOW, SERVER } from "../../policy/cases/given";

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

test("[D7] [F24] site data cleared under an open tab is a loss", async ({ profile }) => {
  const one = await ready(await profile.open());
  const devtools = await profile.browser.context.newCDPSession(one.page);
  await devtools.send("Storage.clearDataForOrigin", { origin: profile.address, storageTypes: "all" });
  await expect(one.call("admit", "ex-1")).rejects.toThrow("lost");
  expect((await one.call("call", "health")).lost.servers).toEqual([SERVER]);
});
