/** When to try again: ever later, not all at the same moment, and not for ever. */

const MAX_TRIES = 10;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

export interface NextTry {
  readonly attempt: number;
  readonly at: number;
}

export interface Retry {
  /** Counts a try and arms it; null where there were enough. */
  arm(now: number): NextTry | null;
  /** A try after exactly this long, which is no failure of the connection and is not counted. */
  after(waitMs: number): void;
  /** Counts a try that is made at once. */
  atOnce(now: number): NextTry | null;
  disarm(): void;
  /** Starts counting anew. */
  reset(): void;
  readonly armed: boolean;
}

export function createRetry(again: () => void): Retry {
  let tries = 0;
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
    after,
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
