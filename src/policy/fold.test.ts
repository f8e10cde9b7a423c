import { expect, test } from "vitest";
import { aPlan } from "./cases/given";
import { folded, isShared, joined, OWN_RECORDS, type Seen } from "./fold";
import { type ExchangeRecord, lostRecord } from "./record";

const MINUTE_AT = Date.UTC(2026, 11, 2, 12, 5);
const BASE = lostRecord(
  {
    hold: {
      exchangeId: "x",
      amountMicros: 0,
      heldAt: 0,
      dispatchedAt: null,
      expiresAt: 0,
      plan: aPlan({}),
      draft: {} as never,
    },
    chargedMicros: 0,
  },
  0,
);

const recordOf = (id: string, over: Partial<ExchangeRecord>): ExchangeRecord => ({
  ...BASE,
  estimatedMicros: 0,
  provider: null,
  server: "ci-triage",
  id,
  receivedAt: MINUTE_AT - 1,
  endedAt: MINUTE_AT,
  ...over,
});
const throttled = (id: string, over: Partial<ExchangeRecord> = {}) =>
  recordOf(id, { ending: "throttled", reason: "policy.rate_limit", ...over });
const malformed = (id: string, over: Partial<ExchangeRecord> = {}) =>
  recordOf(id, { ending: "refused", reason: "malformed", ...over });

function foldAll(records: readonly ExchangeRecord[]): readonly ExchangeRecord[] {
  let seen: Seen = new Map();
  return records.map((record) => {
    const next = folded(record, seen);
    seen = next.seen;
    return next.record;
  });
}
const idOf = (record: ExchangeRecord) => folded(record, new Map()).record.id;

test("[E] the record of a throttle is found by server, reason and minute", () => {
  const id = idOf(throttled("a"));
  expect(id).toBe("ci-triage policy.rate_limit 2026-12-02T12:05Z");
  expect(idOf(throttled("b", { endedAt: MINUTE_AT + 59_999 }))).toBe(id);
  expect(idOf(throttled("c", { endedAt: MINUTE_AT + 60_000 }))).not.toBe(id);
  expect(idOf(throttled("d", { reason: "policy.concurrency" }))).not.toBe(id);
  expect(idOf(throttled("e", { server: "other" }))).not.toBe(id);
});

test("[E] [K2-19] the first few refusals that look at nothing have records of their own, the rest of the minute one", () => {
  const ids = (record: typeof malformed) =>
    foldAll(Array.from({ length: 500 }, (_, at) => record(`${at}`))).map(({ id }) => id);
  expect(new Set(ids(malformed)).size).toBe(OWN_RECORDS + 1);
  expect(new Set(ids((id) => recordOf(id, { ending: "refused", reason: "policy.sampling_disabled" }))).size).toBe(6);
  expect(new Set(ids((id) => recordOf(id, { ending: "cancelled", reason: null }))).size).toBe(6);
  expect(ids(malformed).slice(0, OWN_RECORDS)).toEqual(["0", "1", "2", "3", "4"]);
});

test("[E] a new minute, another server and another reason begin anew", () => {
  const crowd = Array.from({ length: 9 }, (_, at) => malformed(`${at}`));
  const rows = foldAll([
    ...crowd,
    malformed("other", { server: "other" }),
    malformed("later", { endedAt: MINUTE_AT + 60_000 }),
    recordOf("off", { ending: "refused", reason: "policy.sampling_disabled" }),
    malformed("still"),
  ]);
  expect(rows.slice(9, 12).map(isShared)).toEqual([false, false, false]);
});

test("[L1] what was decided on its merits, held, or cost anything keeps a record of its own, however many there are", () => {
  for (const over of [
    { ending: "completed", reason: null },
    { ending: "refused", reason: "policy.budget_exhausted" },
    { ending: "denied", reason: "user.denied" },
    { ending: "cancelled", reason: null, provider: "local", estimatedMicros: 5 },
  ] as const) {
    expect(foldAll(Array.from({ length: 20 }, (_, at) => recordOf(`${at}`, over))).some(isShared)).toBe(false);
  }
});

test("[E] a shared record counts, keeps when it began, and says the newest", () => {
  const first = { ...folded(throttled("a"), new Map()).record, represented: 4 };
  expect(joined(undefined, first)).toBe(first);
  const next = folded(
    throttled("b", { endedAt: MINUTE_AT + 10, receivedAt: MINUTE_AT + 9, detail: { retryAt: "x" } }),
    new Map(),
  );
  const both = joined(first, { ...next.record, count: 7 });
  expect(both).toMatchObject({ id: first.id, count: 8, represented: 4, receivedAt: MINUTE_AT - 1 });
  expect(both).toMatchObject({ endedAt: MINUTE_AT + 10, detail: { retryAt: "x" } });
});
