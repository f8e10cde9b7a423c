/**
 * What is remembered of the database outside of it, to tell a loss from a first visit (D7). Kept in Cache Storage,
 * which is not the same files; where that is missing too there is no witness, and none is pretended.
 */
import type { ReadTx } from "./schema";

export interface Witness {
  /** Those registered, and those whose policy allows sampling. */
  readonly servers: readonly string[];
  /** Newest policy revision by server. Revisions are never deleted, so one that is missing was lost. */
  readonly revisions: Readonly<Record<string, number>>;
  /** The newest record; null before the first. */
  readonly lastRecord: { readonly id: string; readonly endedAt: number } | null;
  /** When this was true. */
  readonly at: number;
}

export interface WitnessBox {
  read(): Promise<Witness | null>;
  write(witness: Witness): Promise<void>;
}

/** Never fetched; Cache Storage wants an address. */
const ADDRESS = "https://purser.invalid/witness";

export function witnessBox(caches: CacheStorage | null, name: string): WitnessBox {
  const cacheName = `${name}:witness`;
  return {
    async read() {
      try {
        const found = await caches?.match(ADDRESS, { cacheName });
        return found === undefined ? null : ((await found.json()) as Witness);
      } catch {
        return null;
      }
    },
    async write(witness) {
      try {
        const cache = await caches?.open(cacheName);
        await cache?.put(ADDRESS, new Response(JSON.stringify(witness)));
      } catch {
        // A witness that cannot be kept protects nothing, and must not stop what it only watches.
      }
    },
  };
}

/** Stores that `testify` and `contradicts` read. */
export const WITNESSED_STORES = ["servers", "contracts", "revisions", "records", "settings"] as const;

/** What there is to remember of the database as it stands. */
export async function testify(tx: ReadTx, now: number): Promise<Witness> {
  const [servers, contracts, last] = await Promise.all([
    tx.objectStore("servers").getAllKeys(),
    tx.objectStore("contracts").getAll(),
    tx.objectStore("records").index("byEnd").openKeyCursor(null, "prev"),
  ]);
  const newest = last === null ? null : { id: last.primaryKey, endedAt: last.key[0] };
  const revisions = Object.fromEntries(contracts.map(({ server, revision }) => [server, revision]));
  const allowed = contracts.filter(({ policy }) => policy.allowSampling).map(({ server }) => server);
  const names = new Set([...servers, ...allowed]);
  return { servers: [...names], revisions, lastRecord: newest, at: now };
}

/** @param keptSince records that ended before this are deleted on purpose (L4) */
export async function contradicts(tx: ReadTx, witness: Witness, keptSince: number): Promise<boolean> {
  const revisions = tx.objectStore("revisions");
  const known = await Promise.all(
    Object.entries(witness.revisions).map(([server, revision]) => revisions.getKey([server, revision])),
  );
  if (known.includes(undefined)) return true;
  const { lastRecord } = witness;
  if (lastRecord === null || lastRecord.endedAt < keptSince) return false;
  return (await tx.objectStore("records").getKey(lastRecord.id)) === undefined;
}
