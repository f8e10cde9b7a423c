import fc from "fast-check";
import { expect, test } from "vitest";
import { BUDGET_WINDOWS } from "./policy";
import { isoOf, windowOf } from "./window";

const spanOf = (window: (typeof BUDGET_WINDOWS)[number], at: string) => {
  const { startAt, resetsAt } = windowOf(window, Date.parse(at));
  return [isoOf(startAt), isoOf(resetsAt)];
};

test("[M5] windows are aligned in UTC", () => {
  expect(spanOf("1h", "2026-12-02T12:34:56Z")).toEqual(["2026-12-02T12:00:00.000Z", "2026-12-02T13:00:00.000Z"]);
  expect(spanOf("24h", "2026-12-02T23:59:59.999Z")).toEqual(["2026-12-02T00:00:00.000Z", "2026-12-03T00:00:00.000Z"]);
  expect(spanOf("7d", "2026-12-06T23:59:59.999Z")).toEqual(["2026-11-30T00:00:00.000Z", "2026-12-07T00:00:00.000Z"]);
  expect(spanOf("7d", "2026-12-07T00:00:00Z")).toEqual(["2026-12-07T00:00:00.000Z", "2026-12-14T00:00:00.000Z"]);
  expect(spanOf("30d", "2026-12-03T00:00:00Z")).toEqual(["2026-12-03T00:00:00.000Z", "2027-01-02T00:00:00.000Z"]);
});

test("[M5] summer time changes nothing: a day in UTC has 24 hours", () => {
  expect(spanOf("24h", "2026-03-29T01:30:00Z")).toEqual(["2026-03-29T00:00:00.000Z", "2026-03-30T00:00:00.000Z"]);
});

test("[M5] every instant lies in exactly one window, which begins where the last one ended", () => {
  fc.assert(
    fc.property(fc.constantFrom(...BUDGET_WINDOWS), fc.integer({ min: -1e12, max: 5e12 }), (window, at) => {
      const { startAt, resetsAt } = windowOf(window, at);
      expect(startAt <= at && at < resetsAt).toBe(true);
      expect(windowOf(window, resetsAt).startAt).toBe(resetsAt);
      expect(windowOf(window, startAt - 1).resetsAt).toBe(startAt);
    }),
  );
});

test("[W5] an instant no calendar holds is still written", () => {
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1e300]) expect(isoOf(at)).toMatch(/Z$/);
});
