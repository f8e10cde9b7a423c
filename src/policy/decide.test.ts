import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Account } from "./account";
import {
  aConsent,
  aDraft,
  anAccount,
  anInput,
  aPolicy,
  aRequest,
  aRevision,
  MEASURED,
  MIDNIGHT,
  NOW,
  SERVER,
} from "./cases/given";
import { oneServer } from "./cases/one-server";
import { type ConsentAnswer, decide, type Measured, type Verdict } from "./decide";
import { decisionFor } from "./decision";
import { refusalFrame } from "./frame";
import { gaugeOf } from "./gauge";
import { noticesFor } from "./notice";
import { BUDGET_WINDOWS, SCOPES } from "./policy";
import { REASONS, type Reason } from "./reasons";
import { recordFor } from "./record";

type Refused = Extract<Verdict, { kind: "refuse" }>;

function refused(verdict: Verdict): Refused {
  if (verdict.kind !== "refuse") throw new Error(`expected a refusal, got ${verdict.kind}`);
  return verdict;
}
function accountOf(verdict: Verdict): Account {
  if (!("account" in verdict)) throw new Error(`${verdict.kind} has no account`);
  return verdict.account;
}

describe("a retry cannot bypass a denial", () => {
  const asking = { account: anAccount(aPolicy(), { consents: [] }) };
  const deny: ConsentAnswer = { answer: "deny", by: "Robin" };

  test("[D1][A4] a retry cannot bypass a denial: it is answered as before, and nobody is asked", () => {
    const server = oneServer(anInput(asking));
    expect(server.decide({}).kind).toBe("ask");
    const denial = refused(server.decide({ consent: deny }));
    const before = server.account();
    for (let retry = 1; retry <= 30; retry += 1) {
      const draft = aDraft({ id: `retry-${retry}`, maxTokensAsked: retry });
      const request = { ok: true, value: aRequest({ maxTokens: retry, temperature: 1 }) } as const;
      const again = server.decide({ draft, request, now: NOW + retry * 60_000, measured: null });
      expect(again).toMatchObject({ kind: "replay", decision: { represented: retry, refusal: denial.refusal } });
      if (again.kind === "replay") {
        expect(refusalFrame(SERVER, again.decision.refusal)).toEqual(refusalFrame(SERVER, denial.refusal));
      }
    }
    expect(server.account()).toBe(before);
  });

  test("[D6] nor on another day, with consent given for everything else", () => {
    const server = oneServer(anInput(asking));
    server.decide({});
    server.decide({ consent: deny });
    const consents = [aConsent({ expiresAt: MIDNIGHT + 86_400_000 })];
    const account = { ...server.account(), consents };
    expect(server.decide({ draft: aDraft({ id: "next-day" }), now: MIDNIGHT + 3_600_000, account }).kind).toBe(
      "replay",
    );
  });

  test("[P3] only an edit of the policy brings a fresh evaluation", () => {
    const server = oneServer(anInput(asking));
    server.decide({});
    server.decide({ consent: deny });
    const edited = aRevision(aPolicy({ maxOutputTokens: 2_000 }), 4);
    expect(server.decide({ draft: aDraft({ id: "after-edit" }), policy: edited }).kind).toBe("ask");
  });
});

