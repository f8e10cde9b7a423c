import { expect, test } from "vitest";
import { aPlan, NOW } from "../../policy/cases/given";
import { recordOf } from "./contract/given";
import { dayKeyOf, dayOf, emptyDay, withRecord, withReplays } from "./days";

const record = recordOf(aPlan());

test("[L2] a day is a UTC day, up to its last millisecond", () => {
  expect(dayOf(Date.UTC(2026, 11, 2, 23, 59, 59, 999))).toBe("2026-12-02");
  expect(dayOf(Date.UTC(2026, 11, 3))).toBe("2026-12-03");
});

test("[L2] sums are kept per day, server, model and ending", () => {
  expect(dayKeyOf(record, NOW)).toEqual(["2026-12-02", "ci-triage", "steady", "completed"]);
  expect(dayKeyOf({ ...record, modelUsed: null, ending: "denied" }, NOW)[2]).toBe("");
});

test("[L2] tokens are those reported, cached ones included", () => {
  const usage = { inputTokens: 5, outputTokens: 7, cacheReadTokens: 11, cacheWriteTokens: 13 };
  const day = withRecord(emptyDay(record, NOW), { ...record, usage, chargeBasis: "reported", chargedMicros: 3 });
  expect([day.count, day.inputTokens, day.outputTokens, day.chargedMicros]).toEqual([1, 29, 7, 3]);
});

test("[M3] where the estimate was charged, its tokens count; where nothing ran, none", () => {
  const estimated = withRecord(emptyDay(record, NOW), { ...record, chargeBasis: "estimate" });
  expect([estimated.inputTokens, estimated.outputTokens]).toEqual([2_900, 700]);
  expect(withRecord(emptyDay(record, NOW), record).inputTokens).toBe(0);
});

test("[A4] replays count by themselves: they are no exchanges", () => {
  const day = withReplays(withReplays(emptyDay(record, NOW), 2), 3);
  expect([day.count, day.represented]).toEqual([0, 5]);
});
