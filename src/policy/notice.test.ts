import { describe, expect, test } from "vitest";
import { aDraft, anAccount, anInput, aPlan, aPolicy, aRevision, MIDNIGHT, NOW } from "./cases/given";
import { decide, type Verdict } from "./decide";
import { endingOf } from "./ending";
import { gaugeOf } from "./gauge";
import { noticesFor } from "./notice";
import { REASONS, type Reason, type Refusal } from "./reasons";
import { type ExchangeRecord, recordFor } from "./record";

const policy = aRevision(
  aPolicy({ budget: { window: "24h", capMicros: 250_000 }, raise: { usdMicros: 100_000, requests: 10 } }),
);
const account = anAccount(policy.policy, { settledMicros: 240_000, settledCount: 12 });
const view = { policy, gauge: gaugeOf(account, policy.policy, NOW) };
const retryAt = "2026-12-02T12:01:00.000Z";
const RETRY_AT = Date.parse(retryAt);

function refusal(
  given: Refusal,
  because = "M2",
  over: Partial<Extract<Verdict, { kind: "refuse" }>> = {},
): ExchangeRecord {
  const base = decide(anInput({ policy: aRevision(aPolicy({ allowSampling: false })) }));
  if (base.kind !== "refuse") throw new Error("expected a refusal");
  const verdict = { ...base, refusal: given, because, ending: endingOf(given.reason), ...over };
  return recordFor(aDraft(), verdict, policy, NOW);
}
const say = (record: ExchangeRecord, facts = { firstBudgetNotice: true, endedCall: true }) =>
  noticesFor(record, view, facts, NOW);

const budget: Refusal = {
  reason: "policy.budget_exhausted",
  data: { spentUsd: 0.2496, capUsd: 0.25, resetsAt: "2026-12-03T00:00:00.000Z" },
};

describe("the budget", () => {
  test("[E][G2] once in full, with the raise and what it buys", () => {
    expect(say(refusal(budget))).toEqual([
      {
        id: "ex-1:policy.budget_exhausted",
        recordId: "ex-1",
        server: "ci-triage",
        tone: "limit",
        reason: "policy.budget_exhausted",
        because: "M2",
        text: `ci-triage reached its daily limit of $0.25 at {at:${NOW}}. Resets at {at:${MIDNIGHT}}.`,
        changesAt: MIDNIGHT,
        raise: { kind: "usd", amount: 100_000, buysAbout: 5, expiresAt: MIDNIGHT },
        short: false,
      },
    ]);
  });
  test("[E][M2] a limit reached before it is used up says what is left and what the request could cost", () => {
    const data = { spentUsd: 0.2459, capUsd: 0.25, resetsAt: "2026-12-03T00:00:00.000Z" };
    const reached = `ci-triage reached its daily limit of $0.25 at {at:${NOW}}. Resets at {at:${MIDNIGHT}}.`;
    const record = (estimateMicros: number) =>
      refusal({ reason: "policy.budget_exhausted", data }, "M2", { plan: aPlan({ estimateMicros }) });
    const left = `${reached} $0.0041 was left, and this request could have cost $0.0192.`;
    expect(say(record(19_200))[0]?.text).toBe(left);
    expect(record(19_200).detail.sentence).toBe(left);
    expect(say(record(4_101))[0]?.text).toBe(
      `${reached} $0.0041 was left, and this request could have cost $0.004101.`,
    );
  });
  test("[E] later outputs of the window carry one short line, with the way on", () => {
    expect(say(refusal(budget), { firstBudgetNotice: false, endedCall: true })).toMatchObject([
      {
        text: `Refused: ci-triage reached its daily limit of $0.25. Resets at {at:${MIDNIGHT}}.`,
        short: true,
        raise: { kind: "usd" },
      },
    ]);
  });
  test("[G2] no raise for a window that is over", () => {
    expect(noticesFor(refusal(budget), view, { firstBudgetNotice: true }, MIDNIGHT)[0]?.raise).toBeNull();
  });
});

const SENTENCES: readonly (readonly [Refusal, string, string])[] = [
  [
    { reason: "policy.no_permitted_model", data: {} },
    "info",
    "ci-triage may use no model that is known here, so its request was refused.",
  ],
  [
    { reason: "policy.model_unpriced", data: { model: "steady" } },
    "info",
    "steady has no price, so ci-triage's request was refused rather than run uncounted.",
  ],
  [
    { reason: "policy.input_too_large", data: { observed: 9_001, limit: 8_000 } },
    "limit",
    "ci-triage sent 9,001 tokens and may send 8,000, so its request was refused.",
  ],
  [
    { reason: "policy.rate_limit", data: { retryAt } },
    "limit",
    `ci-triage asks more often than 20 times a minute. It may ask again at {at:${RETRY_AT}}.`,
  ],
  [
    { reason: "policy.concurrency", data: { retryAt } },
    "limit",
    `ci-triage already has 2 requests running. It may ask again at {at:${RETRY_AT}}.`,
  ],
  [{ reason: "user.denied", data: {} }, "info", "You denied ci-triage's request."],
  [
    { reason: "policy.deadline", data: { retryAt } },
    "fault",
    `ci-triage's request was stopped at its deadline of 20 s. It may ask again at {at:${RETRY_AT}}.`,
  ],
  [
    { reason: "provider.unavailable", data: { retryAt } },
    "fault",
    `No model that ci-triage may use can be reached. It may ask again at {at:${RETRY_AT}}.`,
  ],
  [
    { reason: "provider.rejected", data: { status: 400 } },
    "fault",
    "The model's provider rejected ci-triage's request with status 400.",
  ],
  [
    { reason: "provider.rejected", data: { status: 401 } },
    "fault",
    "The model's provider rejected ci-triage's request with status 401. It did not take your key: see Settings.",
  ],
  [
    { reason: "provider.unsupported_content", data: { block: "audio" } },
    "info",
    "No model that ci-triage may use takes audio content, so its request was refused.",
  ],
  [
    { reason: "storage.unavailable", data: {} },
    "fault",
    "ci-triage's request cannot be recorded here, so it was refused, not run.",
  ],
];

