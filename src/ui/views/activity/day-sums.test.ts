import { expect, test } from "vitest";
import type { DayRow, RecordFilter } from "../../../worker/api";
import { daySums, daysOf } from "./day-sums";

const ALL: RecordFilter = { server: null, endings: [], model: null, from: null, to: null };
const row = (more: Partial<DayRow>): DayRow => ({
  day: "2026-12-01",
  server: "ci-triage",
  model: "steady",
  ending: "completed",
  count: 1,
  represented: 0,
  estimatedMicros: 0,
  chargedMicros: 0,
  inputTokens: 0,
  outputTokens: 0,
  ...more,
});
const ROWS = [
  row({ count: 5, chargedMicros: 4_000 }),
  row({ count: 2, ending: "refused", model: "" }),
  row({ count: 3, ending: "throttled", model: "", server: "wiki-search" }),
  row({ day: "2026-12-02", count: 1, ending: "timed_out", chargedMicros: 900 }),
];

test("[L2] sums and counts by day, newest first, with what the server was told no", () => {
  expect(daySums(ROWS, ALL)).toEqual({
    days: [
      { day: "2026-12-02", count: 1, refused: 0, chargedMicros: 900 },
      { day: "2026-12-01", count: 10, refused: 5, chargedMicros: 4_000 },
    ],
    fullest: 10,
    count: 11,
    refused: 5,
    chargedMicros: 4_900,
  });
});

test("[L2] the sums follow the filter of the log", () => {
  const counts = (filter: Partial<RecordFilter>) => daySums(ROWS, { ...ALL, ...filter }).count;
  expect(counts({ server: "wiki-search" })).toBe(3);
  expect(counts({ endings: ["refused", "timed_out"] })).toBe(3);
  expect(counts({ model: "steady" })).toBe(6);
  expect(daySums([], ALL)).toMatchObject({ days: [], fullest: 0, count: 0 });
});

test("[L2] a span takes in every day it touches", () => {
  expect(daysOf(ALL)).toEqual(["0000-01-01", "9999-12-31"]);
  expect(daysOf({ ...ALL, from: Date.UTC(2026, 11, 1, 23, 59) })[0]).toBe("2026-12-01");
});
