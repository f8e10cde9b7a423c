/**
 * The computer's clock, set by a test: Playwright's own does not reach workers. Every page and worker of the browser
 * shows the same time, also those that start later. Timers run on as they do when a clock is set; to sleep, set the
 * clock and let nothing run meanwhile.
 */
import type { Browser } from "./browser";
import { test as base, expect } from "./fixtures";
import { type PatchedSite, startPatched } from "./patched";

export interface Clock {
  /** What the browser's clock says now, epoch ms. */
  now(): number;
  /** Sets it so many ms forward, or back where negative. Resolves once every page and worker has it. */
  step(byMs: number): Promise<void>;
  /** Sets it to an instant, epoch ms. */
  set(at: number): Promise<void>;
}

const FILE = "test-clock.txt";
const KEY = "test:clock";

/** A script that starts learns the time before its first own line, so that none of it sees another. */
const SHIFTED_DATE = `{
  const asked = new XMLHttpRequest();
  asked.open("GET", "/${FILE}", false);
  asked.send();
  const clock = { offsetMs: Number(asked.responseText) };
  globalThis[Symbol.for("${KEY}")] = clock;
  const Real = Date;
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + clock.offsetMs);
      else super(...given);
    }
    static now() {
      return Real.now() + clock.offsetMs;
    }
  };
}
`;

export const test = base.extend<{ site: PatchedSite; clock: Clock }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs.
  site: async ({}, use) => {
    const site = await startPatched({ worker: SHIFTED_DATE, page: SHIFTED_DATE });
    await site.put(FILE, "0");
    await use(site);
    await site.close();
  },
  address: ({ site }, use) => use(site.address),
  clock: ({ site, browser_ }, use) => use(createClock(site, browser_)),
});

export { expect };

function createClock(site: PatchedSite, browser: Browser): Clock {
  let offsetMs = 0;
  async function shift(toMs: number): Promise<void> {
    offsetMs = toMs;
    await site.put(FILE, String(offsetMs));
    const pages = browser.context.pages();
    const workers = pages.flatMap((page) => page.workers());
    const given = [KEY, offsetMs] as const;
    await Promise.all([
      ...pages.map((page) => page.evaluate(apply, given)),
      ...workers.map((worker) => worker.evaluate(apply, given)),
    ]);
  }
  return {
    now: () => Date.now() + offsetMs,
    step: (byMs) => shift(offsetMs + byMs),
    set: (at) => shift(at - Date.now()),
  };
}

/** A page of another address has no such clock. */
function apply([key, offsetMs]: readonly [string, number]): void {
  const clock = (globalThis as unknown as Record<symbol, { offsetMs: number } | undefined>)[Symbol.for(key)];
  if (clock !== undefined) clock.offsetMs = offsetMs;
}
