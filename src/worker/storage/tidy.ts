/** Keeps the store bounded (D5, L4): in the background, in transactions short enough to stand in nobody's way. */
import type { Changes } from "./changes";
import type { Database } from "./db";
import { age } from "./retention";
import { keysOf, type PurserDb, type WriteTx } from "./schema";
import { withRead, withWrite, write } from "./transact";

export interface Bounds {
  readonly perServer: number;
  readonly inAll: number;
}

/** At most this many stored decisions (D5). */
export const BOUNDS: Bounds = { perServer: 5_000, inAll: 50_000 };
/** Eviction begins this far below a bound, since several tabs write between two looks at it. */
const HEADROOM = 0.95;
/** And goes down to here, so that it is not done for every row. */
const EVICT_TO = 0.9;
/** New decisions of this tab between two looks. */
const LOOK_EVERY = 25;
/** From here on a server's next requests wait for the look, so that several busy tabs stay within the bound too. */
const NEAR = 0.8;
/** Decisions looked at for the oldest of one server, before all of its own are read instead. */
const MAX_PASSED = 1_000;
const SWEEP_EVERY_MS = 600_000;
const BATCH = 500;
/** Runs kept; the transcript shows fewer. */
const MAX_RUNS = 1_000;

export interface Tidy {
  /** A decision of this server was stored; now and then that is a reason to look. */
  noteDecision(server: string): void;
  /** Where this server is near its bound and room is being made: resolves when that is done. Null elsewhere. */
  room(server: string): Promise<void> | null;
  /** Sweeps what expired where it was not done lately. Cheap to call. */
  noteTime(now: number): void;
  /** Everything at once; resolves when it is done. */
  sweep(now: number): Promise<void>;
}

export interface TidyDeps {
  readonly database: Database;
  readonly changes: Changes;
  readonly now: () => number;
  readonly newId: () => string;
  readonly bounds: Bounds;
}

export function createTidy(deps: TidyDeps): Tidy {
  const { database } = deps;
  const fresh = new Set<string>();
  /** Servers that were near their bound when they were looked at last, and those being looked at. */
  const near = new Set<string>();
  const looking = new Set<string>();
  let unseen = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> = Promise.resolve();

  /** One after the other, and never anybody's failure: what was not tidied now is tidied later. */
  function later(work: (db: PurserDb) => Promise<void>): Promise<void> {
    running = running.then(() => database.use(work)).catch(() => undefined);
    return running;
  }

  async function bound(db: PurserDb, servers: readonly string[]): Promise<void> {
    for (const server of servers) {
      const left = await boundServer(deps, db, server);
      if (left > deps.bounds.perServer * NEAR) near.add(server);
      else near.delete(server);
    }
    await boundAll(deps, db);
  }

  return {
    noteDecision(server) {
      fresh.add(server);
      unseen += 1;
      if (unseen < LOOK_EVERY) return;
      const servers = [...fresh];
      fresh.clear();
      unseen = 0;
      for (const one of servers) looking.add(one);
      void later((db) => bound(db, servers)).finally(() => {
        for (const one of servers) looking.delete(one);
      });
    },
    room: (server) => (near.has(server) && looking.has(server) ? running : null),
    noteTime(now) {
      if (now - sweptAt < SWEEP_EVERY_MS && now >= sweptAt) return;
      sweptAt = now;
      void this.sweep(now);
    },
    sweep(now) {
      sweptAt = now;
      return later(async (db) => {
        await sweepDecisions(db, now);
        // One that may not sample has decisions, and no account.
        const servers = await withRead(db, ["accounts", "servers"], (tx) =>
          Promise.all([tx.objectStore("accounts").getAllKeys(), tx.objectStore("servers").getAllKeys()]),
        );
        await bound(db, [...new Set(servers.flat())]);
        await sweepRecords(db, now);
        await sweepRuns(db);
      });
    },
  };
}

/** Repeats a short transaction until it finds less than a batch. */
async function inBatches(work: () => Promise<number>): Promise<void> {
  while ((await work()) === BATCH);
}

