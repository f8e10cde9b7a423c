import { expect, test } from "vitest";
import { addGrant } from "./account";
import { aGrant, anAccount, aPolicy, aRevision, MIDNIGHT, NOW } from "./cases/given";
import { grantsByDay, isRaisable, offerFor, raiseFor, suggestedCapMicros } from "./grant";
import { REASONS, type Reason } from "./reasons";

const policy = aPolicy();
const DAY = 86_400_000;

test("[G1] a raise exists where a quantity ran out, and nowhere else", () => {
  expect((Object.keys(REASONS) as Reason[]).filter(isRaisable)).toEqual([
    "policy.budget_exhausted",
    "policy.rate_limit",
  ]);
  const account = anAccount(policy);
  for (const reason of [...Object.keys(REASONS), "malformed", null] as (Reason | "malformed" | null)[]) {
    const offer = raiseFor({ reason, endedAt: NOW }, aRevision(policy), account, NOW);
    expect(offer !== null).toBe(reason === "policy.budget_exhausted" || reason === "policy.rate_limit");
  }
});

test("[G1] the type makes another offer impossible", () => {
  // @ts-expect-error a denial has no raise
  expect(() => offerFor("user.denied", policy, { meanMicros: null, expiresAt: MIDNIGHT })).not.toThrow();
});

test("[G2] the policy's increment, what it buys at the mean, until the window ends", () => {
  const account = anAccount(policy, { settledMicros: 192_000, settledCount: 10 });
  const record = { reason: "policy.budget_exhausted", endedAt: NOW } as const;
  expect(raiseFor(record, aRevision(policy), account, NOW)).toEqual({
    kind: "usd",
    amount: 5_000_000,
    buysAbout: 260,
    expiresAt: MIDNIGHT,
  });
  expect(raiseFor({ ...record, reason: "policy.rate_limit" }, aRevision(policy), account, NOW)).toEqual({
    kind: "requests",
    amount: 10,
    buysAbout: 10,
    expiresAt: MIDNIGHT,
  });
  expect(raiseFor(record, aRevision(policy), anAccount(policy), NOW)?.buysAbout).toBeNull();
});

test("[G2] nothing is offered once the window of the record is over, or sampling is off", () => {
  const record = { reason: "policy.budget_exhausted", endedAt: NOW } as const;
  expect(raiseFor(record, aRevision(policy), anAccount(policy), MIDNIGHT)).toBeNull();
  expect(raiseFor(record, aRevision(aPolicy({ allowSampling: false })), anAccount(policy), NOW)).toBeNull();
  const raise = { usdMicros: 0, requests: 10 };
  expect(raiseFor(record, aRevision(aPolicy({ raise })), anAccount(policy), NOW)).toBeNull();
});

test("[G2] a grant ends with the window, never later", () => {
  const account = addGrant(anAccount(policy), aGrant({ expiresAt: MIDNIGHT + DAY }), NOW);
  expect(account.grants[0]?.expiresAt).toBe(MIDNIGHT);
});

test("[A8] a raise of requests voids the slots promised before it", () => {
  const account = anAccount(policy, { ratePromisedAt: NOW + 600_000 });
  expect(addGrant(account, aGrant({ kind: "requests" }), NOW).ratePromisedAt).toBe(0);
  expect(addGrant(account, aGrant(), NOW).ratePromisedAt).toBe(NOW + 600_000);
});

test("[E] reaching a raised limit is told in full again", () => {
  const account = anAccount(policy, { budgetNoticedWindowAt: NOW });
  expect(addGrant(account, aGrant(), NOW).budgetNoticedWindowAt).toBeNull();
});

test("[G5] after three raises in seven days, the budget that would have fitted", () => {
  const grants = [0, 0, 1, 8].map((days, at) => aGrant({ id: `g${at}`, amount: 100_001, grantedAt: NOW - days * DAY }));
  expect(suggestedCapMicros(policy, grants.slice(0, 2), NOW)).toBeNull();
  expect(
    suggestedCapMicros(
      policy,
      [grants[0], grants[1], grants[3]].flatMap((one) => one ?? []),
      NOW,
    ),
  ).toBeNull();
  // Two of $0.100001 on one day on top of $1.00, to the next cent.
  expect(suggestedCapMicros(policy, grants, NOW)).toBe(1_210_000);
  expect(suggestedCapMicros(policy, grants, NOW, NOW - 1_000)).toBeNull();
  const requests = grants.map((grant) => ({ ...grant, kind: "requests" as const }));
  expect(suggestedCapMicros(policy, requests, NOW)).toBeNull();
});

test("[G5] count and sum by day", () => {
  const grants = [
    aGrant(),
    aGrant({ id: "b" }),
    aGrant({ id: "c", kind: "requests", amount: 10, grantedAt: NOW - DAY }),
  ];
  expect(grantsByDay(grants)).toEqual([
    { day: "2026-12-02", count: 2, micros: 200_000, requests: 0 },
    { day: "2026-12-01", count: 1, micros: 0, requests: 10 },
  ]);
});
