/** Tables and whole values, pinned: changed on purpose or not at all. What no other test would miss, one of these does. */
import { expect, test } from "vitest";
import {
  aConsent,
  aDraft,
  aGrant,
  aHold,
  anAccount,
  anInput,
  aPlan,
  aPolicy,
  aRequest,
  aRevision,
  MIDNIGHT,
  NOW,
} from "./cases/given";
import { decide } from "./decide";
import { endingOf } from "./ending";
import { type ExchangeEvent, type ExchangeState, nextExchange } from "./exchange";
import { gaugeOf } from "./gauge";
import { bought, grantsByDay, offerFor, raiseFor, suggestedCapMicros } from "./grant";
import { REASONS, type Reason } from "./reasons";
import { lostRecord, recordFor } from "./record";
import { isoOf, windowWord } from "./window";

const DAY = 86_400_000;

test("[E] every reason has its ending and its place on the screen", () => {
  const rows = (Object.keys(REASONS) as Reason[]).map(
    (reason) => `${reason} ${endingOf(reason)} ${REASONS[reason].surface}`,
  );
  expect(rows).toEqual([
    "policy.sampling_disabled refused log",
    "policy.no_permitted_model refused inline",
    "policy.model_unpriced refused inline",
    "policy.input_too_large refused inline",
    "policy.budget_exhausted refused inline_once_per_window",
    "policy.rate_limit throttled log_unless_it_ended_the_call",
    "policy.concurrency throttled log_unless_it_ended_the_call",
    "consent.pending unanswered dialog_or_chip",
    "user.denied denied inline",
    "policy.deadline timed_out inline",
    "provider.unavailable failed inline",
    "provider.rejected failed inline",
    "provider.unsupported_content failed inline",
    "storage.unavailable refused inline",
  ]);
});

test("[A] every pair of state and event that can happen, and no other", () => {
  const EVENTS = [
    "malformed same_undecided turn_came decide measure measured replay refuse ask queue answer silence admit fall_back",
    "finish cancel",
  ]
    .join(" ")
    .split(" ") as ExchangeEvent[];
  const after = (state: ExchangeState) =>
    EVENTS.flatMap((event) => {
      try {
        return [`${event}:${nextExchange(state, event)}`];
      } catch {
        return [];
      }
    }).join(" ");
  expect(after("received")).toBe("malformed:ended same_undecided:waiting decide:deciding replay:ended cancel:ended");
  expect(after("waiting")).toBe("turn_came:received cancel:ended");
  expect(after("deciding")).toBe(
    "measure:measuring replay:ended refuse:ended ask:asking queue:queueing admit:running cancel:ended",
  );
  expect(after("measuring")).toBe("measured:deciding cancel:ended");
  expect(after("queueing")).toBe("turn_came:deciding silence:ended cancel:ended");
  expect(after("asking")).toBe("answer:deciding silence:ended cancel:ended");
  expect(after("running")).toBe("decide:deciding refuse:ended fall_back:deciding finish:ended cancel:ended");
  expect(after("ended")).toBe("");
});

test("[M5] windows in words, and instants no calendar holds as the last it does", () => {
  expect((["1h", "24h", "7d", "30d"] as const).map(windowWord)).toEqual(["hourly", "daily", "weekly", "30-day"]);
  expect([Number.NaN, 1e300, -1e300].map(isoOf)).toEqual([
    "+275760-09-13T00:00:00.000Z",
    "+275760-09-13T00:00:00.000Z",
    "-271821-04-20T00:00:00.000Z",
  ]);
});

test("[M2] the gauge, whole", () => {
  const policy = aPolicy({ budget: { window: "24h", capMicros: 2_000_000 }, maxConcurrent: 5 });
  const account = anAccount(policy, {
    settledMicros: 30_000,
    settledCount: 3,
    holds: [aHold(), aHold({ exchangeId: "ex-9", amountMicros: 800 })],
    grants: [aGrant(), aGrant({ id: "r", kind: "requests", amount: 7, left: 4 })],
    bucket: { tokens: 2.5, refilledAt: NOW },
  });
  expect(gaugeOf(account, policy, NOW)).toEqual({
    window: "24h",
    settledMicros: 30_000,
    heldMicros: 20_000,
    capMicros: 2_000_000,
    grantedMicros: 100_000,
    resetsAt: MIDNIGHT,
    slotsInUse: 2,
    maxConcurrent: 5,
    requestsLeft: 6,
    meanMicros: 10_000,
  });
});

