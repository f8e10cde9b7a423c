/** When to try again: ever later, not all at the same moment, and not for ever. */

const MAX_TRIES = 10;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** A server that floods is left alone this long, twice as long each time it comes back to it. */
const PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 16 * PAUSE_MS;

export interface NextTry {
  readonly attempt: number;
  readonly at: number;
}

export interface Retry {
  /** Counts a try and arms it; null where there were enough. */
  arm(now: number): NextTry | null;
  /** Arms a try for a while later, twice as long each time, which counts as no failure; returns when. */
  pause(now: number): number;
  /** The next pause is a short one again. */
  forgetPauses(): void;
  /** Counts a try that is made at once. */
  atOnce(now: number): NextTry | null;
  disarm(): void;
  /** Starts counting anew. */
  reset(): void;
  readonly armed: boolean;
}

export function createRetry(again: () => void): Retry {
  let tries = 0;
  let pauseMs = PAUSE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function disarm(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function after(waitMs: number): void {
    disarm();
    timer = setTimeout(() => {
      timer = undefined;
      again();
    }, waitMs);
  }

  return {
    get armed() {
      return timer !== undefined;
    },
    arm(now) {
      disarm();
      tries += 1;
      if (tries > MAX_TRIES) return null;
      const longest = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
      // Jitter, so that not all tabs come back to a restarted server in the same second.
      const waitMs = Math.round(longest * (0.5 + Math.random() / 2));
      after(waitMs);
      return { attempt: tries, at: now + waitMs };
    },
    pause(now) {
      const waitMs = pauseMs;
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      after(waitMs);
      return now + waitMs;
    },
    forgetPauses() {
      pauseMs = PAUSE_MS;
    },
    atOnce(now) {
      tries += 1;
      return tries > MAX_TRIES ? null : { attempt: tries, at: now };
    },
    disarm,
    reset() {
      tries = 0;
    },
  };
}