describe("other refusals", () => {
  test.each(SENTENCES)("[E] $reason stands alone in one or two sentences", (given, tone, text) => {
    expect(say(refusal(given))).toMatchObject([{ reason: given.reason, tone, text, short: false }]);
    expect(refusal(given).detail.sentence).toBe(text);
  });
  test("[E] a server never enabled, and a waiting dialog, are told elsewhere", () => {
    expect(say(refusal({ reason: "policy.sampling_disabled", data: {} }))).toEqual([]);
    expect(say(refusal({ reason: "consent.pending", data: { retryAt } }))).toEqual([]);
  });
  test("[E] a throttle is inline only where it ended the tool call", () => {
    const throttled = refusal({ reason: "policy.rate_limit", data: { retryAt } });
    expect(say(throttled, { firstBudgetNotice: false, endedCall: false })).toEqual([]);
    expect(say(throttled)[0]?.raise).toMatchObject({ kind: "requests", amount: 10, expiresAt: MIDNIGHT });
  });
  test("[K6] quiet is not told as the person's denial", () => {
    const quiet = refusal({ reason: "user.denied", data: {} }, "K6");
    expect(say(quiet)[0]?.text).toBe(
      "ci-triage is kept from asking you in this window, so its request was answered no.",
    );
  });
  test("[G1] only quantities carry a raise", () => {
    const raised = SENTENCES.filter(([given]) => say(refusal(given))[0]?.raise != null).map(([given]) => given.reason);
    expect(raised).toEqual(["policy.rate_limit"]);
  });
  test("[R4] what a stopped request cost is said", () => {
    const stopped = { ...refusal({ reason: "policy.deadline", data: { retryAt } }), chargedMicros: 10_100 };
    expect(say(stopped)[0]?.text).toContain("deadline of 20 s and cost $0.0101.");
  });
  test("[W4] every reason that surfaces inline has a sentence", () => {
    const told = new Set<Reason>(SENTENCES.map(([given]) => given.reason));
    told.add("policy.budget_exhausted");
    for (const [reason, row] of Object.entries(REASONS) as [Reason, (typeof REASONS)[Reason]][]) {
      expect(told.has(reason)).toBe(row.surface !== "log" && row.surface !== "dialog_or_chip");
    }
  });
});

describe("completions that were not run as asked", () => {
  const completed: ExchangeRecord = {
    ...refusal(budget),
    ending: "completed",
    reason: null,
    detail: {},
    modelUsed: "steady",
    scopeGranted: "none",
    maxTokensGranted: 700,
  };
  test("[E] run as asked: nothing extra", () => {
    expect(say(completed)).toEqual([]);
  });
  test("[W6] plain words before the code", () => {
    const trimmed = { ...completed, ending: "trimmed" as const, scopeAsked: "conversation" as const };
    expect(say(trimmed)).toMatchObject([
      { reason: "policy.max_scope", text: "ci-triage asked for the whole conversation, was given none." },
    ]);
  });
  test("[W6][R2] clamp, other model and fallback each have their line", () => {
    const clamped = { ...completed, ending: "trimmed" as const, maxTokensAsked: 4_096, maxTokensGranted: 1_024 };
    expect(say({ ...clamped, hints: ["opus"] }).map((one) => one.text)).toEqual([
      "ci-triage asked for 4,096 tokens of output, was given 1,024.",
      "ci-triage asked for another model, was given steady.",
    ]);
    expect(say({ ...clamped, fellBackFrom: ["resting"] }).map((one) => one.text)).toEqual([
      "ci-triage asked for 4,096 tokens of output, was given 1,024.",
      "resting could not be reached, so this ran on steady.",
    ]);
  });
  test("[R1] a hint that was met, in part or by a dated id, is no other model", () => {
    for (const hint of ["stead", "STEADY", "steady-20251001", " "]) {
      expect(say({ ...completed, ending: "trimmed", hints: [hint] })).toEqual([]);
    }
  });
});

test("[L1] a refused record says what was asked and what would have been given", () => {
  const plan = aPlan({ exchangeId: "ex-1", scopeAsked: "conversation" });
  const record = refusal(budget, "M2", { plan, tried: ["resting"] });
  expect(record).toMatchObject({
    ending: "refused",
    reason: "policy.budget_exhausted",
    because: "M2",
    policyRevision: 3,
    provider: "somewhere",
    estimatedInputTokens: 2_900,
    estimatedMicros: 19_200,
    chargedMicros: 0,
    chargeBasis: "none",
    fellBackFrom: ["resting"],
    dispatchedAt: null,
  });
  expect(refusal({ reason: "policy.rate_limit", data: { retryAt } }).scopeGranted).toBeNull();
});

test("[K4-15] an account that cannot pay is told with what helps, and as neither a denial nor the budget", () => {
  expect(say(refusal({ reason: "provider.rejected", data: { status: 402 } }))).toMatchObject([
    {
      reason: "provider.rejected",
      text: "The model's provider rejected ci-triage's request with status 402. Your account there cannot pay for it: add credit, or allow fewer output tokens.",
      raise: null,
    },
  ]);
});
