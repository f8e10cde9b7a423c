/** The log as one list: endings and events by time, newest first. Pure; pages come in from the worker. */
import type { Ending, ExchangeRecord, LogEvent, RecordFilter } from "../../../worker/api";

export type LogRow =
  | { readonly kind: "record"; readonly id: string; readonly at: number; readonly record: ExchangeRecord }
  | { readonly kind: "event"; readonly id: string; readonly at: number; readonly event: LogEvent };

/** What was fetched of one source, newest first. */
export interface Loaded<T> {
  readonly rows: readonly T[];
  /** True once its oldest row is here. */
  readonly complete: boolean;
}

/** Events have neither ending nor model: a filter by those shows exchanges only. */
export const showsEvents = (filter: RecordFilter): boolean => filter.endings.length === 0 && filter.model === null;

function eventMatches(event: LogEvent, filter: RecordFilter): boolean {
  if (filter.server !== null && event.server !== filter.server) return false;
  if (filter.from !== null && event.at < filter.from) return false;
  return filter.to === null || event.at < filter.to;
}

/**
 * Both sources merged. Rows older than what an unfinished source has reached are held back, since a later page of
 * it may still belong above them.
 */
export function mergedLog(
  records: Loaded<ExchangeRecord>,
  events: Loaded<LogEvent>,
  filter: RecordFilter,
): readonly LogRow[] {
  const withEvents = showsEvents(filter);
  const horizon = Math.max(
    records.complete ? Number.NEGATIVE_INFINITY : (records.rows.at(-1)?.endedAt ?? Number.POSITIVE_INFINITY),
    events.complete || !withEvents ? Number.NEGATIVE_INFINITY : (events.rows.at(-1)?.at ?? Number.POSITIVE_INFINITY),
  );
  const rows: LogRow[] = [];
  for (const record of records.rows)
    if (record.endedAt >= horizon) rows.push({ kind: "record", id: record.id, at: record.endedAt, record });
  if (withEvents)
    for (const event of events.rows)
      if (event.at >= horizon && eventMatches(event, filter))
        rows.push({ kind: "event", id: event.id, at: event.at, event });
  return rows.sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
}

/** `fresh` is the newest page fetched again: its rows replace what is known of the same span, older rows stay. */
export function refreshed<T extends { readonly id: string }>(
  known: readonly T[],
  fresh: readonly T[],
  instantOf: (row: T) => number,
  complete: boolean,
): readonly T[] {
  const oldest = fresh.at(-1);
  if (complete || oldest === undefined) return complete ? fresh : known;
  const ids = new Set(fresh.map((row) => row.id));
  const edge = instantOf(oldest);
  return [...fresh, ...known.filter((row) => !ids.has(row.id) && instantOf(row) <= edge)];
}

export interface Totals {
  readonly requests: number;
  readonly replays: number;
  readonly chargedMicros: number;
  readonly byEnding: readonly (readonly [Ending, number])[];
}

/** Sums over the rows shown; an aggregated row counts as often as it stands for. */
export function totalsOf(rows: readonly LogRow[]): Totals {
  const byEnding = new Map<Ending, number>();
  let requests = 0;
  let replays = 0;
  let chargedMicros = 0;
  for (const row of rows) {
    if (row.kind !== "record") continue;
    requests += row.record.count;
    replays += row.record.represented;
    chargedMicros += row.record.chargedMicros;
    byEnding.set(row.record.ending, (byEnding.get(row.record.ending) ?? 0) + row.record.count);
  }
  return { requests, replays, chargedMicros, byEnding: [...byEnding].sort((one, other) => other[1] - one[1]) };
}
