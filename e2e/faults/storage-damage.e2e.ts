/** The files of the database damaged while the browser is down: whatever Chromium makes of them, Purser misses nothing. */
import { cp, mkdtemp, open, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "@playwright/test";
import { expect, test } from "../fixtures";
import type { Purser } from "../purser";
import { PROBE, prompt } from "../scripted";

test.setTimeout(180_000);

/** Everything there is to lose, row by row. */
function rowsOf(purser: Purser): Promise<Record<string, string>> {
  return purser.page.evaluate(
    () =>
      new Promise<Record<string, string>>((resolve, reject) => {
        const request = indexedDB.open("purser");
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const stores = ["servers", "contracts", "accounts", "decisions", "records", "grants"];
          const tx = request.result.transaction(stores);
          const rows: Record<string, string> = {};
          for (const store of stores) {
            tx.objectStore(store).getAll().onsuccess = (event) => {
              rows[store] = JSON.stringify((event.target as IDBRequest<unknown[]>).result);
            };
          }
          tx.oncomplete = () => {
            request.result.close();
            resolve(rows);
          };
        };
      }),
  );
}

/** Enough beside it that the database is more than its log. */
function fill(purser: Purser): Promise<void> {
  return purser.page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open("ballast", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("rows", { autoIncrement: true });
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const tx = request.result.transaction("rows", "readwrite");
          const part = new Uint8Array(50_000);
          for (let at = 0; at < 120; at += 1) {
            crypto.getRandomValues(part);
            tx.objectStore("rows").put(part);
          }
          tx.oncomplete = () => resolve();
          tx.onabort = () => reject(tx.error);
        };
      }),
  );
}

async function fileIn(folder: string, pattern: RegExp): Promise<string> {
  const name = (await readdir(folder)).filter((one) => pattern.test(one)).sort()[0];
  if (name === undefined) throw new Error(`no ${pattern} in ${folder}`);
  return join(folder, name);
}

/** @param where which part of the file, 0 to 1 */
async function flip(path: string, where: number): Promise<void> {
  const file = await open(path, "r+");
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(64);
    const at = Math.floor((size - bytes.length) * where);
    await file.read(bytes, 0, bytes.length, at);
    await file.write(
      bytes.map((byte) => byte ^ 0xff),
      0,
      bytes.length,
      at,
    );
  } finally {
    await file.close();
  }
}

async function cut(path: string, part: number): Promise<void> {
  const file = await open(path);
  const { size } = await file.stat();
  await file.close();
  await truncate(path, Math.floor(size * part));
}

const DAMAGES: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  "the log cut in half": async (folder) => cut(await fileIn(folder, /\.log$/), 0.5),
  "the log without its last fifth": async (folder) => cut(await fileIn(folder, /\.log$/), 0.8),
  "bytes flipped in the log": async (folder) => flip(await fileIn(folder, /\.log$/), 0.5),
  "bytes flipped in a table": async (folder) => flip(await fileIn(folder, /\.ldb$/), 0.01),
  "no CURRENT": async (folder) => rm(join(folder, "CURRENT")),
  "no MANIFEST": async (folder) => rm(await fileIn(folder, /^MANIFEST/)),
  "no folder": async (folder) => rm(folder, { recursive: true }),
};

/** What the page says of its storage. */
async function saidOn(purser: Purser): Promise<"lost" | "unavailable" | "nothing"> {
  if (await lossOn(purser).isVisible()) return "lost";
  return (await purser.page.getByText("Nothing can be stored, so no sampling is allowed.").isVisible())
    ? "unavailable"
    : "nothing";
}

function lossOn(purser: Purser): Locator {
  return purser.page.getByText(/^This browser lost (part of )?Purser's memory\./);
}

test("[F25] [D7] [K6-08] files of the database damaged on the disk", async ({ purser, scripted, browser_ }) => {
  await scripted.connect(purser, {});
  await fill(purser);
  for (const answer of ["deny", "allow_session"] as const) {
    const { run } = await scripted.ask(purser, prompt(answer));
    await purser.answerConsent(PROBE, answer);
    await run.waitEnded();
  }
  // The witness looks within two seconds of what it is to remember.
  await purser.page.waitForTimeout(3_000);
  const whole = await rowsOf(purser);
  const kept = await mkdtemp(join(tmpdir(), "purser-kept-"));
  await browser_.restart("kill", (profile) => carry(join(profile, "Default"), kept));

  async function damaged(damage: string): Promise<Purser> {
    await browser_.restart("kill", async (profile) => {
      await carry(kept, join(profile, "Default"));
      await DAMAGES[damage]?.(await fileIn(join(profile, "Default", "IndexedDB"), /\.leveldb$/));
    });
    return browser_.tab();
  }

  const outcomes: Record<string, string> = {};
  for (const damage of Object.keys(DAMAGES)) {
    const tab = await damaged(damage);
    const said = await saidOn(tab);
    outcomes[damage] = said;
    // What is no longer there must be missed.
    if (said === "nothing") expect(await rowsOf(tab), `after: ${damage}`).toEqual(whole);
  }
  expect(outcomes, "whatever else this browser makes of the others").toMatchObject({
    "the log cut in half": "lost",
    "the log without its last fifth": "lost",
    "no folder": "lost",
  });

  // All of it is gone: what comes after the person's word is a first visit.
  const empty = await browser_.tab();
  await empty.page.getByRole("button", { name: "I understand, start with an empty memory" }).click();
  await expect(lossOn(empty)).toBeHidden();
  await asksAgain(empty, () => scripted.connect(empty, {}));

  // Its end is gone, with the no and the yes: what is left counts, and the person is asked again.
  const shortened = await damaged("the log without its last fifth");
  await expect(shortened.page.getByText(`Missing: what ${PROBE} spent and was allowed last`)).toBeVisible();
  const off = await scripted.ask(shortened, prompt("allow_session"));
  expect((await off.frame).json).toHaveProperty("error");
  await off.run.waitEnded();
  await shortened.go("/activity");
  await expect(shortened.page.getByText(/^Stored data was lost: .* Missing: /)).toBeVisible();
  await shortened.page.getByRole("button", { name: "I understand, go on with what is left" }).click();
  await expect(lossOn(shortened)).toBeHidden();
  await asksAgain(shortened, () => shortened.waitForState(PROBE, "connected"));
  await rm(kept, { recursive: true });

  async function asksAgain(tab: Purser, prepare: () => Promise<void>): Promise<void> {
    await prepare();
    const { run, frame } = await scripted.ask(tab, prompt("allow_session"));
    await tab.answerConsent(PROBE, "deny");
    expect((await frame).text).toContain('"reason":"user.denied"');
    await run.waitEnded();
  }
});

/** The database and, apart from it, the witness. */
async function carry(from: string, to: string): Promise<void> {
  for (const part of ["IndexedDB", "Service Worker"]) {
    await rm(join(to, part), { recursive: true, force: true });
    await cp(join(from, part), join(to, part), { recursive: true });
  }
}