const NOTHING = {
  dispatchedAt: null,
  modelUsed: null,
  provider: null,
  maxTokensGranted: null,
  manifest: [],
  estimatedInputTokens: 0,
  estimatedOutputTokens: 0,
  estimatedMicros: 0,
  usage: null,
  chargedMicros: 0,
  chargeBasis: "none",
  overrunMicros: 0,
  pricesAsOf: "",
  grantIds: [],
  consentId: null,
  fellBackFrom: [],
  answeredBy: null,
  represented: 0,
  count: 1,
};

test("[L1] the record of a refusal that came before context was looked at, and of one after, whole", () => {
  const policy = aRevision(aPolicy({ allowSampling: false, maxContextScope: "this_server" }));
  const off = decide(anInput({ policy }));
  if (off.kind !== "refuse") throw new Error(off.kind);
  const draft = aDraft({ scopeAsked: "conversation" });
  const common = { ...draft, decidedAt: NOW, endedAt: NOW, policyRevision: 3, ...NOTHING };
  expect(recordFor(draft, off, policy, NOW)).toEqual({
    ...common,
    scopeGranted: null,
    ending: "refused",
    reason: "policy.sampling_disabled",
    because: "P1",
    detail: { sentence: "ci-triage asked for a model, but sampling is off for it." },
  });
  for (const reason of Object.keys(REASONS) as Reason[]) {
    const refusal = { reason, data: {} } as typeof off.refusal;
    const early = ["policy.sampling_disabled", "policy.concurrency", "policy.rate_limit", "storage.unavailable"];
    const { scopeGranted } = recordFor(draft, { ...off, refusal }, policy, NOW);
    expect(scopeGranted, reason).toBe(early.includes(reason) ? null : "this_server");
  }
});

test("[L1] the record of a refusal keeps what would have run", () => {
  const policy = aRevision(aPolicy({ budget: { window: "24h", capMicros: 1_000 } }));
  const manifest = [{ kind: "tool_run" as const, server: "s", tool: "t", runId: "r", tokens: 4 }];
  const measured = { model: "steady", scope: "none" as const, inputTokens: 2_900, manifest };
  const verdict = decide(anInput({ policy, measured, tried: ["reader"], draft: aDraft() }));
  if (verdict.kind !== "refuse") throw new Error(verdict.kind);
  const record = recordFor(aDraft(), verdict, policy, NOW);
  expect(record).toMatchObject({
    ...NOTHING,
    decidedAt: NOW,
    ending: "refused",
    reason: "policy.budget_exhausted",
    because: "M2",
    provider: "somewhere",
    scopeGranted: "none",
    maxTokensGranted: 700,
    manifest,
    estimatedInputTokens: 2_900,
    estimatedOutputTokens: 700,
    estimatedMicros: 19_200,
    pricesAsOf: "2026-12-01",
    fellBackFrom: ["reader"],
  });
  expect(record.detail).toMatchObject({ spentUsd: 0, capUsd: 0.001 });
});

test("[M4] [L1] the record of a lost call, whole", () => {
  const plan = aPlan({ consentId: "yes-1", grantIds: ["g"], policyRevision: 9, fellBackFrom: ["reader"] });
  const hold = aHold({ heldAt: NOW - 7, dispatchedAt: NOW - 5, plan });
  expect(lostRecord({ hold, chargedMicros: 19_200 }, NOW)).toEqual({
    ...hold.draft,
    ...NOTHING,
    decidedAt: NOW - 7,
    dispatchedAt: NOW - 5,
    endedAt: NOW,
    ending: "lost",
    reason: null,
    because: "M4",
    detail: {},
    policyRevision: 9,
    modelUsed: "steady",
    provider: "somewhere",
    scopeGranted: "none",
    maxTokensGranted: 700,
    estimatedInputTokens: 2_900,
    estimatedOutputTokens: 700,
    estimatedMicros: 19_200,
    pricesAsOf: "2026-12-01",
    grantIds: ["g"],
    consentId: "yes-1",
    fellBackFrom: ["reader"],
    chargedMicros: 19_200,
    chargeBasis: "estimate",
  });
});

