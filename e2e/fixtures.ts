/** What every browser test gets: the built app on a port of its own, a browser with a fresh profile, one open tab. */
import { fileURLToPath } from "node:url";
import { test as base, expect } from "@playwright/test";
import { startDemo } from "../demo/start";
import { startSite } from "../scripts/serve";
import { Browser, type Complaint } from "./browser";
import type { Purser } from "./purser";
import { type Scripted, startScripted } from "./scripted";
import { type ModelApi, startModelApi } from "./servers/model-api";

interface Fixtures {
  readonly address: string;
  readonly browser_: Browser;
  readonly purser: Purser;
  /** Console errors a test expects; everything else fails it. */
  readonly expectComplaints: (pattern: RegExp) => void;
  /** A server that does what the test scripts, reachable and not yet added. */
  readonly scripted: Scripted;
  /** The stand-in for paid model APIs. */
  readonly modelApi: ModelApi;
  /** Chromium flags of this test. */
  readonly flags: readonly string[];
  /** Serve the demo servers and `demo.json` with the app. */
  readonly withDemo: boolean;
}

const dist = process.env.PURSER_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));

/** A server that is down, or answers an error status, is reported by the browser itself: that is no fault of ours. */
const NETWORK = /Failed to load resource|net::ERR_|WebSocket connection to/;

export const test = base.extend<Fixtures>({
  flags: [[], { option: true }],
  withDemo: [false, { option: true }],
  address: async ({ withDemo }, use) => {
    const demo = withDemo ? await startDemo() : null;
    const site = await startSite({ folder: dist, port: 0, ...(demo === null ? {} : { demo: demo.info }) });
    await use(site.url.replace(/\/$/, ""));
    await Promise.all([site.close(), demo?.close()]);
  },
  browser_: async ({ address, flags }, use, testInfo) => {
    const browser = await Browser.start(address, flags);
    await use(browser);
    if (testInfo.status !== testInfo.expectedStatus) {
      for (const [at, page] of browser.context.pages().entries()) {
        const body = await page.screenshot().catch(() => null);
        if (body !== null) await testInfo.attach(`tab ${at}`, { body, contentType: "image/png" });
      }
    }
    await browser.close();
  },
  expectComplaints: async ({ browser_ }, use) => {
    const allowed: RegExp[] = [NETWORK];
    await use((pattern) => void allowed.push(pattern));
    const left = browser_.complaints.filter((one: Complaint) => !allowed.some((pattern) => pattern.test(one.text)));
    expect(left, "unexpected errors on the page").toEqual([]);
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs.
  scripted: async ({}, use) => {
    const scripted = await startScripted();
    await use(scripted);
    await scripted.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  modelApi: async ({}, use) => {
    const api = await startModelApi();
    await use(api);
    await api.close();
  },
  purser: async ({ browser_, expectComplaints: _ }, use) => {
    await use(await browser_.tab());
  },
});

export { expect };
