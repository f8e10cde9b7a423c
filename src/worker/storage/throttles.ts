/** Throttles of one server, reason and minute share a record (SPEC E): a flood is one line, not ten thousand. */
import type { ExchangeRecord } from "../../policy/record";

const MINUTE_MS = 60_000;

/**
 * The id of the row this record belongs in: its own, but for a throttle, whose row is found by what it shares, in every
 * tab alike.
 */
export function rowIdOf(record: ExchangeRecord): string {
  if (record.ending !== "throttled") return record.id;
  const minute = new Date(Math.floor(record.endedAt / MINUTE_MS) * MINUTE_MS).toISOString().slice(0, 16);
  return `${record.server} ${record.reason} ${minute}Z`;
}

/** The shared row with one more throttle in it: what it says is of the newest, when it began of the first. */
export function withThrottle(row: ExchangeRecord | undefined, record: ExchangeRecord): ExchangeRecord {
  const id = rowIdOf(record);
  if (row === undefined) return { ...record, id };
  const { receivedAt, represented, count } = row;
  return { ...record, id, receivedAt, represented, count: count + 1, endedAt: Math.max(row.endedAt, record.endedAt) };
}