test("[G2] an offer needs an increment, a mean and a record of this window, up to its first instant", () => {
  const policy = aPolicy({ raise: { usdMicros: 1, requests: 1 } });
  const facts = { meanMicros: null, expiresAt: MIDNIGHT };
  expect(offerFor("policy.budget_exhausted", policy, facts)?.amount).toBe(1);
  const none = { raise: { usdMicros: Number.NaN, requests: 0 } };
  expect(offerFor("policy.budget_exhausted", aPolicy(none), facts)).toBeNull();
  expect(offerFor("policy.rate_limit", aPolicy(none), facts)).toBeNull();
  expect([bought(10, 3), bought(10, 0), bought(10, Number.NaN), bought(10, null)]).toEqual([3, null, null, null]);
  const account = anAccount(policy);
  const at = (endedAt: number) => raiseFor({ reason: "policy.rate_limit", endedAt }, aRevision(policy), account, NOW);
  expect(at(account.windowStartAt)).not.toBeNull();
  expect(at(account.windowStartAt - 1)).toBeNull();
});

test("[G5] three raises within seven days to the millisecond, and the window with the most of them", () => {
  const grants = (days: readonly number[]) =>
    days.map((ago, at) => aGrant({ id: `g${at}`, amount: 10_000 * (at + 1), grantedAt: NOW - ago }));
  expect(suggestedCapMicros(aPolicy(), grants([7 * DAY, DAY, 0]), NOW)).toBe(1_030_000);
  expect(suggestedCapMicros(aPolicy(), grants([7 * DAY + 1, DAY, 0]), NOW)).toBeNull();
  expect(suggestedCapMicros(aPolicy(), grants([DAY, DAY, 0]), NOW)).toBe(1_030_000);
  const sum = grantsByDay(grants([2 * DAY, 0, DAY, 0]));
  expect(sum.map(({ day, count, micros }) => `${day} ${count} ${micros}`)).toEqual([
    "2026-12-02 2 60000",
    "2026-12-01 1 30000",
    "2026-11-30 1 10000",
  ]);
});

test("[K1] [K3] what a dialog says, and what a session's yes keeps, whole", () => {
  const policy = aRevision(aPolicy({ maxContextScope: "this_server" }));
  const request = { ok: true, value: aRequest({ includeContext: "this_server" }) } as const;
  const measured = { model: "steady", scope: "this_server" as const, inputTokens: 2_900, manifest: [] };
  const account = anAccount(policy.policy, { settledMicros: 100_000, settledCount: 1 });
  const ask = decide(anInput({ policy, request, measured, account }));
  if (ask.kind !== "ask") throw new Error(ask.kind);
  expect({ ...ask.terms, plan: null }).toEqual({
    plan: null,
    atMostMicros: 19_200,
    ceilingMicros: 900_000,
    untilAt: MIDNIGHT,
  });
  expect(ask.account.holds).toMatchObject([
    { exchangeId: "ex-1", amountMicros: 19_200, heldAt: NOW, dispatchedAt: null, expiresAt: NOW + 360_000 },
  ]);
  const consent = { answer: "allow_session", consentId: "yes-7", by: "Kim", ceilingMicros: 900_000 } as const;
  const admit = decide(anInput({ policy, request, measured, account: ask.account, consent, now: NOW + 5 }));
  if (admit.kind !== "admit") throw new Error(admit.kind);
  expect(admit.account.consents).toEqual([
    aConsent({
      id: "yes-7",
      scope: "this_server",
      ceilingMicros: 900_000,
      givenAt: NOW + 5,
      givenBy: "Kim",
    }),
  ]);
  expect(admit.account.holds).toMatchObject([{ dispatchedAt: NOW + 5, expiresAt: NOW + 5 + 20_000 + 30_000 }]);
});