describe("no silent downgrade", () => {
  const noBudget = aRevision(aPolicy({ budget: { window: "24h", capMicros: 0 } }));
  const wide = { ok: true, value: aRequest({ includeContext: "conversation" }) } as const;

  test("[R3][C1] no silent downgrade: refused again with wider context, granted none, and told so", () => {
    const server = oneServer(anInput({ policy: noBudget }));
    const first = refused(server.decide({}));
    expect(first.refusal.reason).toBe("policy.budget_exhausted");

    const draft = aDraft({ id: "ex-2", identity: `${SERVER}:ff`, scopeAsked: "conversation" });
    const second = refused(server.decide({ draft, identity: draft.identity, request: wide }));
    expect(second.refusal).toEqual(first.refusal);
    expect(second.plan).toMatchObject({ model: "steady", scopeAsked: "conversation", scopeGranted: "none" });

    const record = recordFor(draft, second, noBudget, NOW);
    expect(record).toMatchObject({
      ending: "refused",
      scopeAsked: "conversation",
      scopeGranted: "none",
      chargedMicros: 0,
    });
    const view = { policy: noBudget, gauge: gaugeOf(server.account(), noBudget.policy, NOW) };
    const [notice] = noticesFor(recordFor(aDraft(), first, noBudget, NOW), view, first, NOW);
    expect(notice?.text).toBe(`ci-triage reached its daily limit of $0.00 at {at:${NOW}}. Resets at {at:${MIDNIGHT}}.`);
    const [later] = noticesFor(record, view, second, NOW);
    expect(later?.short).toBe(true);
    expect(later?.text).toContain("ci-triage");
    expect(later?.text).toContain("daily limit of $0.00");
  });

  test("[R3] a free model outside the allowlist is no way out", () => {
    const hints = { ...aRequest().modelPreferences, hints: ["free"], costPriority: 1 };
    const request = { ok: true, value: aRequest({ modelPreferences: hints }) } as const;
    const verdict = refused(decide(anInput({ policy: noBudget, request })));
    expect(verdict.refusal.reason).toBe("policy.budget_exhausted");
    expect(verdict.plan?.model).toBe("steady");
  });
});

test("[M2] $15 a day buys exactly 781 requests of the example, and the 782nd is refused", () => {
  const policy = aRevision(aPolicy({ budget: { window: "24h", capMicros: 15_000_000 }, maxConcurrent: 1_000 }));
  const account = anAccount(policy.policy, { consents: [aConsent({ ceilingMicros: 15_000_000 })] });
  const server = oneServer(anInput({ policy, account }));
  let admitted = 0;
  for (let count = 0; count < 800; count += 1) {
    const draft = aDraft({ id: `ex-${count}`, identity: `${SERVER}:${count}` });
    const tokens = { ...server.account(), bucket: { tokens: 40, refilledAt: NOW } };
    if (server.decide({ draft, identity: draft.identity, account: tokens }).kind === "admit") admitted += 1;
  }
  expect(admitted).toBe(781);
  expect(server.account().holds.reduce((sum, hold) => sum + hold.amountMicros, 0)).toBe(781 * 19_200);
});

test("[A1][A2] a verdict to measure leaves nothing behind", () => {
  const verdict = decide(anInput({ measured: null }));
  expect(Object.keys(verdict).sort()).toEqual(["because", "kind", "model", "scope"]);
});

test("[P5] another server's account is never looked at", () => {
  expect(accountOf(decide(anInput())).server).toBe(SERVER);
});

test("[A6] every stored refusal is the one decisionFor makes", () => {
  const verdict = refused(decide(anInput({ policy: aRevision(aPolicy({ allowSampling: false })) })));
  expect(verdict.decision).toEqual(
    decisionFor({ draft: aDraft(), refusal: verdict.refusal, because: "P1", policyRevision: 3, now: NOW }),
  );
});

