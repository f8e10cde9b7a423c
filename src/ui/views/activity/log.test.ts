import { expect, test } from "vitest";
import type { ExchangeRecord, LogEvent, RecordFilter } from "../../../worker/api";
import { mergedLog, refreshed, totalsOf } from "./log";

const ALL: RecordFilter = { server: null, endings: [], model: null, from: null, to: null };

const record = (id: string, endedAt: number, more: Partial<ExchangeRecord> = {}) =>
  ({ id, endedAt, ending: "completed", count: 1, represented: 0, chargedMicros: 0, ...more }) as ExchangeRecord;
const event = (id: string, at: number, server: string | null = null): LogEvent => ({
  id,
  at,
  server,
  kind: "grant",
  text: "",
  by: "",
});
const ids = (rows: readonly { readonly id: string }[]) => rows.map((row) => row.id).join(" ");

test("[L2] endings and events are one list by time, newest first", () => {
  const records = { rows: [record("r3", 30), record("r1", 10)], complete: true };
  const events = { rows: [event("e4", 40), event("e2", 20)], complete: true };
  expect(ids(mergedLog(records, events, ALL))).toBe("e4 r3 e2 r1");
});

test("[L2] rows wait until no later page can belong above them", () => {
  const records = { rows: [record("r9", 90), record("r8", 80)], complete: false };
  const events = { rows: [event("e85", 85), event("e10", 10)], complete: true };
  expect(ids(mergedLog(records, events, ALL))).toBe("r9 e85 r8");
  expect(ids(mergedLog({ ...records, complete: true }, events, ALL))).toBe("r9 e85 r8 e10");
});

test("[L2] a filter by ending or model shows exchanges only, one by server shows that server's events", () => {
  const records = { rows: [record("r1", 10)], complete: true };
  const events = { rows: [event("e2", 20, "ci"), event("e1", 5, "wiki")], complete: true };
  expect(ids(mergedLog(records, events, { ...ALL, endings: ["completed"] }))).toBe("r1");
  expect(ids(mergedLog(records, events, { ...ALL, server: "ci" }))).toBe("e2 r1");
});

test("[A4] a refreshed page updates counters in place and keeps older pages", () => {
  const known = [record("c", 30), record("b", 20), record("a", 10)];
  const fresh = [record("d", 40), record("c", 30, { represented: 7 })];
  const rows = refreshed(known, fresh, (row) => row.endedAt, false);
  expect(ids(rows)).toBe("d c b a");
  expect(rows[1]?.represented).toBe(7);
});

test("[E] an aggregated throttle counts as often as it stands for", () => {
  const rows = mergedLog(
    {
      rows: [record("a", 2, { ending: "throttled", count: 41 }), record("b", 1, { chargedMicros: 800 })],
      complete: true,
    },
    { rows: [], complete: true },
    ALL,
  );
  expect(totalsOf(rows)).toMatchObject({
    requests: 42,
    chargedMicros: 800,
    byEnding: [
      ["throttled", 41],
      ["completed", 1],
    ],
  });
});
