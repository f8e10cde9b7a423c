/** How long a provider is left alone after it said "too much" (R7). Its own wish is often hidden from browsers. */
import { boundedWaitMs, LONGEST_WAIT_MS } from "./failure";

const FIRST_MS = 10_000;
/** A limit this long after the last quiet ended starts from the beginning. */
const FORGIVEN_AFTER_MS = 300_000;

export interface Backoff {
  /** Notes a 429 or 529 seen at `now`; answers until when the provider is left alone. */
  note(provider: string, retryAfterMs: number | null, now: number): number;
  /** Until when it is left alone; null where it may be called. */
  until(provider: string, now: number): number | null;
}

/** One that ends later than any may is of a clock that was set back since. */
function isLive(untilAt: number, now: number): boolean {
  return untilAt > now && untilAt <= now + LONGEST_WAIT_MS;
}

export function createBackoff(): Backoff {
  const quiet = new Map<string, { readonly times: number; readonly untilAt: number }>();
  return {
    note(provider, retryAfterMs, now) {
      const asked = boundedWaitMs(retryAfterMs) ?? 0;
      const last = quiet.get(provider);
      // Calls that were under way together meet the same limit: that is one limit, not several.
      const same = last !== undefined && isLive(last.untilAt, now);
      const recent = last !== undefined && now - last.untilAt < FORGIVEN_AFTER_MS;
      const times = same ? last.times : recent ? last.times + 1 : 1;
      const wait = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_MS * 2 ** (times - 1), asked));
      const untilAt = same ? Math.max(last.untilAt, now + asked) : now + wait;
      quiet.set(provider, { times, untilAt });
      return untilAt;
    },
    until(provider, now) {
      const last = quiet.get(provider);
      return last !== undefined && isLive(last.untilAt, now) ? last.untilAt : null;
    },
  };
}
