import { expect, test } from "vitest";
import { aPlan } from "../../policy/cases/given";
import { recordOf } from "./contract/given";
import { rowIdOf, withThrottle } from "./throttles";

const MINUTE_AT = Date.UTC(2026, 11, 2, 12, 5);
const throttled = (id: string, endedAt: number) =>
  recordOf(aPlan({ exchangeId: id }), { ending: "throttled", reason: "policy.rate_limit", endedAt });

test("[E] the row of a throttle is found by server, reason and minute", () => {
  const id = rowIdOf(throttled("a", MINUTE_AT));
  expect(id).toBe("ci-triage policy.rate_limit 2026-12-02T12:05Z");
  expect(rowIdOf(throttled("b", MINUTE_AT + 59_999))).toBe(id);
  expect(rowIdOf(throttled("c", MINUTE_AT + 60_000))).not.toBe(id);
  expect(rowIdOf({ ...throttled("d", MINUTE_AT), reason: "policy.concurrency" })).not.toBe(id);
  expect(rowIdOf({ ...throttled("e", MINUTE_AT), server: "other" })).not.toBe(id);
});

test("[L1] every other ending has a row of its own", () => {
  expect(rowIdOf(recordOf(aPlan({ exchangeId: "a" })))).toBe("a");
});

test("[E] a shared row counts, keeps when it began, and says the newest", () => {
  const first = { ...withThrottle(undefined, throttled("a", MINUTE_AT)), represented: 4 };
  const both = withThrottle(first, {
    ...throttled("b", MINUTE_AT + 10),
    receivedAt: MINUTE_AT + 9,
    detail: { retryAt: "x" },
  });
  expect(both).toMatchObject({ count: 2, represented: 4, receivedAt: first.receivedAt, endedAt: MINUTE_AT + 10 });
  expect(both.detail).toEqual({ retryAt: "x" });
});
