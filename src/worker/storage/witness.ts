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
  /** The newest line of the log, which loses none on purpose; null before the first. */
  readonly lastEvent: string | null;
  /** The latest instant each account has seen: it moves with all that is held, spent, raised or consented to. */
  readonly accounts: Readonly<Record<string, number>>;
  /** When this was true. */
  readonly at: number;
}

/** A witness that was written before these were watched says nothing of them. */
type Later = "lastEvent" | "accounts";

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
        if (found === undefined) return null;
        const kept = (await found.json()) as Omit<Witness, Later> & Partial<Pick<Witness, Later>>;
        return { lastEvent: null, accounts: {}, ...kept };
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

/** Stores that `testify` and `missingFrom` read. */
export const WITNESSED_STORES = [
  "servers",
  "contracts",
  "revisions",
  "accounts",
  "records",
  "events",
  "settings",
] as const;

/** What there is to remember of the database as it stands. */
export async function testify(tx: ReadTx, now: number): Promise<Witness> {
  const [servers, contracts, accounts, last, lastEvent] = await Promise.all([
    tx.objectStore("servers").getAllKeys(),
    tx.objectStore("contracts").getAll(),
    tx.objectStore("accounts").getAll(),
    tx.objectStore("records").index("byEnd").openKeyCursor(null, "prev"),
    tx.objectStore("events").index("byTime").openKeyCursor(null, "prev"),
  ]);
  const newest = last === null ? null : { id: last.primaryKey, endedAt: last.key[0] };
  const revisions = Object.fromEntries(contracts.map(({ server, revision }) => [server, revision]));
  const allowed = contracts.filter(({ policy }) => policy.allowSampling).map(({ server }) => server);
  return {
    servers: [...new Set([...servers, ...allowed])],
    revisions,
    lastRecord: newest,
    lastEvent: lastEvent?.primaryKey ?? null,
    accounts: Object.fromEntries(accounts.map(({ server, latestAt }) => [server, latestAt])),
    at: now,
  };
}

/** A witness of nothing would call a first visit a loss. */
export function sawAnything({ servers, revisions, lastRecord, lastEvent }: Witness): boolean {
  return servers.length > 0 || Object.keys(revisions).length > 0 || lastRecord !== null || lastEvent !== null;
}

/**
 * What the witness saw and the database no longer holds, in our words; nothing where it is whole.
 *
 * @param keptSince records that ended before this are deleted on purpose (L4)
 */
export async function missingFrom(tx: ReadTx, witness: Witness, keptSince: number): Promise<readonly string[]> {
  const found = await Promise.all([
    ...Object.entries(witness.revisions).map(([server, revision]) => missingPolicy(tx, server, revision)),
    ...Object.entries(witness.accounts).map(([server, at]) => missingAccount(tx, server, at, witness)),
    missingRecord(tx, witness, keptSince),
    missingEvent(tx, witness),
  ]);
  return found.filter((one) => one !== null);
}

async function missingPolicy(tx: ReadTx, server: string, revision: number): Promise<string | null> {
  const key = await tx.objectStore("revisions").getKey([server, revision]);
  return key === undefined ? `the policy of ${server}, revision ${revision}` : null;
}

/** An account goes with its server, which leaves a newer revision of its policy. */
async function missingAccount(tx: ReadTx, server: string, at: number, witness: Witness): Promise<string | null> {
  const [account, contract] = await Promise.all([
    tx.objectStore("accounts").get(server),
    tx.objectStore("contracts").get(server),
  ]);
  if ((contract?.revision ?? 0) > (witness.revisions[server] ?? 0)) return null;
  return account === undefined || account.latestAt < at ? `what ${server} spent and was allowed last` : null;
}

async function missingRecord(tx: ReadTx, { lastRecord }: Witness, keptSince: number): Promise<string | null> {
  if (lastRecord === null || lastRecord.endedAt < keptSince) return null;
  return (await tx.objectStore("records").getKey(lastRecord.id)) === undefined ? "the newest records" : null;
}

async function missingEvent(tx: ReadTx, { lastEvent }: Witness): Promise<string | null> {
  if (lastEvent === null || (await tx.objectStore("events").getKey(lastEvent)) !== undefined) return null;
  return "the newest lines of the log";
}
