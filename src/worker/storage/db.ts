/** One connection to the database per tab: opened once, opened anew when it was lost, never silently replaced (D4). */
import { openDB } from "idb";
import { asUnavailable, isConnectionLost } from "./failure";
import {
  migrate,
  type PurserDb,
  type PurserSchema,
  type ReadTx,
  type StoreName,
  type UpgradeTx,
  VERSION,
  type WriteTx,
} from "./schema";
import { StorageUnavailable } from "./store";
import { type Durability, withRead, withWrite } from "./transact";

/** A tab that does not close for an upgrade is named after this long; opening goes on and may still succeed. */
const BLOCKED_MS = 2_000;
const OPEN_MS = 10_000;

/** Every use runs on an open connection, and once more on a new one where the connection was lost. */
export interface Database {
  read<T>(stores: readonly StoreName[], work: (tx: ReadTx) => Promise<T>): Promise<T>;
  write<T>(stores: readonly StoreName[], durability: Durability, work: (tx: WriteTx) => Promise<T>): Promise<T>;
  /** For what is more than one transaction. */
  use<T>(work: (db: PurserDb) => Promise<T>): Promise<T>;
}

/** Looks at every database that is opened, before anything else does (D7). */
export interface Guard {
  beforeOpen(): Promise<void>;
  /** In the transaction that creates the database; `damaged` where the browser says it threw the old one away. */
  created(tx: UpgradeTx, damaged: boolean): void;
  opened(db: PurserDb): Promise<void>;
}

export interface DatabaseDeps {
  readonly name: string;
  readonly guard: Guard;
  readonly onProblem: (problem: StorageUnavailable) => void;
  /** A full disk still reads: only a write proves that there is room again. */
  readonly onWorked: (proof: Proof) => void;
}

export type Proof = "read" | "write";

interface Opening {
  readonly db: Promise<PurserDb>;
  /** Rejects when opening took too long; opening goes on all the same. */
  readonly overdue: Promise<never>;
}

export function createDatabase({ name, guard, onProblem, onWorked }: DatabaseDeps): Database {
  /** The one opening in flight or done; set before anything is awaited, so that two callers share it (K6-03). */
  let opening: Opening | null = null;
  let current: PurserDb | null = null;

  function drop(db: PurserDb): void {
    db.close();
    if (db !== current) return;
    current = null;
    opening = null;
  }

  async function open(onBlocked: () => void): Promise<PurserDb> {
    await guard.beforeOpen();
    const db: PurserDb = await openDB<PurserSchema>(name, VERSION, {
      upgrade(upgraded, oldVersion, _, tx, event) {
        migrate(upgraded, oldVersion);
        // Chromium only: a damaged database comes back empty, and this is all it says of it.
        const { dataLoss } = event as IDBVersionChangeEvent & { readonly dataLoss?: string };
        if (oldVersion === 0) guard.created(tx, dataLoss === "total");
      },
      blocked: onBlocked,
      blocking: (_, newVersion) => {
        drop(db);
        onProblem(newVersion === null ? deleted() : superseded());
      },
      terminated: () => drop(db),
    });
    current = db;
    try {
      await guard.opened(db);
    } catch (error) {
      drop(db);
      throw error;
    }
    return db;
  }

  function start(): Opening {
    let fail: (problem: StorageUnavailable) => void = () => undefined;
    const overdue = new Promise<never>((_, reject) => {
      fail = reject;
    });
    overdue.catch(() => undefined);
    let timer = setTimeout(() => fail(silent()), OPEN_MS);
    const db = open(() => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(blockedByTab()), BLOCKED_MS);
    });
    const started = { db, overdue };
    db.catch(() => {
      if (opening === started) opening = null;
    }).finally(() => clearTimeout(timer));
    return started;
  }

  function connect(): Promise<PurserDb> {
    opening ??= start();
    return Promise.race([opening.db, opening.overdue]);
  }

  async function attempt<T>(work: (db: PurserDb) => Promise<T>): Promise<T> {
    const db = await connect();
    try {
      return await work(db);
    } catch (error) {
      // A transaction cut off by a dying connection says AbortError; that the connection is no longer ours says why.
      if (error instanceof StorageUnavailable || (!isConnectionLost(error) && current === db)) throw error;
      drop(db);
      return work(await connect());
    }
  }

  async function use<T>(work: (db: PurserDb) => Promise<T>, proves: Proof = "read"): Promise<T> {
    try {
      const value = await attempt(work);
      onWorked(proves);
      return value;
    } catch (error) {
      const problem = asUnavailable(error);
      onProblem(problem);
      throw problem;
    }
  }

  return {
    read: (stores, work) => use((db) => withRead(db, stores, work)),
    write: (stores, durability, work) => use((db) => withWrite(db, stores, durability, work), "write"),
    use: (work) => use(work),
  };
}

function silent(): StorageUnavailable {
  return new StorageUnavailable("blocked", "The browser's storage does not answer");
}

function blockedByTab(): StorageUnavailable {
  return new StorageUnavailable("blocked", "Another tab runs an older version of Purser; close or reload it");
}

function superseded(): StorageUnavailable {
  return new StorageUnavailable(
    "newer_version",
    "A newer version of Purser was opened in another tab; reload this one",
  );
}

function deleted(): StorageUnavailable {
  return new StorageUnavailable("lost", "The browser deleted what Purser had stored");
}
