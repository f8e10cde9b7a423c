/** The browser's storage full, held by an old tab, newer than the code, cleared, or not to last: never a call unrecorded. */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures";
import { startPatched } from "../patched";
import { policyText } from "../policy-text";
import { Purser } from "../purser";
import { PROBE, prompt, type Scripted } from "../scripted";

const UNAVAILABLE = "Nothing can be stored, so no sampling is allowed.";

/** One request; the text of its frame. */
async function asked(purser: Purser, scripted: Scripted, text: string): Promise<string> {
  const { run, frame } = await scripted.ask(purser, prompt(text));
  const told = (await frame).text;
  await run.waitEnded();
  return told;
}

async function denied(purser: Purser, scripted: Scripted, text: string): Promise<void> {
  const { run } = await scripted.ask(purser, prompt(text));
  await purser.answerConsent(PROBE, "deny");
  await run.waitEnded();
}

async function allowed(purser: Purser, scripted: Scripted, text: string): Promise<void> {
  const { run, frame } = await scripted.ask(purser, prompt(text));
  await purser.answerConsent(PROBE, "allow_session");
  expect((await frame).json).toHaveProperty("result");
  await run.waitEnded(/done/);
}

/** What lets the server sample reconnects it (P1): waits until that is over. */
async function enabling(purser: Purser, scripted: Scripted, act: () => Promise<void>): Promise<void> {
  const before = scripted.probe.initializations;
  await act();
  await expect.poll(() => scripted.probe.initializations).toBeGreaterThan(before);
  await purser.waitForState(PROBE, "connected");
}

/** Puts rows into a database beside Purser's until the browser takes no more. */
function fillUp(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open("ballast", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("rows", { autoIncrement: true });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const put = (bytes: number) =>
      new Promise<boolean>((resolve) => {
        const part = new Uint8Array(bytes);
        for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(part.subarray(at, at + 65_536));
        const tx = db.transaction("rows", "readwrite");
        tx.objectStore("rows").put(part);
        tx.oncomplete = () => resolve(true);
        tx.onabort = () => resolve(false);
      });
    for (const bytes of [1_000_000, 100_000, 10_000, 1_000]) while (await put(bytes));
    db.close();
  });
}

function deleteDatabase(page: Page, name: string): Promise<void> {
  return page.evaluate(
    (one) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase(one);
        request.onsuccess = () => resolve();
        request.onerror = () => reject(request.error);
      }),
    name,
  );
}

test("[F26] [D4] [K6-05] storage that is full while it runs: no call, refusals still answered, on with the first room", async ({
  browser_,
  address,
  scripted,
  expectComplaints: _,
}) => {
  const purser = await browser_.tab(null);
  const devtools = await browser_.context.newCDPSession(purser.page);
  // Counts only for a database that is opened after it.
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: address, quotaSize: 8_000_000 });
  await purser.open();
  await scripted.connect(purser, {});
  await denied(purser, scripted, "refused before");
  await allowed(purser, scripted, "allowed before");
  await fillUp(purser.page);

  expect(await asked(purser, scripted, "while full")).toContain('"reason":"storage.unavailable"');
  const banner = purser.page.getByText(UNAVAILABLE);
  await expect(banner).toBeVisible();
  await expect(purser.page.getByText(/the share of it this browser gives to Purser, is full/)).toBeVisible();
  expect(await asked(purser, scripted, "refused before")).toContain('"reason":"user.denied"');
  // Full from the start is no other case.
  await purser.reload();
  await purser.waitForState(PROBE, "connected");
  expect(await asked(purser, scripted, "refused before")).toContain('"reason":"user.denied"');
  expect(await asked(purser, scripted, "full from the start")).toContain('"reason":"storage.unavailable"');

  await deleteDatabase(purser.page, "ballast");
  expect(await asked(purser, scripted, "room again")).toContain('"result"');
  await expect(banner).toBeHidden();
});

/** A build so many versions newer than this one; which, is asked when it starts. */
const VERSIONED = `{
  const asked = new XMLHttpRequest();
  asked.open("GET", "/test-version.txt", false);
  asked.send();
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (name, version) {
    return open.call(this, name, version + Number(asked.responseText));
  };
}
`;

const versioned = test.extend<{ site: Awaited<ReturnType<typeof startPatched>>; address: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs.
  site: async ({}, use) => {
    const site = await startPatched({ worker: VERSIONED });
    await site.put("test-version.txt", "0");
    await use(site);
    await site.close();
  },
  address: ({ site }, use) => use(site.address),
});

