/** The part of Web Locks that slots need, and the same within one tab, for what no other tab shares. */
export interface SlotLocks {
  /** As `LockManager.request`: the lock is held until `granted` is done; null where `ifAvailable` and it is taken. */
  request(
    name: string,
    options: { readonly ifAvailable?: boolean; readonly signal?: AbortSignal },
    granted: (lock: object | null) => Promise<void>,
  ): Promise<unknown>;
}

export function tabLocks(): SlotLocks {
  /** Held names, each with those who wait for it in the order of asking. */
  const held = new Map<string, (() => void)[]>();

  function free(name: string): void {
    const next = held.get(name)?.shift();
    if (next === undefined) held.delete(name);
    else next();
  }

  function turnOf(name: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const waiting = held.get(name);
    if (waiting === undefined) {
      held.set(name, []);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      waiting.push(enter);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  return {
    async request(name, { ifAvailable, signal }, granted) {
      if (ifAvailable === true && held.has(name)) return granted(null);
      await turnOf(name, signal);
      try {
        await granted({});
      } finally {
        free(name);
      }
    },
  };
}
