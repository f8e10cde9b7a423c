/** The database: one object store per kind of row, and the steps from each version to the next. */
import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from "idb";
import type { Account, Grant } from "../../policy/account";
import type { StoredDecision } from "../../policy/decision";
import type { PolicyRevision } from "../../policy/policy";
import type { ExchangeRecord } from "../../policy/record";
import type { DayRow, LogEvent, RunRow, ServerRow } from "./store";

export interface PurserSchema extends DBSchema {
  servers: { key: string; value: ServerRow };
  /** The policy in force, one row per server that was ever edited. */
  contracts: { key: string; value: PolicyRevision };
  /** Every policy that was ever in force; never deleted (P2). */
  revisions: { key: [string, number]; value: PolicyRevision };
  accounts: { key: string; value: Account };
  /** Keyed by server first, so that one request drops all of a server's (P3). */
  decisions: { key: [string, string]; value: StoredDecision; indexes: { byLast: number; byExpiry: number } };
  records: {
    key: string;
    value: ExchangeRecord;
    /** Each ends in [endedAt, id], so that a page continues where the last one stopped. */
    indexes: {
      byEnd: [number, string];
      byServer: [string, number, string];
      byEnding: [string, number, string];
      byServerEnding: [string, string, number, string];
      byModel: [string, number, string];
    };
  };
  days: { key: [string, string, string, string]; value: DayRow };
  grants: { key: string; value: Grant; indexes: { byServer: [string, number]; byTime: number } };
  events: { key: string; value: LogEvent; indexes: { byTime: number } };
  runs: { key: string; value: RunRow; indexes: { byTime: number } };
  settings: { key: string; value: unknown };
  /** What storage keeps about itself: `loss` (D7), `policyFile`. */
  meta: { key: string; value: unknown };
}

export type StoreName = StoreNames<PurserSchema>;
export type PurserDb = IDBPDatabase<PurserSchema>;
export type ReadTx = IDBPTransaction<PurserSchema, StoreName[], "readonly">;
export type WriteTx = IDBPTransaction<PurserSchema, StoreName[], "readwrite">;
export type UpgradeTx = IDBPTransaction<PurserSchema, StoreName[], "versionchange">;

/** Step n leads from version n to n + 1. A step that was released is never changed again. */
const STEPS: readonly ((db: PurserDb) => void)[] = [first];

export const VERSION = STEPS.length;

export function migrate(db: PurserDb, fromVersion: number): void {
  for (const step of STEPS.slice(fromVersion)) step(db);
}

function first(db: PurserDb): void {
  db.createObjectStore("servers", { keyPath: "name" });
  db.createObjectStore("contracts", { keyPath: "server" });
  db.createObjectStore("revisions", { keyPath: ["server", "revision"] });
  db.createObjectStore("accounts", { keyPath: "server" });
  const decisions = db.createObjectStore("decisions", { keyPath: ["server", "identity"] });
  decisions.createIndex("byLast", "lastAt");
  decisions.createIndex("byExpiry", "expiresAt");
  const records = db.createObjectStore("records", { keyPath: "id" });
  records.createIndex("byEnd", ["endedAt", "id"]);
  records.createIndex("byServer", ["server", "endedAt", "id"]);
  records.createIndex("byEnding", ["ending", "endedAt", "id"]);
  records.createIndex("byServerEnding", ["server", "ending", "endedAt", "id"]);
  records.createIndex("byModel", ["modelUsed", "endedAt", "id"]);
  db.createObjectStore("days", { keyPath: ["day", "server", "model", "ending"] });
  const grants = db.createObjectStore("grants", { keyPath: "id" });
  grants.createIndex("byServer", ["server", "grantedAt"]);
  grants.createIndex("byTime", "grantedAt");
  db.createObjectStore("events", { keyPath: "id" }).createIndex("byTime", "at");
  db.createObjectStore("runs", { keyPath: "id" }).createIndex("byTime", "startedAt");
  db.createObjectStore("settings");
  db.createObjectStore("meta");
}

/** Every key that begins with this server, in a store keyed `[server, …]`. An array sorts after any string or number. */
export function keysOf(server: string): IDBKeyRange {
  return IDBKeyRange.bound([server], [server, []]);
}