versioned(
  "[F22] [F23] [K6-02] [K6-03] [D4] an upgrade that an old tab blocks, and a database newer than the code",
  async ({ purser, scripted, site, browser_ }) => {
    await scripted.connect(purser, {});
    const old = await browser_.context.newPage();
    await old.goto(`${site.address}/no-such-page`);
    await old.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const request = indexedDB.open("purser");
          request.onerror = () => reject(request.error);
          // Hears nothing, closes nothing.
          request.onsuccess = () => resolve();
        }),
    );

    await site.put("test-version.txt", "1");
    const newer = await browser_.tab();
    await expect(newer.page.getByText(/Another tab runs an older version of Purser; close or reload it/)).toBeVisible();
    await newer.connectTo({ name: PROBE, url: scripted.http.url });
    expect(await asked(newer, scripted, "while blocked")).toContain('"reason":"storage.unavailable"');
    // This build's own tab has let go, and says why it stands still.
    await expect(purser.page.getByText(/A newer version of Purser was opened in another tab; reload/)).toBeVisible();
    expect(await asked(purser, scripted, "superseded")).toContain('"reason":"storage.unavailable"');

    await enabling(newer, scripted, async () => {
      await old.close();
      // Found by the look for dead tabs' holds, every 15 s.
      await expect(newer.page.getByText(UNAVAILABLE)).toBeHidden({ timeout: 30_000 });
    });
    await allowed(newer, scripted, "upgraded");

    await site.put("test-version.txt", "0");
    await purser.page.reload();
    await purser.ready();
    await expect(purser.page.getByText(/A newer version of Purser has used this browser; reload/)).toBeVisible();
    await purser.connectTo({ name: PROBE, url: scripted.http.url });
    expect(await asked(purser, scripted, "older code")).toContain('"reason":"storage.unavailable"');
    await site.put("test-version.txt", "1");
    await purser.reload();
    await purser.waitForState(PROBE, "connected");
    expect(await asked(purser, scripted, "reloaded")).toContain('"result"');
  },
);

test("[F24] [D7] [K6-01] [K6-08] site data deleted under an open tab: the witness, the database, all of it", async ({
  purser,
  scripted,
  browser_,
  address,
}) => {
  await scripted.connect(purser, {});
  await denied(purser, scripted, "denied");
  await purser.page.evaluate(() => caches.delete("purser:witness"));
  expect(await asked(purser, scripted, "denied")).toContain('"reason":"user.denied"');

  const devtools = await browser_.context.newCDPSession(purser.page);
  const banner = purser.page.getByText("This browser lost Purser's memory.");
  for (const storageTypes of ["indexeddb", "all"]) {
    await devtools.send("Storage.clearDataForOrigin", { origin: address, storageTypes });
    expect(await asked(purser, scripted, "denied"), storageTypes).toContain('"reason":"storage.unavailable"');
    await expect(banner).toBeVisible();
    // Another start knows it too.
    const other = await browser_.tab();
    await expect(other.page.getByText("This browser lost Purser's memory.")).toBeVisible();
    await other.page.close();
    await purser.page.getByRole("button", { name: "I understand, start with an empty memory" }).click();
    await expect(banner).toBeHidden();
    await enabling(purser, scripted, () => purser.loadPolicyFile(policyText({ [PROBE]: {} })));
    await denied(purser, scripted, "denied");
  }
});

test("[F39] a private window says that nothing will last, is as strict, and leaves nothing", async ({
  browser_,
  address,
  scripted,
}) => {
  const context = await browser_.context.browser()?.newContext();
  if (context === undefined) throw new Error("no browser to open a private window in");
  const purser = await new Purser(await context.newPage(), address, browser_).open();
  await scripted.connect(purser, {});
  await denied(purser, scripted, "denied");
  await purser.reload();
  await purser.waitForState(PROBE, "connected");
  expect(await asked(purser, scripted, "denied")).toContain('"reason":"user.denied"');
  await purser.go("/settings");
  await expect(purser.page.getByText("Persistence: not granted")).toBeVisible();
  await context.close();
  const usual = await browser_.tab();
  await expect(usual.server(PROBE)).toHaveCount(0);
  await expect(usual.page.getByText("This browser lost Purser's memory.")).toBeHidden();
});
