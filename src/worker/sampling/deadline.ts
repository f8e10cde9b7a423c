/** The end of one provider call, by the clock (R4). */

/** A timer alone stands still while the computer sleeps, and runs late in a tab that is not looked at. */
const LOOK_EVERY_MS = 1_000;

export interface Deadline {
  readonly at: number;
  readonly signal: AbortSignal;
  /** Ends it where its time is over; also for whoever hears of the call in between. */
  look(): void;
  stop(): void;
}

export function startDeadline(afterMs: number, now: () => number): Deadline {
  const at = now() + afterMs;
  const controller = new AbortController();
  const end = () => controller.abort("deadline");
  const look = () => {
    if (now() >= at) end();
  };
  // A clock set back gives no more time than a timer does.
  const timer = setTimeout(end, afterMs);
  const looking = setInterval(look, LOOK_EVERY_MS);
  return {
    at,
    signal: controller.signal,
    look,
    stop() {
      clearTimeout(timer);
      clearInterval(looking);
    },
  };
}
