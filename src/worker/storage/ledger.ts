/** Writes records and the sums they count in, inside the transaction of whatever ended the exchange (M3, L2). */
import type { ExchangeRecord } from "../../policy/record";
import { type DayKey, dayKeyOf, emptyDay, withRecord } from "./days";
import type { WriteTx } from "./schema";
import type { DayRow } from "./store";
import { rowIdOf, withThrottle } from "./throttles";
import { write } from "./transact";

/** Stores that `enter` writes to. */
export const LEDGER_STORES = ["records", "days"] as const;

/** Resolves with the rows as written, in the order given: a throttle's is the row it shares. */
export async function enter(tx: WriteTx, records: readonly ExchangeRecord[]): Promise<readonly ExchangeRecord[]> {
  if (records.length === 0) return [];
  const [shared, days] = await Promise.all([sharedRows(tx, records), dayRows(tx, records)]);
  const rows = records.map((record) => {
    const key = keyOf(dayKeyOf(record, record.endedAt));
    days.set(key, withRecord(days.get(key) ?? emptyDay(record, record.endedAt), record));
    const id = rowIdOf(record);
    if (record.ending !== "throttled") return record;
    const row = withThrottle(shared.get(id), record);
    shared.set(id, row);
    return row;
  });
  const newest = new Map(rows.map((row) => [row.id, row]));
  for (const row of newest.values()) write(tx.objectStore("records").put(row));
  for (const day of days.values()) write(tx.objectStore("days").put(day));
  return rows;
}

async function sharedRows(tx: WriteTx, records: readonly ExchangeRecord[]): Promise<Map<string, ExchangeRecord>> {
  const ids = new Set(records.filter((record) => record.ending === "throttled").map(rowIdOf));
  const found = await Promise.all([...ids].map((id) => tx.objectStore("records").get(id)));
  return new Map(found.filter((row) => row !== undefined).map((row) => [row.id, row]));
}

async function dayRows(tx: WriteTx, records: readonly ExchangeRecord[]): Promise<Map<string, DayRow>> {
  const keys = new Map<string, DayKey>();
  for (const record of records) {
    const key = dayKeyOf(record, record.endedAt);
    keys.set(keyOf(key), key);
  }
  const found = await Promise.all([...keys.values()].map((key) => tx.objectStore("days").get(key)));
  const days = new Map<string, DayRow>();
  for (const [at, key] of [...keys.keys()].entries()) {
    const row = found[at];
    if (row !== undefined) days.set(key, row);
  }
  return days;
}

function keyOf(key: DayKey): string {
  return JSON.stringify(key);
}
