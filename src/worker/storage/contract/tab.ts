/** A worker that owns one store, as a tab of Purser would, and does what a test tells it. */
import { aPlan, NOW, SERVER } from "../../../policy/cases/given";
import { openStore, type StoreOptions } from "../open";
import { type RecordFilter, StorageUnavailable, type Store } from "../store";
import { CONTRACT } from "./cases";
import { allow, anAsk, ESTIMATE_MICROS, generous, identityOf, recordOf } from "./given";

let store: Store | null = null;
let now = NOW;

function opened(): Store {
  if (store === null) throw new Error("open a store first");
  return store;
}

function options(over: Partial<StoreOptions>): StoreOptions {
  return { now: () => now, newId: () => crypto.randomUUID(), tab: crypto.randomUUID(), ...over };
}

/** Equal as far as a structured clone can tell. */
function equal(found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`expected ${b}, found ${a}`);
}

const commands = {
  async open(over: Partial<StoreOptions> = {}) {
    store = await openStore(options(over));
    return store.health();
  },
  setNow(at: number) {
    now = at;
  },
  async contract(name: string) {
    const bounds = { perServer: 100, inAll: 200 };
    const fresh = await openStore(options({ name: crypto.randomUUID(), bounds }));
    await CONTRACT[name]?.({ store: fresh, equal });
  },
  async call(method: keyof Store, ...args: readonly unknown[]) {
    return (opened()[method] as (...given: readonly unknown[]) => unknown)(...args);
  },
  allow: (over: Parameters<typeof generous>[0] = {}) => allow(opened(), generous(over)),
  async admit(id: string, over: Parameters<typeof anAsk>[1] = {}) {
    const { verdict } = await opened().admit(anAsk(id, over));
    return verdict;
  },
  /** A request that takes this much room to keep: of chance, so that the browser cannot make it smaller. */
  async admitLarge(id: string, bytes: number) {
    const { draft, ...ask } = anAsk(id, { server: "other", identity: identityOf(1, "other") });
    const parts = Array.from({ length: bytes / 16_384 }, () => crypto.getRandomValues(new Uint8Array(16_384)));
    const tool = parts.map((part) => String.fromCharCode(...part)).join("");
    return (await opened().admit({ ...ask, draft: { ...draft, tool } })).verdict;
  },
  replay: (identity: string) => opened().replay(identity, now)?.decision ?? null,
  wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  /** Hears nothing for a while, as a frozen tab does, and answers before it hears anything again. */
  deafThenReplay(identity: string, ms: number) {
    const until = performance.now() + ms;
    while (performance.now() < until);
    return this.replay(identity);
  },
  /** The next transaction finds its connection gone, as after the browser restarted its storage process. */
  loseConnection(name: "InvalidStateError" | "UnknownError") {
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = () => {
      IDBDatabase.prototype.transaction = transaction;
      throw new DOMException("Connection to Indexed Database server lost", name);
    };
  },
  /** As many admits as asked for, all in flight at once; how many were admitted, refused, replayed. */
  async race(prefix: string, count: number) {
    const ids = Array.from({ length: count }, (_, at) => at);
    const from = Number.parseInt(prefix, 36) * 100_000;
    const all = await Promise.all(
      ids.map((at) => opened().admit(anAsk(`${prefix}-${at}`, { identity: identityOf(from + at) }))),
    );
    const counts: Record<string, number> = {};
    for (const { verdict } of all) counts[verdict.kind] = (counts[verdict.kind] ?? 0) + 1;
    return counts;
  },
  /** Median milliseconds of one admit after the other. */
  async latency(count: number) {
    const took: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const ask = anAsk(`latency-${at}`, { identity: identityOf(at) });
      const from = performance.now();
      const { verdict } = await opened().admit(ask);
      took.push(performance.now() - from);
      if (verdict.kind !== "admit") throw new Error(`not admitted: ${verdict.kind}`);
      await opened().settle({
        server: ask.draft.server,
        exchangeId: ask.draft.id,
        charge: { basis: "none" },
        record: recordOf(verdict.plan),
        decision: null,
        consentId: null,
        now,
      });
    }
    took.sort((a, b) => a - b);
    return { median: took[Math.floor(count / 2)], p95: took[Math.floor(count * 0.95)] };
  },
  /** Holds a transaction open for good, as a tab frozen in the middle of one would. */
  stall(name: string) {
    return new Promise<void>((resolve, reject) => {
      const request = indexedDB.open(name);
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const accounts = request.result.transaction(["accounts"], "readwrite").objectStore("accounts");
        const spin = () => {
          accounts.count().onsuccess = spin;
        };
        spin();
        resolve();
      };
    });
  },
  /** Records of the last year, spread over servers, models and endings. */
  async fill(count: number) {
    const endings = ["completed", "trimmed", "refused", "denied", "failed"] as const;
    for (let from = 0; from < count; from += 5_000) {
      const rows = Array.from({ length: 5_000 }, (_, row) => {
        const at = from + row;
        // One in a thousand fails: what is rare must be found without reading the rest.
        const ending = at % 1_000 === 0 ? "failed" : (endings[at % 4] ?? "completed");
        const server = at % 3 === 0 ? SERVER : `server-${at % 7}`;
        return recordOf(aPlan({ exchangeId: `row-${at}`, server }), { ending, endedAt: NOW - count + at });
      });
      await Promise.all(rows.map(opened().writeRecord));
    }
  },
  writeOld: (id: string, endedAt: number) => opened().writeRecord(recordOf(aPlan({ exchangeId: id }), { endedAt })),
  async page(filter: RecordFilter) {
    const from = performance.now();
    const { rows } = await opened().records(filter, null, 50);
    return { rows: rows.length, ms: performance.now() - from };
  },
  estimateMicros: () => ESTIMATE_MICROS,
};

export type TabCommands = typeof commands;

interface Call {
  readonly id: number;
  readonly command: keyof TabCommands;
  readonly args: readonly unknown[];
}

self.onmessage = async ({ data }: MessageEvent<Call>) => {
  const { id, command, args } = data;
  try {
    const value = await (commands[command] as (...given: readonly unknown[]) => unknown)(...args);
    self.postMessage({ id, ok: true, value });
  } catch (error) {
    const problem = error instanceof StorageUnavailable ? error.problem : null;
    self.postMessage({ id, ok: false, problem, message: error instanceof Error ? error.message : String(error) });
  }
};
