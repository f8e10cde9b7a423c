/**
 * What costs a server nothing to cause shares a record (SPEC E): throttles always, other refusals that look at nothing
 * after the first few of a minute. A flood is one line of the log, not ten thousand.
 */
import type { ExchangeRecord } from "./record";

const MINUTE_MS = 60_000;
/** So many of one server, reason and minute have a record of their own, so that a person can see what they are. */
export const OWN_RECORDS = 5;

/** How many of its minute come before it shares a record; null where it never does. */
function ownRecordsOf(record: ExchangeRecord): number | null {
  if (record.ending === "throttled") return 0;
  if (record.reason === "malformed" || record.reason === "policy.sampling_disabled") return OWN_RECORDS;
  // Taken back before anything was decided or held.
  return record.ending === "cancelled" && record.estimatedMicros === 0 && record.provider === null ? OWN_RECORDS : null;
}

/** The id of the record that those of one server, reason and minute share, in every tab alike. */
function sharedId(record: ExchangeRecord): string {
  const minute = new Date(Math.floor(record.endedAt / MINUTE_MS) * MINUTE_MS).toISOString().slice(0, 16);
  return `${record.server} ${record.reason ?? record.ending} ${minute}Z`;
}

export function isShared(record: ExchangeRecord): boolean {
  return record.id === sharedId(record);
}

/** Of what came before it in this tab: by shared id, how many. */
export type Seen = ReadonlyMap<string, number>;

/** The record as it will be kept, its own or part of the shared one; `seen` is what came before it, this one included. */
export function folded(record: ExchangeRecord, seen: Seen): { readonly record: ExchangeRecord; readonly seen: Seen } {
  const own = ownRecordsOf(record);
  if (own === null) return { record, seen };
  const id = sharedId(record);
  const before = seen.get(id) ?? 0;
  if (own === 0 || before >= own) return { record: { ...record, id }, seen };
  // Of earlier minutes nothing more comes.
  const kept = before > 0 ? seen : new Map([...seen].filter(([key]) => key.slice(-17) === id.slice(-17)));
  return { record, seen: new Map(kept).set(id, before + 1) };
}

/** The shared record with more of them in it: what it says is of the newest, when it began of the first. */
export function joined(row: ExchangeRecord | undefined, record: ExchangeRecord): ExchangeRecord {
  if (row === undefined) return record;
  const { receivedAt, represented } = row;
  const count = row.count + record.count;
  return { ...record, receivedAt, represented, count, endedAt: Math.max(row.endedAt, record.endedAt) };
}
