/**
 * The only two ways into a transaction. `work` awaits the transaction's own requests and nothing else; what it returns
 * counts once the transaction has committed, and if anything fails none of it happened (D4).
 */
import type { PurserDb, ReadTx, StoreName, WriteTx } from "./schema";
import { StorageUnavailable } from "./store";

/** `strict` reaches the disk before it is acknowledged: for what a person did. `relaxed` survives the browser's death. */
export type Durability = "relaxed" | "strict";

/** A frozen tab can keep a transaction open: whoever waits behind it gives up instead of hanging. A server waits less. */
const EXCHANGE_STALL_MS = 2_000;
const STALL_MS = 10_000;

export async function withRead<T>(
  db: PurserDb,
  stores: readonly StoreName[],
  work: (tx: ReadTx) => Promise<T>,
): Promise<T> {
  const tx = db.transaction([...stores], "readonly");
  return bounded(tx, STALL_MS, () => work(tx));
}

export async function withWrite<T>(
  db: PurserDb,
  stores: readonly StoreName[],
  durability: Durability,
  work: (tx: WriteTx) => Promise<T>,
): Promise<T> {
  const tx = db.transaction([...stores], "readwrite", { durability });
  return bounded(tx, durability === "relaxed" ? EXCHANGE_STALL_MS : STALL_MS, async () => {
    const value = await work(tx);
    // Spares the round trip in which the browser finds out that no request follows.
    tx.commit();
    return value;
  });
}

async function bounded<T>(tx: ReadTx | WriteTx, stallMs: number, work: () => Promise<T>): Promise<T> {
  let stalled = false;
  const done = tx.done;
  done.catch(() => undefined);
  const timer = setTimeout(() => {
    stalled = true;
    abort(tx);
  }, stallMs);
  try {
    const value = await work();
    clearTimeout(timer);
    await done;
    return value;
  } catch (error) {
    abort(tx);
    await done.catch(() => undefined);
    if (stalled) throw new StorageUnavailable("blocked", "Another tab holds Purser's storage; close or reload it");
    // A request that failed says "aborted"; the transaction knows why.
    throw tx.error ?? error;
  } finally {
    clearTimeout(timer);
  }
}

function abort(tx: ReadTx | WriteTx): void {
  try {
    tx.abort();
  } catch {
    // It has ended already, or is committing.
  }
}

/** A write whose failure aborts the transaction, which is where it is reported; nobody awaits the request itself. */
export function write(request: Promise<unknown>): void {
  request.catch(() => undefined);
}
