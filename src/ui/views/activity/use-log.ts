/** The log as pages from the worker: the newest first, older ones on demand, counters kept fresh while it is looked at. */
import { type Accessor, createEffect, createMemo, createSignal, on } from "solid-js";
import type { ExchangeRecord, LogEvent, RecordCursor, RecordFilter } from "../../../worker/api";
import { purser } from "../../worker-client";
import { type Loaded, type LogRow, mergedLog, refreshed } from "./log";
import { settledLogVersion } from "./log-version";

const PAGE = 100;

export interface Log {
  readonly rows: Accessor<readonly LogRow[]>;
  readonly complete: Accessor<boolean>;
  readonly loading: Accessor<boolean>;
  readonly problem: Accessor<string | null>;
  readonly more: () => void;
  readonly reload: () => void;
}

const NOTHING: Loaded<never> = { rows: [], complete: false };

export function useLog(filter: Accessor<RecordFilter>): Log {
  const [records, setRecords] = createSignal<Loaded<ExchangeRecord>>(NOTHING);
  const [events, setEvents] = createSignal<Loaded<LogEvent>>(NOTHING);
  const [loading, setLoading] = createSignal(true);
  const [problem, setProblem] = createSignal<string | null>(null);
  let next: RecordCursor | null = null;
  /** Answers to an older filter are dropped. */
  let turn = 0;

  const guarded = async (work: (mine: () => boolean) => Promise<void>) => {
    const at = ++turn;
    setLoading(true);
    try {
      await work(() => at === turn);
      if (at === turn) setProblem(null);
    } catch (error) {
      if (at === turn) setProblem(error instanceof Error ? error.message : String(error));
    }
    if (at === turn) setLoading(false);
  };

  const takeFirst = (page: Awaited<ReturnType<typeof purser.records>>, newest: readonly LogEvent[]) => {
    next = page.next;
    setRecords({ rows: page.rows, complete: page.next === null });
    setEvents({ rows: newest, complete: newest.length < PAGE });
  };
  const first = () =>
    guarded(async (mine) => {
      const [page, newest] = await Promise.all([purser.records(filter(), null, PAGE), purser.events(null, PAGE)]);
      if (mine()) takeFirst(page, newest);
    });

  const more = () => {
    if (loading() || (records().complete && events().complete)) return;
    void guarded(async (mine) => {
      const { rows, complete } = records();
      const page = complete ? null : await purser.records(filter(), next, PAGE);
      const known = events();
      const oldest = known.rows.at(-1);
      const older =
        known.complete || oldest === undefined ? [] : await purser.events({ at: oldest.at, id: oldest.id }, PAGE);
      if (!mine()) return;
      if (page !== null) {
        next = page.next;
        setRecords({ rows: [...rows, ...page.rows], complete: page.next === null });
      }
      if (!known.complete) setEvents({ rows: [...known.rows, ...older], complete: older.length < PAGE });
    });
  };

  const refresh = () =>
    guarded(async (mine) => {
      const [page, newest] = await Promise.all([purser.records(filter(), null, PAGE), purser.events(null, PAGE)]);
      if (!mine()) return;
      const ids = new Set(records().rows.map((row) => row.id));
      // More came than one page holds: what is known no longer joins up with it, so start over.
      if (page.next !== null && !page.rows.some((row) => ids.has(row.id))) return takeFirst(page, newest);
      setRecords((known) => ({
        rows: refreshed(known.rows, page.rows, (row) => row.endedAt, page.next === null),
        complete: known.complete || page.next === null,
      }));
      setEvents((known) => ({
        rows: refreshed(known.rows, newest, (row) => row.at, newest.length < PAGE),
        complete: known.complete || newest.length < PAGE,
      }));
    });

  createEffect(on(filter, () => void first()));
  createEffect(on(settledLogVersion(), () => void refresh(), { defer: true }));
  return {
    rows: createMemo(() => mergedLog(records(), events(), filter())),
    complete: () => records().complete && events().complete,
    loading,
    problem,
    more,
    reload: () => void first(),
  };
}
