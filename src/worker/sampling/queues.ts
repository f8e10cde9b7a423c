/** One at a time for each key, in the order they came; whoever stops waiting is passed over. */
export interface Queues {
  /** The function that leaves, or null where another is in. */
  tryEnter(key: string): (() => void) | null;
  /** Waits; null where `signal` aborted first. */
  enter(key: string, signal: AbortSignal): Promise<(() => void) | null>;
}

/** Answers whether it still waited. */
type Call = () => boolean;

export function createQueues(): Queues {
  const waiting = new Map<string, Call[]>();

  /** The next one only: ten thousand that wait for the same thing do not all look up at every step. */
  function leave(key: string): void {
    const calls = waiting.get(key);
    for (let call = calls?.shift(); call !== undefined; call = calls?.shift()) if (call()) return;
    waiting.delete(key);
  }

  function tryEnter(key: string): (() => void) | null {
    if (waiting.has(key)) return null;
    waiting.set(key, []);
    return () => leave(key);
  }

  return {
    tryEnter,
    enter: (key, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        const free = tryEnter(key);
        if (free !== null) return resolve(free);
        const stop = () => resolve(null);
        signal.addEventListener("abort", stop, { once: true });
        waiting.get(key)?.push(() => {
          signal.removeEventListener("abort", stop);
          if (signal.aborted) return false;
          resolve(() => leave(key));
          return true;
        });
      }),
  };
}
