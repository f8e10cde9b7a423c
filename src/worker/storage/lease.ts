/**
 * When this tab may answer from memory (A7). Memory counts only while the tab holds the *shared* lock and has run its
 * heartbeat lately. Whoever must have every memory empty says so, then asks for the *exclusive* lock: it is granted
 * once every tab has let go. A frozen tab cannot, so after a while its lock is taken from it; it then finds its own
 * heartbeat overdue before it can answer anything.
 */

const BEAT_MS = 250;
/** Longer without a heartbeat and this tab may have been taken for dead; must stay below `STEAL_AFTER_MS`. */
const LAPSE_MS = 1_500;
const STEAL_AFTER_MS = 2_000;

/** One unbroken spell of holding the lock; what was learnt in one is unknown in the next. */
export type Session<Memory> = { readonly memory: Memory };

export interface Lease<Memory> {
  /** The present session; null while nothing may be remembered. Synchronous. */
  session(): Session<Memory> | null;
  /** Another tab asks for it: forgets everything and lets go. */
  empty(): void;
  /** Resolves once no tab, this one included, holds anything learnt before the call. `say` reaches the others. */
  emptyEverywhere(say: () => void): Promise<void>;
}

export interface LeaseDeps<Memory> {
  /** Null where the browser has no Web Locks: then nothing is ever remembered. */
  readonly locks: LockManager | null;
  readonly name: string;
  readonly fresh: () => Memory;
  /** A new spell began, with nothing remembered yet. */
  readonly onSession?: (session: Session<Memory>) => void;
  /** Milliseconds that never run backwards. */
  readonly ticks: () => number;
}

export function createLease<Memory>({ locks, name, fresh, onSession, ticks }: LeaseDeps<Memory>): Lease<Memory> {
  let session: Session<Memory> | null = null;
  let letGo: (() => void) | null = null;
  let asking = false;
  /** Counts emptyings: a lock asked for before one and granted after it is given back unused. */
  let emptied = 0;
  let beatAt = ticks();

  function hold(): void {
    if (locks === null || asking) return;
    asking = true;
    const asked = emptied;
    const held = () => {
      if (asked !== emptied) return;
      session = { memory: fresh() };
      onSession?.(session);
      return new Promise<void>((resolve) => {
        letGo = resolve;
      });
    };
    locks
      .request(name, { mode: "shared" }, held)
      // Taken from us: what follows is the same as having let go.
      .catch(() => undefined)
      .finally(() => {
        session = null;
        letGo = null;
        asking = false;
        hold();
      });
  }

  function empty(): void {
    emptied += 1;
    session = null;
    letGo?.();
  }

  async function othersLetGo(): Promise<void> {
    if (locks === null) return;
    const granted = () => undefined;
    try {
      await locks.request(name, { mode: "exclusive", signal: AbortSignal.timeout(STEAL_AFTER_MS) }, granted);
    } catch {
      await locks.request(name, { mode: "exclusive", steal: true }, granted);
    }
  }

  setInterval(() => {
    beatAt = ticks();
  }, BEAT_MS);
  hold();

  return {
    session() {
      if (session !== null && ticks() - beatAt > LAPSE_MS) empty();
      return session;
    },
    empty,
    async emptyEverywhere(say) {
      empty();
      say();
      await othersLetGo();
    },
  };
}
