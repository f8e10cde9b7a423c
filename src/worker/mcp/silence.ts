/** Tells when nothing has been heard for too long, and nothing is going on either. */
export interface Silence {
  /** Something was heard: the wait begins anew. */
  broken(): void;
  stop(): void;
}

/** @param isBusy whether something goes on that need not be heard; asked when the time is up */
export function createSilence(limitMs: number, isBusy: () => boolean, onTooLong: () => void): Silence {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  function wait(): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(turn, limitMs);
  }

  function turn(): void {
    if (isBusy()) wait();
    else onTooLong();
  }

  wait();
  return {
    broken: wait,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
