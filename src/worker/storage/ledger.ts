/** Writes records and the sums they count in, inside the transaction of whatever ended the exchange (M3, L2). */
import { isShared, joined } from "../../policy/fold";
import type { ExchangeRecord } from "../../policy/record";
import { type DayKey, dayKeyOf, emptyDay, withRecord } from "./days";
import type { WriteTx } from "./schema";
import type { DayRow } from "./store";
import { write } from "./transact";

/** Stores that `enter` writes to. */
export const LEDGER_STORES = ["records", "days"] as const;

/** Day rows by their key, read ahead; absent where a day has no row yet. */
export type Days = ReadonlyMap<string, DayRow | undefined>;

/**
 * Resolves with the rows as written, in the order given: of a shared one, the whole row. What `known` does not hold
 * is read first; with all of it there, nothing is awaited.
 */
export async function enter(
  tx: WriteTx,
  records: readonly ExchangeRecord[],
  known: Days = new Map(),
): Promise<readonly ExchangeRecord[]> {
  if (records.length === 0) return [];
  const sharing = records.filter(isShared);
  const unknown = records.filter((record) => !known.has(keyOf(dayKeyOf(record, record.endedAt))));
  const shared = sharing.length === 0 ? new Map() : await sharedRows(tx, sharing);
  const days = new Map([...known, ...(unknown.length === 0 ? [] : await readDays(tx, unknown))]);
  const touched = new Set<string>();
  const rows = records.map((record) => {
    const key = keyOf(dayKeyOf(record, record.endedAt));
    days.set(key, withRecord(days.get(key) ?? emptyDay(record, record.endedAt), record));
    touched.add(key);
    if (!isShared(record)) return record;
    const row = joined(shared.get(record.id), record);
    shared.set(record.id, row);
    return row;
  });
  const newest = new Map(rows.map((row) => [row.id, row]));
  for (const row of newest.values()) write(tx.objectStore("records").put(row));
  for (const key of touched) write(tx.objectStore("days").put(days.get(key) as DayRow));
  return rows;
}

async function sharedRows(tx: WriteTx, records: readonly ExchangeRecord[]): Promise<Map<string, ExchangeRecord>> {
  const ids = new Set(records.map((record) => record.id));
  const found = await Promise.all([...ids].map((id) => tx.objectStore("records").get(id)));
  return new Map(found.filter((row) => row !== undefined).map((row) => [row.id, row]));
}

/** The day rows these records will count in. */
export async function readDays(tx: WriteTx, records: readonly ExchangeRecord[]): Promise<Days> {
  const keys = new Map<string, DayKey>();
  for (const record of records) {
    const key = dayKeyOf(record, record.endedAt);
    keys.set(keyOf(key), key);
  }
  const found = await Promise.all([...keys.values()].map((key) => tx.objectStore("days").get(key)));
  return new Map([...keys.keys()].map((key, at) => [key, found[at]]));
}

function keyOf(key: DayKey): string {
  return JSON.stringify(key);
}