describe("totality", { timeout: 60_000 }, () => {
  const odd = fc.oneof(
    fc.integer({ min: -5, max: 100_000 }),
    fc.constantFrom(0, -1, 1e15, 1e300, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5),
  );
  const scope = fc.constantFrom(...SCOPES, "session" as "none");
  const model = fc.constantFrom(
    "steady",
    "free",
    "nameless-price",
    "resting",
    "keyless",
    "claude-haiku-4-5",
    "",
    "__proto__",
  );
  const answer: fc.Arbitrary<ConsentAnswer | null> = fc.constantFrom<ConsentAnswer | null>(
    null,
    { answer: "unanswered", shown: true },
    { answer: "deny", by: "" },
    { answer: "deny_and_mute", by: "" },
    { answer: "allow_once", consentId: "c", by: "" },
    { answer: "allow_session", consentId: "c", by: "", ceilingMicros: Number.NaN },
  );
  /** Nine times out of ten the ordinary value, so that oddities meet requests that would otherwise run. */
  const mostly = <T>(ordinary: T, strange: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(ordinary) }, { weight: 1, arbitrary: strange });
  const plain = aPolicy();
  const policy = fc.record({
    allowSampling: mostly(true, fc.boolean()),
    consent: mostly("per_session", fc.constant("per_request" as const)),
    models: mostly(plain.models, fc.array(model, { maxLength: 3 })),
    maxContextScope: scope,
    maxOutputTokens: mostly(1_024, odd),
    maxInputTokens: mostly(8_000, odd),
    rateLimit: fc.record({ requestsPerMinute: mostly(20, odd), burst: mostly(40, odd) }),
    budget: fc.record({ window: fc.constantFrom(...BUDGET_WINDOWS), capMicros: mostly(1_000_000, odd) }),
    deadlineMs: mostly(20_000, odd),
    maxConcurrent: mostly(2, odd),
    consentCeilingMicros: fc.option(odd),
    raise: fc.record({ usdMicros: odd, requests: odd }),
    samplingTools: fc.boolean(),
  });
  const account = fc.record({
    settledMicros: mostly(0, odd),
    bucket: fc.record({ tokens: mostly(40, odd), refilledAt: mostly(NOW, odd) }),
    ratePromisedAt: odd,
    denials: mostly(0, odd),
    latestAt: mostly(NOW, fc.constantFrom(MIDNIGHT, 0)),
    consents: mostly([aConsent()], fc.constantFrom([], [aConsent({ ceilingMicros: Number.NaN })])),
  });
  const request = fc.record({
    includeContext: mostly("none", scope),
    maxTokens: mostly(700, odd),
    hints: fc.array(fc.string(), { maxLength: 2 }),
  });
  const measured = mostly<Measured | null>(
    MEASURED,
    fc.option(fc.record({ model, scope, inputTokens: odd, manifest: fc.constant([]) })),
  );
  const now = mostly(NOW, fc.oneof(fc.constant(MIDNIGHT), odd));
  const tried = mostly<string[]>([], fc.array(model, { maxLength: 2 }));
  const arbitrary = fc.record({ policy, account, request, measured, answer, now, tried });

  function verdictOf(given: typeof arbitrary extends fc.Arbitrary<infer T> ? T : never): Verdict {
    const { hints, ...wanted } = given.request;
    const preferences = { ...aRequest().modelPreferences, hints };
    return decide(
      anInput({
        request: { ok: true, value: aRequest({ ...wanted, modelPreferences: preferences }) },
        policy: aRevision(given.policy),
        account: anAccount(aPolicy(), given.account),
        measured: given.measured,
        consent: given.answer,
        tried: given.tried,
        now: given.now,
      }),
    );
  }

  test("[A] decide answers every input and throws for none", () => {
    fc.assert(
      fc.property(arbitrary, (given) => {
        const verdict = verdictOf(given);
        if (verdict.kind === "refuse") expect(REASONS[verdict.refusal.reason as Reason]).toBeDefined();
      }),
      { numRuns: 3_000 },
    );
  });

  test("[M2] what is admitted has whole, non-negative money within the cap, a listed model and no wider context", () => {
    let [runs, admitted] = [0, 0];
    fc.assert(
      fc.property(arbitrary, (given) => {
        runs += 1;
        const verdict = verdictOf(given);
        if (verdict.kind !== "admit") return;
        admitted += 1;
        const { plan } = verdict;
        expect(given.policy.allowSampling).toBe(true);
        expect(given.policy.models).toContain(plan.model);
        expect(Number.isSafeInteger(plan.estimateMicros) && plan.estimateMicros >= 0).toBe(true);
        expect(verdict.account.settledMicros + plan.estimateMicros).toBeLessThanOrEqual(given.policy.budget.capMicros);
        expect(SCOPES.indexOf(plan.scopeGranted)).toBeLessThanOrEqual(
          Math.min(
            Math.max(0, SCOPES.indexOf(given.policy.maxContextScope)),
            Math.max(0, SCOPES.indexOf(plan.scopeAsked)),
          ),
        );
        expect(plan.inputTokens).toBeLessThanOrEqual(given.policy.maxInputTokens);
      }),
      { numRuns: 3_000 },
    );
    expect(admitted, "the property was hardly tried").toBeGreaterThan(runs / 10);
  });

  test("[A] the same input gives the same verdict", () => {
    const twice = fc.property(arbitrary, (given) => {
      expect(verdictOf(given)).toEqual(verdictOf(given));
    });
    fc.assert(twice, { numRuns: 300 });
  });
});