function sweepDecisions(db: PurserDb, now: number): Promise<void> {
  return inBatches(() =>
    withWrite(db, ["decisions"], "relaxed", async (tx) => {
      const expired = IDBKeyRange.upperBound(now);
      const keys = await tx.objectStore("decisions").index("byExpiry").getAllKeys(expired, BATCH);
      for (const key of keys) write(tx.objectStore("decisions").delete(key));
      return keys.length;
    }),
  );
}

async function sweepRecords(db: PurserDb, now: number): Promise<void> {
  const since = await withWrite(db, ["settings"], "relaxed", (tx) => age(tx, now));
  await inBatches(() =>
    withWrite(db, ["records"], "relaxed", async (tx) => {
      const old = IDBKeyRange.upperBound([since] as never, true);
      const keys = await tx.objectStore("records").index("byEnd").getAllKeys(old, BATCH);
      for (const key of keys) write(tx.objectStore("records").delete(key));
      return keys.length;
    }),
  );
}

function sweepRuns(db: PurserDb): Promise<void> {
  return inBatches(() =>
    withWrite(db, ["runs"], "relaxed", async (tx) => {
      const surplus = (await tx.objectStore("runs").count()) - MAX_RUNS;
      if (surplus <= 0) return 0;
      const keys = await tx.objectStore("runs").index("byTime").getAllKeys(null, Math.min(surplus, BATCH));
      for (const key of keys) write(tx.objectStore("runs").delete(key));
      return keys.length;
    }),
  );
}

/** Resolves with how many it then has. */
async function boundServer(deps: TidyDeps, db: PurserDb, server: string): Promise<number> {
  const limit = deps.bounds.perServer;
  const { count, dropped } = await withWrite(db, ["decisions", "events"], "relaxed", async (tx) => {
    const decisions = tx.objectStore("decisions");
    const count = await decisions.count(keysOf(server));
    if (count <= limit * HEADROOM) return { count, dropped: 0 };
    const oldest = await oldestOf(tx, server, count - Math.floor(limit * EVICT_TO));
    for (const key of oldest) write(decisions.delete(key));
    log(deps, tx, server, oldest.length, limit);
    return { count, dropped: oldest.length };
  });
  if (dropped > 0) deps.changes.announce({ kind: "events" });
  return count - dropped;
}

/** A server that floods has most of the oldest decisions itself; one among many busy ones is looked up whole. */
async function oldestOf(tx: WriteTx, server: string, count: number): Promise<readonly [string, string][]> {
  const decisions = tx.objectStore("decisions");
  const found: [string, string][] = [];
  let cursor = await decisions.index("byLast").openKeyCursor();
  for (let passed = 0; cursor !== null && passed < MAX_PASSED && found.length < count; passed += 1) {
    if (cursor.primaryKey[0] === server) found.push(cursor.primaryKey);
    cursor = await cursor.continue();
  }
  if (found.length === count) return found;
  const all = (await decisions.getAll(keysOf(server))).sort((a, b) => a.lastAt - b.lastAt);
  return all.slice(0, count).map(({ identity }) => [server, identity]);
}

async function boundAll(deps: TidyDeps, db: PurserDb): Promise<void> {
  const limit = deps.bounds.inAll;
  const dropped = await withWrite(db, ["decisions", "events"], "relaxed", async (tx) => {
    const decisions = tx.objectStore("decisions");
    const count = await decisions.count();
    if (count <= limit * HEADROOM) return 0;
    const keys = await decisions.index("byLast").getAllKeys(null, count - Math.floor(limit * EVICT_TO));
    for (const key of keys) write(decisions.delete(key));
    log(deps, tx, null, keys.length, limit);
    return keys.length;
  });
  if (dropped > 0) deps.changes.announce({ kind: "events" });
}

function log(deps: TidyDeps, tx: WriteTx, server: string | null, count: number, limit: number): void {
  const whose = server ?? "all servers";
  const text = `${count} stored decisions of ${whose}, those longest unasked, were dropped to keep within ${limit}`;
  const event = { id: deps.newId(), at: deps.now(), server, kind: "decisions_dropped", text, by: "" } as const;
  write(tx.objectStore("events").put(event));
}
