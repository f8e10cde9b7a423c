import { describe, expect, test } from "vitest";
import { aDecision, aDraft, NOW } from "./cases/given";
import { type DroppingEvent, decisionFor, droppedBy, liveDecision, represent, type StoredDecision } from "./decision";
import { REASONS, type Reason, type Refusal } from "./reasons";

const MINUTE = 60_000;
const storing = (refusal: Refusal) =>
  decisionFor({ draft: aDraft(), refusal, because: "M2", policyRevision: 3, now: NOW });

function replayed(times: readonly number[]): { readonly decision: StoredDecision; readonly alerts: readonly number[] } {
  let decision = aDecision();
  const alerts: number[] = [];
  for (const at of times) {
    const next = represent(decision, at);
    decision = next.decision;
    if (next.loopAlert) alerts.push(decision.represented);
  }
  return { decision, alerts };
}
const every = (count: number, ms: number, from = NOW) => Array.from({ length: count }, (_, at) => from + at * ms);

describe("loops", () => {
  test("[D3] forty replays in ten minutes are one alert", () => {
    expect(replayed(every(200, 1_000)).alerts).toEqual([40]);
  });
  test("[D3] thirty-nine are none", () => {
    expect(replayed(every(39, 1_000)).alerts).toEqual([]);
  });
  test("[D3] a slow drip never is", () => {
    expect(replayed(every(500, 16_000)).alerts).toEqual([]);
  });
  test("[D3] forty within any ten minutes count, wherever those begin", () => {
    const times = [...every(20, 25_000), ...every(39, 1_000, NOW + 9.9 * MINUTE)];
    expect(replayed(times).alerts).toHaveLength(1);
  });
  test("[D3] after the alert replays are only counted", () => {
    const { decision } = replayed(every(120, 100));
    expect(decision).toMatchObject({ represented: 120, recentAt: [], loopSince: NOW });
    expect(decision.loopAlertedAt).toBe(NOW + 3_900);
  });
  test("[M5] a clock set back neither hides nor makes a loop", () => {
    expect(replayed([...every(20, 1_000), ...every(20, 1_000, NOW - 3_600_000)]).alerts).toEqual([40]);
  });
});

describe("what is stored", () => {
  test("[W5] a decision ends at the instant its data promises", () => {
    const retryAt = "2026-12-02T12:01:00.000Z";
    expect(storing({ reason: "policy.rate_limit", data: { retryAt } })?.expiresAt).toBe(Date.parse(retryAt));
    const data = { spentUsd: 1, capUsd: 1, resetsAt: "2026-12-03T00:00:00.000Z" };
    expect(storing({ reason: "policy.budget_exhausted", data })?.expiresAt).toBe(Date.parse(data.resetsAt));
    expect(storing({ reason: "user.denied", data: {} })?.expiresAt).toBeNull();
  });
  test("[W] what is never stored has no decision", () => {
    expect(storing({ reason: "consent.pending", data: { retryAt: "2026-12-02T12:01:00.000Z" } })).toBeNull();
    expect(storing({ reason: "storage.unavailable", data: {} })).toBeNull();
  });
  test("[D2] it holds no text of the request", () => {
    expect(Object.keys(storing({ reason: "user.denied", data: {} }) ?? {}).sort()).toEqual([
      "because",
      "expiresAt",
      "firstAt",
      "identity",
      "lastAt",
      "loopAlertedAt",
      "loopSince",
      "policyRevision",
      "recentAt",
      "recordId",
      "refusal",
      "represented",
      "server",
    ]);
  });
  test("[K4-16] [F29] a throttle does not wait for the old time after the clock was set back; a refusal does", () => {
    const retryAt = "2026-12-02T12:01:00.000Z";
    const throttle = storing({ reason: "policy.rate_limit", data: { retryAt } });
    expect(liveDecision(throttle, 3, NOW - MINUTE)).toBe(throttle);
    expect(liveDecision(throttle, 3, NOW - MINUTE - 1)).toBeNull();
    const resetsAt = "2026-12-03T00:00:00.000Z";
    const spent = storing({ reason: "policy.budget_exhausted", data: { spentUsd: 1, capUsd: 1, resetsAt } });
    const denied = storing({ reason: "user.denied", data: {} });
    for (const refusal of [spent, denied]) expect(liveDecision(refusal, 3, NOW - 365 * 1_440 * MINUTE)).toBe(refusal);
  });
  test("[P3] [F31] it counts under its own revision only, and up to its last instant", () => {
    const decision = aDecision({ expiresAt: NOW });
    expect(liveDecision(decision, 3, NOW - 1)).toBe(decision);
    expect(liveDecision(decision, 3, NOW)).toBeNull();
    expect(liveDecision(decision, 4, NOW - 1)).toBeNull();
    expect(liveDecision(null, 3, NOW)).toBeNull();
  });
});

test("[G4] each event drops the reasons its row names and nothing else", () => {
  const dropped = (event: DroppingEvent) =>
    (Object.keys(REASONS) as Reason[]).filter((reason) => droppedBy(event, reason)).sort();
  expect(dropped("budget_grant")).toEqual(["policy.budget_exhausted"]);
  expect(dropped("rate_grant")).toEqual(["policy.rate_limit"]);
  expect(dropped("price_edit")).toEqual(["policy.model_unpriced"]);
  expect(dropped("provider_edit")).toEqual(["provider.rejected", "provider.unsupported_content"]);
  expect(dropped("policy_edit")).toHaveLength(12);
});
