/** Repeats a refresh when told to, never twice at once, and ever more slowly where being told does not stop (K8-03). */

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 60_000;
/** After this much quiet the next refresh is quick again. */
const QUIET_MS = 30_000;
/** From this delay on the storm is worth a word. */
const STORM_DELAY_MS = 5_000;

export interface Refresher {
  request(): void;
  stop(): void;
}

export function createRefresher(refresh: () => Promise<void>, now: () => number, onStorm: () => void): Refresher {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let again = false;
  let stopped = false;
  let delayMs = FIRST_DELAY_MS;
  let lastAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    timer = undefined;
    running = true;
    await refresh().catch(() => undefined);
    running = false;
    lastAt = now();
    if (again) arm();
  }

  function arm(): void {
    again = false;
    if (stopped) return;
    const wasQuiet = now() - lastAt > Math.max(QUIET_MS, 2 * delayMs);
    delayMs = wasQuiet ? FIRST_DELAY_MS : Math.min(delayMs * 2, MAX_DELAY_MS);
    if (delayMs >= STORM_DELAY_MS) onStorm();
    timer = setTimeout(() => void run(), delayMs);
  }

  return {
    request() {
      // The last change is never lost: what comes during a refresh asks for one more.
      if (running) again = true;
      else if (timer === undefined) arm();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
