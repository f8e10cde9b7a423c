import fc from "fast-check";
import { expect, test } from "vitest";
import type { Account } from "./account";
import { aGrant, aHold, anAccount, aPolicy, NOW } from "./cases/given";
import { requestsLeft, takeSlot, takeToken } from "./throttle";

const policy = aPolicy();
const limit = policy.rateLimit;

function promises(take: (account: Account) => ReturnType<typeof takeToken>, start: Account, count: number): number[] {
  let account = start;
  return Array.from({ length: count }, () => {
    const passage = take(account);
    account = passage.account;
    if (passage.ok || !("retryAt" in passage.refusal.data)) throw new Error("expected a throttle");
    return Date.parse(passage.refusal.data.retryAt);
  });
}

test("[A8] throttles of one server promise successive slots of the rate", () => {
  const empty = anAccount(policy, { bucket: { tokens: 0, refilledAt: NOW } });
  const slots = promises((account) => takeToken(account, limit, NOW), empty, 5);
  expect(slots.map((at) => at - NOW)).toEqual([60_000, 63_000, 66_000, 69_000, 72_000]);
});

test("[A8] throttles of one server promise successive slots of the concurrency", () => {
  const full = anAccount(policy, { holds: [aHold({ exchangeId: "a" }), aHold({ exchangeId: "b" })] });
  const slots = promises((account) => takeSlot(account, 2, NOW), full, 4);
  expect(slots.map((at) => at - NOW)).toEqual([2_000, 3_000, 4_000, 5_000]);
});

test("[A8] a flood is never promised the same instant twice, nor hours away", { timeout: 60_000 }, () => {
  const empty = anAccount(policy, { bucket: { tokens: 0, refilledAt: NOW } });
  const slots = promises((account) => takeToken(account, limit, NOW), empty, 10_000);
  expect(new Set(slots).size).toBe(10_000);
  expect(slots.toSorted((a, b) => a - b)).toEqual(slots);
  expect(Math.max(...slots) - NOW).toBeLessThan(3_600_000 + 10_000);
});

test("[W] no throttle of the rate promises less than a minute", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.double({ min: 0, max: 0.9, noNaN: true }), (rpm, tokens) => {
      const account = anAccount(policy, { bucket: { tokens, refilledAt: NOW } });
      const [slot] = promises((one) => takeToken(one, { requestsPerMinute: rpm, burst: 5 }, NOW), account, 1);
      expect((slot ?? 0) - NOW).toBeGreaterThanOrEqual(60_000);
    }),
  );
});

test("[W] where a slot takes longer than a minute to fill, nothing sooner is promised", () => {
  const half = anAccount(policy, { bucket: { tokens: 0.5, refilledAt: NOW } });
  const [slot] = promises((one) => takeToken(one, { requestsPerMinute: 0.25, burst: 5 }, NOW), half, 1);
  expect((slot ?? 0) - NOW).toBe(120_000);
});

test("[A8] a promise is kept up to a minute past the horizon; what lies further was made before a clock was set back", () => {
  const promised = (ratePromisedAt: number) => {
    const empty = anAccount(policy, { bucket: { tokens: 0, refilledAt: NOW }, ratePromisedAt });
    return promises((one) => takeToken(one, limit, NOW), empty, 1).map((at) => at - NOW);
  };
  expect(promised(NOW + 3_660_000)).toEqual([3_660_001]);
  expect(promised(NOW + 3_660_001)).toEqual([60_000]);
});

test("[G1] a raise of requests lets one through at a time, and a raise of dollars none", () => {
  const grants = [
    aGrant({ id: "dollars" }),
    aGrant({ id: "used", kind: "requests", amount: 5, left: 0 }),
    aGrant({ id: "first", kind: "requests", amount: 5, left: 2 }),
    aGrant({ id: "second", kind: "requests", amount: 5, left: 5 }),
  ];
  const passage = takeToken(anAccount(policy, { bucket: { tokens: 0, refilledAt: NOW }, grants }), limit, NOW);
  expect(passage).toMatchObject({ ok: true, grantId: "first" });
  expect(passage.account.grants.map((one) => one.left)).toEqual([100_000, 0, 1, 5]);
});

test("[W] a token short of whole by no more than rounding is whole", () => {
  const passes = (tokens: number) =>
    takeToken(anAccount(policy, { bucket: { tokens, refilledAt: NOW } }), limit, NOW).ok;
  expect(passes(1 - 1e-9)).toBe(true);
  expect(passes(1 - 2e-9)).toBe(false);
});

test("[M5] however the clock steps, no more passes than burst and time allow", { timeout: 60_000 }, () => {
  const steps = fc.array(fc.oneof(fc.integer({ min: 0, max: 9_000 }), fc.integer({ min: -7_200_000, max: -1 })), {
    maxLength: 120,
  });
  fc.assert(
    fc.property(steps, (stepsMs) => {
      let account = anAccount(policy, { bucket: { tokens: limit.burst, refilledAt: NOW } });
      let now = NOW;
      let forwardMs = 0;
      let passed = 0;
      for (const step of stepsMs) {
        now += step;
        forwardMs += Math.max(0, step);
        const passage = takeToken(account, limit, now);
        account = passage.account;
        if (passage.ok) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(limit.burst + (forwardMs * limit.requestsPerMinute) / 60_000 + 1e-6);
    }),
    { numRuns: 500 },
  );
});

test("[M5] after a step back the bucket fills again from there", () => {
  const drained = anAccount(policy, { bucket: { tokens: 0, refilledAt: NOW } });
  const back = takeToken(drained, limit, NOW - 3_600_000);
  expect(back.ok).toBe(false);
  expect(takeToken(back.account, limit, NOW - 3_600_000 + 3_000).ok).toBe(true);
});

test("[G1] what is left counts whole tokens and raises", () => {
  const account = anAccount(policy, {
    bucket: { tokens: 1.5, refilledAt: NOW },
    grants: [
      {
        id: "r",
        server: "s",
        kind: "requests",
        amount: 10,
        left: 4,
        grantedAt: 0,
        expiresAt: 0,
        grantedBy: "",
        recordId: "",
      },
    ],
  });
  expect(requestsLeft(account, limit, NOW)).toBe(5);
  expect(requestsLeft(account, limit, NOW + 1_500)).toBe(6);
});
