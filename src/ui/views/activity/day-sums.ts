/** Daily sums for the filter of the log: they are kept for good, so they count more than the rows that are loaded. Pure. */
import type { DayRow, Ending, RecordFilter } from "../../../worker/api";

export interface DayLine {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly count: number;
  /** Of `count`, those the server was told no: by the policy, for now, by a person or by nobody's answer. */
  readonly refused: number;
  readonly chargedMicros: number;
}

export interface DaySums extends Omit<DayLine, "day"> {
  /** Newest first. */
  readonly days: readonly DayLine[];
  /** Count of the fullest day: the length of a whole bar. */
  readonly fullest: number;
}

const TOLD_NO: ReadonlySet<Ending> = new Set<Ending>(["refused", "throttled", "denied", "unanswered"]);

/** First and last day to ask for: whole days in UTC, so the first may begin before the filter does. */
export function daysOf(filter: RecordFilter): readonly [from: string, to: string] {
  return [
    filter.from === null ? "0000-01-01" : dayAt(filter.from),
    filter.to === null ? "9999-12-31" : dayAt(filter.to),
  ];
}

const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function daySums(rows: readonly DayRow[], filter: RecordFilter): DaySums {
  const byDay = new Map<string, DayLine>();
  for (const row of rows) {
    if (!matches(row, filter)) continue;
    const { day, count, chargedMicros } = row;
    const line = byDay.get(day) ?? { day, count: 0, refused: 0, chargedMicros: 0 };
    byDay.set(day, {
      day,
      count: line.count + count,
      refused: line.refused + (TOLD_NO.has(row.ending) ? count : 0),
      chargedMicros: line.chargedMicros + chargedMicros,
    });
  }
  const days = [...byDay.values()].sort((one, other) => (one.day < other.day ? 1 : -1));
  const sum = (pick: (line: DayLine) => number) => days.reduce((all, line) => all + pick(line), 0);
  return {
    days,
    fullest: Math.max(0, ...days.map((line) => line.count)),
    count: sum((line) => line.count),
    refused: sum((line) => line.refused),
    chargedMicros: sum((line) => line.chargedMicros),
  };
}

function matches(row: DayRow, filter: RecordFilter): boolean {
  if (filter.server !== null && row.server !== filter.server) return false;
  if (filter.model !== null && row.model !== filter.model) return false;
  return filter.endings.length === 0 || filter.endings.includes(row.ending);
}
