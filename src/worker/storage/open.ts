/** Puts the store together: what it stands on first, then its parts. */
import { folded, type Seen } from "../../policy/fold";
import { createAccounts } from "./accounts";
import { createChanges } from "./changes";
import { countReplays } from "./counting";
import { createDatabase } from "./db";
import { createDecisions } from "./decisions";
import { createExchangeWrites } from "./exchange-writes";
import { eventOf, type Ground } from "./ground";
import { createHealth } from "./health";
import { createFollower, createLatest, loadLatest } from "./latest";
import { createLoss } from "./loss";
import { createPolicies } from "./policies";
import { createRecords } from "./records";
import { createReplays } from "./replays";
import { createRows } from "./rows";
import { createServers } from "./servers";
import type { Store } from "./store";
import { BOUNDS, type Bounds, createTidy } from "./tidy";
import { witnessBox } from "./witness";

const WITNESS_EVERY_MS = 2_000;
const MEASURE_EVERY_MS = 60_000;

/** Decisions a tab begins with in memory; others are found in the database when they are asked again. */
const MAX_RECALLED = 5_000;

export interface StoreOptions {
  readonly now: () => number;
  readonly newId: () => string;
  readonly tab: string;
  /** Database, channel, lock and witness share this name. */
  readonly name?: string;
  readonly bounds?: Bounds;
}

/**
 * Always resolves, so that a browser that refuses storage still gets a page that says so: then every method rejects
 * with `StorageUnavailable`, and each call tries to open anew.
 */
export async function openStore({ now, newId, name = "purser", bounds = BOUNDS }: StoreOptions): Promise<Store> {
  const changes = createChanges(new BroadcastChannel(name));
  const health = createHealth(navigator.storage ?? null, () => changes.tellHere({ kind: "settings" }));
  const latest = createLatest();
  const replays = createReplays({
    locks: navigator.locks ?? null,
    name,
    changes,
    ticks: () => performance.now(),
    recall: () => database.read(["decisions"], (tx) => tx.objectStore("decisions").getAll(undefined, MAX_RECALLED)),
  });
  const loss = createLoss({
    box: witnessBox("caches" in self ? caches : null, name),
    changes,
    now,
    newId,
    onTurn(lost) {
      if (lost !== null) replays.empty();
      health.setLost(lost);
      // Whether any server may sample has changed with it.
      for (const server of latest.servers()) changes.tellHere({ kind: "policy", server });
    },
  });
  const { setProblem: onProblem, worked: onWorked } = health;
  const database = createDatabase({ name, guard: loss.guard, onProblem, onWorked });
  const tidy = createTidy({ database, changes, now, newId, bounds });
  const witnessSoon = atMostEvery(WITNESS_EVERY_MS, () => void quietly(database.use((db) => loss.testify(db))));
  const ground: Ground = { database, changes, latest, loss, replays, tidy, now, newId, rowOf: folding(), witnessSoon };
  const flushReplays = countReplays(ground);
  const records = createRecords(ground);

  changes.onWord("look_again", () => void quietly(database.use((db) => loss.lookAgain(db))));
  changes.onChange((change, origin) => {
    if (origin === "another_tab" && (change.kind === "account" || change.kind === "policy")) follow(change.server);
  });
  const follow = createFollower(ground);

  await quietly(loadLatest(ground));
  void health.measure();
  setInterval(() => void health.measure(), MEASURE_EVERY_MS);
  tidy.noteTime(now());

  return {
    health: health.view,
    async confirmLoss(by, at) {
      const event = { at, server: null, text: "The loss of stored data was confirmed", by } as const;
      await database.use((db) => loss.confirm(db, eventOf(ground, { ...event, kind: "storage" })));
      await loadLatest(ground);
      changes.announce(...latest.servers().map((server) => ({ kind: "account", server }) as const));
      changes.announce({ kind: "events" });
    },
    ...createExchangeWrites(ground),
    replay(identity, at) {
      if (loss.lost() !== null) return undefined;
      return replays.answer(identity, (server) => latest.get(server)?.policy.revision, at);
    },
    latest(server) {
      const known = latest.get(server);
      return known === undefined ? undefined : { ...known, policy: loss.inForce(known.policy) };
    },
    async flush() {
      await Promise.all([flushReplays(), records.flush()]);
    },
    onChange: changes.onChange,
    ...createAccounts(ground),
    ...createPolicies(ground),
    ...createServers(ground),
    ...createDecisions(ground),
    rowOf: ground.rowOf,
    ...records.reads,
    ...createRows(ground),
  };
}

function folding(): Store["rowOf"] {
  let seen: Seen = new Map();
  return (record) => {
    const fold = folded(record, seen);
    seen = fold.seen;
    return fold.record;
  };
}

/** What fails here has been reported to `health` already. */
async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}

/** Runs `work` once soon after the first call, however many follow meanwhile. */
function atMostEvery(everyMs: number, work: () => void): () => void {
  let _timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    _timer ??= setTimeout(() => {
      _timer = undefined;
      work();
    }, everyMs);
  };
}
