/** SPEC D4: a browser that refuses storage still gets a page: it says so, runs tools, and lets nobody sample. */
import { test as base, expect } from "./fixtures";
import { startPatched } from "./patched";
import { PROBE, prompt } from "./scripted";

/** Before the worker's own code: databases are refused, as where site data is blocked, until a word on the channel. */
const REFUSING = `{
  const { open } = IDBFactory.prototype;
  const channel = new BroadcastChannel("test:storage");
  let refused = true;
  channel.onmessage = () => { refused = false; };
  IDBFactory.prototype.open = function (...given) {
    if (refused) throw new DOMException("Access is denied for this document.", "SecurityError");
    return open.apply(this, given);
  };
}
`;

const test = base.extend<{ address: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs.
  address: async ({}, use) => {
    const site = await startPatched({ worker: REFUSING });
    await use(site.address);
    await site.close();
  },
});

test("[D4] storage refused at the start: the page says so, tools run, sampling is refused, and it heals", async ({
  purser,
  scripted,
}) => {
  const banner = purser.page.getByText("Nothing can be stored, so no sampling is allowed.");
  await expect(banner).toBeVisible();
  await purser.connectTo({ name: PROBE, url: scripted.http.url });
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  expect((await frame).text).toContain('"reason":"storage.unavailable"');
  await run.waitEnded(/done/);

  await purser.page.evaluate(() => new BroadcastChannel("test:storage").postMessage("works again"));
  // Found by the look for dead tabs' holds, every 15 s.
  await expect(banner).toBeHidden({ timeout: 30_000 });
  // The server that only this tab knew is stored by now, and may be enabled.
  await purser.editPolicy(PROBE, { "Allow sampling": true, "Models (allowlist)": "local-extractive-1" });
  const stored = await purser.page.evaluate(
    () =>
      new Promise<unknown[]>((resolve, reject) => {
        const request = indexedDB.open("purser");
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const all = request.result.transaction("servers").objectStore("servers").getAllKeys();
          all.onsuccess = () => resolve(all.result);
        };
      }),
  );
  expect(stored).toEqual([PROBE]);
});
