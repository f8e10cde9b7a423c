import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLease } from "./lease";

/** Web Locks as their specification has them, for one name: first come first served, shared together, and stealing. */
function lockManager(): LockManager {
  interface Waiting {
    readonly mode: LockMode;
    readonly grant: () => void;
  }
  interface Held {
    readonly mode: LockMode;
    readonly lose: () => void;
  }
  const held = new Set<Held>();
  let queue: Waiting[] = [];

  function pump(): void {
    for (;;) {
      const [next] = queue;
      if (next === undefined) return;
      const free = next.mode === "exclusive" ? held.size === 0 : [...held].every(({ mode }) => mode === "shared");
      if (!free) return;
      queue = queue.slice(1);
      next.grant();
    }
  }

  function request(_: string, options: LockOptions, work: () => unknown): Promise<unknown> {
    const mode = options.mode ?? "exclusive";
    return new Promise((resolve, reject) => {
      const grant = () => {
        const mine: Held = { mode, lose: () => reject(new DOMException("stolen", "AbortError")) };
        held.add(mine);
        void Promise.resolve()
          .then(work)
          .then(resolve, reject)
          .finally(() => {
            held.delete(mine);
            pump();
          });
      };
      if (options.steal === true) {
        for (const one of held) one.lose();
        held.clear();
        grant();
        return;
      }
      const waiting = { mode, grant };
      queue.push(waiting);
      options.signal?.addEventListener("abort", () => {
        if (!queue.includes(waiting)) return;
        queue = queue.filter((one) => one !== waiting);
        reject(new DOMException("timed out", "TimeoutError"));
        pump();
      });
      pump();
    });
  }
  return { request, query: async () => ({}) } as unknown as LockManager;
}

/** Tabs around one lock; what one says reaches each other one after its delay, or never where it is deaf. */
function tabs(delaysMs: readonly number[]) {
  const locks = lockManager();
  const all = delaysMs.map((delayMs) => {
    const tab = { deaf: false, delayMs };
    const ticks = () => performance.now();
    return { tab, lease: createLease<Map<string, number>>({ locks, name: "replay", fresh: () => new Map(), ticks }) };
  });
  const emptyFrom = (at: number) =>
    all[at]?.lease.emptyEverywhere(() => {
      for (const [other, { lease, tab }] of all.entries()) {
        if (other !== at) setTimeout(() => !tab.deaf && lease.empty(), tab.delayMs);
      }
    }) ?? Promise.resolve();
  return { all, emptyFrom };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "performance", "Date"] });
  // Node's own timers are not the ones that were replaced.
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), ms);
    return controller.signal;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(1);

test("[A7] an act is acknowledged only after every tab has let go of what it knew", async () => {
  const { all, emptyFrom } = tabs([300, 300, 300]);
  await settle();
  const sessions = all.map(({ lease }) => lease.session());
  expect(sessions.every((session) => session !== null)).toBe(true);
  let acknowledged = false;
  void emptyFrom(0).then(() => {
    acknowledged = true;
  });
  await vi.advanceTimersByTimeAsync(200);
  expect(acknowledged).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(acknowledged).toBe(true);
  expect(all.some(({ lease }, at) => lease.session() === sessions[at])).toBe(false);
  await settle();
  expect(all.every(({ lease }) => lease.session() !== null)).toBe(true);
});

test("[A7] acts of several tabs at once do not wait for each other without end", async () => {
  const { all, emptyFrom } = tabs([5, 5, 5]);
  await settle();
  let done = 0;
  for (const at of [0, 1, 2, 0, 1]) void emptyFrom(at).then(() => (done += 1));
  // Well before anything would be stolen.
  await vi.advanceTimersByTimeAsync(500);
  expect(done).toBe(5);
  expect(all.every(({ lease }) => lease.session() !== null)).toBe(true);
});

test("[A7] a lock that is granted after its tab was told to let go is given back at once", async () => {
  const { all, emptyFrom } = tabs([5, 5, 5, 400]);
  await settle();
  // Waits for the slow tab; the others have let go and queue behind it.
  void emptyFrom(0);
  await vi.advanceTimersByTimeAsync(100);
  let acknowledged = false;
  void emptyFrom(1).then(() => {
    acknowledged = true;
  });
  await vi.advanceTimersByTimeAsync(900);
  expect(acknowledged).toBe(true);
  expect(all.every(({ lease }) => lease.session() !== null)).toBe(true);
});

test("[A7] a tab that cannot let go loses its lock after two seconds, and its memory with it", async () => {
  const { all, emptyFrom } = tabs([0, 0]);
  await settle();
  const [, frozen] = all;
  const before = frozen?.lease.session();
  if (frozen !== undefined) frozen.tab.deaf = true;
  let acknowledged = false;
  void emptyFrom(0).then(() => {
    acknowledged = true;
  });
  await vi.advanceTimersByTimeAsync(1_900);
  expect(acknowledged).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(acknowledged).toBe(true);
  expect(frozen?.lease.session()).not.toBe(before);
});

test("[A7] a tab whose heartbeat is overdue knows nothing, before it has heard anything", async () => {
  const { all } = tabs([0]);
  await settle();
  const lease = all[0]?.lease;
  const before = lease?.session();
  expect(before).not.toBeNull();
  // Time passes and no timer runs, as in a frozen tab.
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 1_600);
  expect(lease?.session()).toBeNull();
});

test("[A7] without Web Locks nothing is ever remembered", async () => {
  const lease = createLease({ locks: null, name: "replay", fresh: () => new Map(), ticks: () => performance.now() });
  await settle();
  expect(lease.session()).toBeNull();
  await lease.emptyEverywhere(() => undefined);
});
