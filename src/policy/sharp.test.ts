/** Edges that mutation found unwatched: what a change of one comparison, one filter or one word would let through. */
import { describe, expect, test } from "vitest";
import { closeExpired, newAccount, noteDenial, noteSilence, quietOf, turned } from "./account";
import {
  aConsent,
  aDecision,
  aDraft,
  aGrant,
  aHold,
  aModel,
  anAccount,
  anInput,
  aPolicy,
  aPrice,
  aRequest,
  aRevision,
  CATALOG,
  MEASURED,
  MIDNIGHT,
  NOW,
  SERVER,
} from "./cases/given";
import type { Catalog } from "./catalog";
import { type DecideInput, decide } from "./decide";
import { decisionFor, represent } from "./decision";
import { malformedFrame, refusalFrame } from "./frame";
import { gaugeOf } from "./gauge";
import { chooseModel, resolveModel } from "./model-choice";
import { dollars, dollarsApart } from "./money";
import { noticesFor } from "./notice";
import { bandFor, costMicros, estimateMicros } from "./price";
import type { Reason } from "./reasons";
import { type ExchangeRecord, NOTHING_RAN } from "./record";
import type { Block, ModelPreferences } from "./request";
import { sentenceFor } from "./wording";

const policy = aPolicy();
const budgetOf = (window: "1h" | "24h" | "7d") => aPolicy({ budget: { window, capMicros: 1_000_000 } });

describe("models", () => {
  const choose = (
    allowlist: readonly string[],
    wish: Partial<ModelPreferences> = {},
    over: { readonly catalog?: Catalog; readonly tried?: readonly string[]; readonly blocks?: readonly Block[] } = {},
  ) => {
    const modelPreferences = { ...aRequest().modelPreferences, ...wish };
    const messages = [{ role: "user" as const, content: over.blocks ?? [{ type: "text" as const, text: "hi" }] }];
    const request = aRequest({ modelPreferences, messages });
    const choice = chooseModel(request, allowlist, over.catalog ?? CATALOG, over.tried ?? [], NOW);
    return choice.ok ? `${choice.entry.id}${choice.hintIgnored ? " ignored" : ""}` : choice.refusal;
  };

  test("[R1] a name is known by itself, an alias, or a date or `latest` behind it, and by nothing in between", () => {
    const known = (name: string) => resolveModel(CATALOG, name) ?? null;
    for (const name of [
      "claude-haiku-4-5",
      " Claude-Haiku-4-5 ",
      "claude-haiku-4-5-20251001",
      "claude-haiku-4-5@20251001",
      "claude-haiku-4-5-2025-10-01",
      "claude-haiku-4-5-latest",
    ])
      expect(known(name), name).toBe("claude-haiku-4-5");
    expect(known("STEADY-CLASSIC")).toBe("steady");
    for (const name of [
      "claude-haiku-4-5-2025100",
      "claude-haiku-4-5-202510011",
      "claude-haiku-4-5-5-10-01",
      "claude-haiku-4-5-abcd-10-01",
      "claude-haiku-4-5-2025-1-01",
      "claude-haiku-4-5-2025-ab-01",
      "claude-haiku-4-5-2025-10-1",
      "claude-haiku-4-5-2025-10-ab",
      "claude-haiku-4-5-latest-x",
      "claude-latest-haiku-4-5",
      "claude-haiku-4-5-20251001-x",
      "nobody",
      "",
    ])
      expect(known(name), name).toBeNull();
  });

  test("[R1] blank hints ask for nothing; a hint meets a model by any one of its names", () => {
    expect(choose(["steady", "claude-haiku-4-5"], { hints: ["", "  "] })).toBe("steady");
    expect(choose(["claude-haiku-4-5", "steady"], { hints: [" CLASSIC "] })).toBe("steady");
    expect(choose(["steady", "claude-haiku-4-5"], { hints: ["", "mistral"] })).toBe("steady ignored");
  });

  test("[R1] each priority alone decides, in its own direction, and none leaves the list's order", () => {
    const models = ["steady", "claude-haiku-4-5", "claude-opus-5-5"];
    expect(choose(models)).toBe("steady");
    expect(choose(models, { costPriority: 0, speedPriority: 0, intelligencePriority: 0 })).toBe("steady");
    expect(choose(models, { costPriority: 1 })).toBe("claude-haiku-4-5");
    expect(choose(models, { speedPriority: 1 })).toBe("claude-haiku-4-5");
    expect(choose(models, { intelligencePriority: 1 })).toBe("claude-opus-5-5");
    expect(choose(models, { costPriority: 0.1, speedPriority: 0.1, intelligencePriority: 1 })).toBe("claude-opus-5-5");
    const pair = [aModel("cheap", { cheapness: 1, speed: 0 }), aModel("fast", { cheapness: 0.9, speed: 0.9 })];
    const catalog = { ...CATALOG, models: pair };
    expect(choose(["cheap", "fast"], { costPriority: 1, speedPriority: 0.5 }, { catalog })).toBe("fast");
    expect(choose(["cheap", "fast"], { costPriority: 1 }, { catalog })).toBe("cheap");
  });

  test("[R7] of several that rest, the one that is back first says when; one without a key never is", () => {
    const resting = (id: string, untilAt: number) => aModel(id, { availability: { state: "backing_off", untilAt } });
    const keyless = aModel("keyless", { availability: { state: "not_configured" } });
    const catalog = { ...CATALOG, models: [keyless, resting("a", NOW + 9_000), resting("b", NOW + 5_000)] };
    const retryAt = (ms: number) => ({
      reason: "provider.unavailable",
      data: { retryAt: new Date(NOW + ms).toISOString() },
    });
    expect(choose(["keyless", "a", "b"], {}, { catalog })).toEqual(retryAt(5_000));
    expect(choose(["keyless"], {}, { catalog })).toEqual(retryAt(30_000));
    const back = { ...CATALOG, models: [resting("a", NOW)] };
    expect(choose(["a"], {}, { catalog: back })).toBe("a");
  });

  test("[W] the content no permitted model takes is named, also inside a tool's result", () => {
    const image: Block = { type: "image", mimeType: "image/png", data: "AAAA" };
    const result: Block = { type: "tool_result", toolUseId: "a", content: [image], isError: false };
    const named = (blocks: readonly Block[], models: readonly string[], catalog = CATALOG) =>
      choose(models, {}, { blocks, catalog });
    const refused = (block: string) => ({ reason: "provider.unsupported_content", data: { block } });
    expect(named([image], ["reader"])).toEqual(refused("image"));
    expect(named([result], ["reader"])).toEqual(refused("tool_result"));
    const tools = { ...CATALOG, models: [aModel("t", { accepts: ["text", "tool_result"] })] };
    expect(named([result], ["t"], tools)).toEqual(refused("image"));
    // Each kind is taken by one of them, both by neither.
    const audio: Block = { type: "audio", mimeType: "audio/wav", data: "AAAA" };
    const halves = {
      ...CATALOG,
      models: [aModel("ears", { accepts: ["audio"] }), aModel("eyes", { accepts: ["image"] })],
    };
    expect(named([image, audio], ["ears", "eyes"], halves)).toEqual(refused("image"));
    expect(named([audio, image], ["ears", "eyes"], halves)).toEqual(refused("image"));
    // A model without a key takes nothing.
    const keyless = aModel("k", { accepts: ["image"], availability: { state: "not_configured" } });
    const both = { ...CATALOG, models: [aModel("r", { accepts: ["text"] }), keyless] };
    expect(named([{ type: "text", text: "x" }, image], ["r", "k"], both)).toEqual(refused("image"));
  });
});

describe("raises a plan relies on", () => {
  const admitted = (over: Partial<DecideInput>) => {
    const verdict = decide(anInput(over));
    if (verdict.kind !== "admit") throw new Error(verdict.kind);
    return verdict;
  };
  const dollarsRaise = aGrant({ id: "usd" });
  const requestsRaise = aGrant({ id: "requests", kind: "requests", amount: 5, left: 5 });
  const grants = [dollarsRaise, requestsRaise];
  const consents = [aConsent({ ceilingMicros: 10_000_000 })];

  test("[L1] dollars are named only past the cap, requests only where one was taken", () => {
    const at = (settledMicros: number, tokens = 40, holds = [aHold()].slice(1)) =>
      admitted({
        account: anAccount(policy, {
          settledMicros,
          grants,
          consents,
          holds,
          bucket: { tokens, refilledAt: NOW },
        }),
      }).plan.grantIds;
    expect(at(980_800)).toEqual([]);
    expect(at(980_801)).toEqual(["usd"]);
    expect(at(970_000, 40, [aHold({ exchangeId: "other" })])).toEqual(["usd"]);
    expect(at(0, 0)).toEqual(["requests"]);
  });

  test("[L1] a raise that let it past the rate is named after its consent too, and only that one", () => {
    const own = aHold({ exchangeId: "ex-1", dispatchedAt: null, plan: { grantIds: ["requests"] } });
    const other = aGrant({ id: "later", kind: "requests", amount: 5, left: 5 });
    const account = anAccount(policy, { grants: [...grants, other], consents, holds: [own] });
    expect(admitted({ account }).plan.grantIds).toEqual(["requests"]);
    const without = { ...account, holds: [aHold({ exchangeId: "ex-1", dispatchedAt: null })] };
    expect(admitted({ account: without }).plan.grantIds).toEqual([]);
  });

  test("[W8] what waits for its siblings is not dispatched, and keeps its hold as long as a person may take", () => {
    const hold = { exchangeId: "ex-1", heldAt: NOW };
    expect(admitted({ waits: true }).account.holds).toMatchObject([
      { ...hold, dispatchedAt: null, expiresAt: NOW + 360_000 },
    ]);
    expect(admitted({ waits: false }).account.holds).toMatchObject([
      { ...hold, dispatchedAt: NOW, expiresAt: NOW + 50_000 },
    ]);
  });

  test("[K5] a late yes to one request is used up by it, and no other is", () => {
    const once = aConsent({ id: "late", kind: "once", identity: anInput().identity });
    const others = [aConsent({ id: "else", kind: "once", identity: "x" }), aConsent({ id: "s" })];
    const verdict = admitted({ account: anAccount(policy, { consents: [once, ...others] }) });
    expect(verdict).toMatchObject({ because: "K5", plan: { consentId: "late" } });
    expect(verdict.account.consents).toEqual(others);
  });

  test("[K1] only holds that rely on a consent use it up, and a session's yes is none to one request", () => {
    const account = anAccount(policy, {
      consents: [aConsent({ ceilingMicros: 30_000 })],
      holds: [aHold({ exchangeId: "o", plan: { consentId: "another" } })],
    });
    expect(admitted({ account }).plan.consentId).toBe("yes-1");
    const odd = aConsent({ identity: anInput().identity });
    const perRequest = aRevision(aPolicy({ consent: "per_request" }));
    const asked = decide(anInput({ policy: perRequest, account: anAccount(policy, { consents: [odd] }) }));
    expect(asked.kind).toBe("ask");
  });

  test("[K6] only a dialog that was shown, and went unanswered, counts as silence", () => {
    const own = aHold({ exchangeId: "ex-1", dispatchedAt: null });
    const silences = (over: Partial<DecideInput>, mutedUntilAt: number | null = null) => {
      const account = anAccount(policy, { holds: [own], mutedUntilAt });
      const verdict = decide(anInput({ account, ...over }));
      return "account" in verdict ? verdict.account.silences : null;
    };
    expect(silences({ consent: { answer: "unanswered", shown: true } })).toBe(1);
    expect(silences({ consent: { answer: "unanswered", shown: false } })).toBe(0);
    expect(silences({ consent: { answer: "unanswered", shown: true } }, MIDNIGHT)).toBe(0);
  });

  test("[E] a refusal that is not about money announces no limit", () => {
    const off = decide(anInput({ policy: aRevision(aPolicy({ allowSampling: false })) }));
    expect(off).toMatchObject({ kind: "refuse", firstBudgetNotice: false, plan: null, answeredBy: null, tried: [] });
  });
});

describe("accounts", () => {
  test("[M5] a first account is empty", () => {
    expect(newAccount(SERVER, policy, NOW)).toEqual({
      server: SERVER,
      window: "24h",
      windowStartAt: MIDNIGHT - 86_400_000,
      settledMicros: 0,
      settledCount: 0,
      holds: [],
      bucket: { tokens: 40, refilledAt: NOW },
      ratePromisedAt: 0,
      concurrencyPromisedAt: 0,
      grants: [],
      consents: [],
      denials: 0,
      silences: 0,
      mutedUntilAt: null,
      budgetNoticedWindowAt: null,
      latestAt: NOW,
    });
  });

  test("[G2] [K1] what is over goes, beside what is not", () => {
    const over = { expiresAt: NOW };
    const account = anAccount(policy, {
      grants: [aGrant({ id: "old", ...over }), aGrant({ id: "new" })],
      consents: [aConsent({ id: "old", ...over }), aConsent({ id: "new" })],
      mutedUntilAt: NOW,
    });
    const now = turned(account, NOW);
    expect([...now.grants, ...now.consents].map(({ id }) => id)).toEqual(["new", "new"]);
    expect(now.mutedUntilAt).toBeNull();
    expect(turned(account, NOW - 1).mutedUntilAt).toBe(NOW);
  });

  test("[E] a limit told in full stays told when the window is edited, and an older one does not", () => {
    const start = MIDNIGHT - 86_400_000;
    const into = (budgetNoticedWindowAt: number | null) =>
      closeExpired(anAccount(policy, { budgetNoticedWindowAt }), budgetOf("1h"), NOW).account.budgetNoticedWindowAt;
    expect(into(start)).toBe(NOW);
    expect(into(start - 1)).toBe(start - 1);
    expect(into(null)).toBeNull();
  });

  test("[K6] as many denials as silences are quiet by denial", () => {
    const twice = noteSilence(noteSilence(noteDenial(noteDenial(anAccount(policy), false, NOW), false, NOW), NOW), NOW);
    expect(quietOf(twice, NOW)).toBe("denials");
    expect(quietOf(noteSilence(twice, NOW), NOW)).toBe("silence");
  });
});

test("[D3] replays exactly ten minutes apart are not within ten minutes, and a new decision has none", () => {
  const first = decisionFor({
    draft: aDraft(),
    refusal: { reason: "user.denied", data: {} },
    because: "K4",
    policyRevision: 3,
    now: NOW,
  });
  expect(first).toEqual(
    aDecision({ firstAt: NOW, lastAt: NOW, loopSince: NOW, because: "K4", recordId: "ex-1", policyRevision: 3 }),
  );
  const { decision } = represent(represent(aDecision(), NOW).decision, NOW + 600_000);
  expect(decision.recentAt).toEqual([NOW + 600_000]);
  const within = represent(represent(aDecision(), NOW).decision, NOW + 599_999).decision;
  expect(within.recentAt).toEqual([NOW, NOW + 599_999]);
});

test("[W3] a line stays one line: what breaks it becomes one blank, what is too long is cut", () => {
  const { message } = refusalFrame("a\r\n\u2028b", { reason: "user.denied", data: {} });
  expect(message).toBe("Sampling refused for a b: user.denied. The person said no. Do not retry.");
  expect(refusalFrame("x".repeat(900), { reason: "user.denied", data: {} }).message).toHaveLength(500);
  expect(malformedFrame(SERVER, { path: "", problem: "a list where an object belongs" }).message).toBe(
    "Malformed sampling request from ci-triage at params: a list where an object belongs. Do not retry unchanged.",
  );
});

test("[M1] cents at their edges", () => {
  expect([0, 99, 100, 999_999, 1_000_000, 1_500_001].map((micros) => dollars(micros))).toEqual([
    "$0.00",
    "$0.000099",
    "$0.0001",
    "$1.00",
    "$1.00",
    "$1.50",
  ]);
  expect(dollarsApart(1_000_000, 1_000_001)).toEqual(["$1.00", "$1.000001"]);
  expect(dollarsApart(1_000_001, 1_000_001)).toEqual(["$1.00", "$1.00"]);
});

test("[M2] past the last band the last price holds, and a price without bands is the most there is", () => {
  const [band] = aPrice(1_000_000, 2_000_000).bands;
  if (band === undefined) throw new Error("no band");
  const bands = [
    { ...band, upToInputTokens: 10 },
    { ...band, upToInputTokens: 20, inputMicros: 3_000_000 },
  ];
  const price = { ...aPrice(0, 0), bands };
  expect([10, 11, 20, 21].map((tokens) => bandFor(price, tokens)?.inputMicros)).toEqual([
    1_000_000, 3_000_000, 3_000_000, 3_000_000,
  ]);
  expect(estimateMicros({ ...price, bands: [] }, 0, 0)).toBe(Number.MAX_SAFE_INTEGER);
  const catalog = { ...CATALOG, models: [aModel("steady", { price: { ...price, bands: [] } })] };
  expect(decide(anInput({ catalog, measured: MEASURED }))).toMatchObject({
    kind: "refuse",
    refusal: { reason: "policy.model_unpriced", data: { model: "steady" } },
  });
});

describe("what was given less", () => {
  const revision = aRevision(policy);
  const view = { policy: revision, gauge: gaugeOf(anAccount(policy), policy, NOW) };
  const base = { ...aDraft(), ending: "trimmed" as const, reason: null, because: "K1", detail: {}, policyRevision: 3 };
  const told = (over: Partial<ExchangeRecord>) =>
    noticesFor(
      { ...base, ...NOTHING_RAN, endedAt: NOW, ...over },
      view,
      { firstBudgetNotice: false, endedCall: false },
      NOW,
    );

  test("[W6] nothing is said of what is not known, of a completion as asked, or of malformed input", () => {
    expect(told({ scopeAsked: "conversation", maxTokensAsked: 9, hints: ["x"] })).toEqual([]);
    expect(told({ scopeGranted: "none", maxTokensGranted: 700, modelUsed: "steady" })).toEqual([]);
    expect(told({ ending: "completed", scopeAsked: "conversation", scopeGranted: "none" })).toEqual([]);
    expect(told({ ending: "refused", reason: "malformed" })).toEqual([]);
    expect(told({ fellBackFrom: ["a"] })).toEqual([]);
  });

  test("[W6] [R2] each thing in its own notice, whole", () => {
    const notice = (reason: string, text: string) => ({
      recordId: "ex-1",
      server: SERVER,
      id: `ex-1:${reason}`,
      tone: "info",
      reason,
      because: "K1",
      text,
      changesAt: null,
      raise: null,
      short: false,
    });
    expect(
      told({
        scopeAsked: "conversation",
        scopeGranted: "none",
        maxTokensAsked: 4_096,
        maxTokensGranted: 1_024,
        modelUsed: "c",
        fellBackFrom: ["a", "b"],
      }),
    ).toEqual([
      notice("policy.max_scope", "ci-triage asked for the whole conversation, was given none."),
      notice("policy.max_output_tokens", "ci-triage asked for 4,096 tokens of output, was given 1,024."),
      notice("fallback", "a, b could not be reached, so this ran on c."),
    ]);
    expect(told({ modelUsed: "steady", hints: ["", " opus "] })).toEqual([
      notice("policy.models", "ci-triage asked for another model, was given steady."),
    ]);
    for (const hints of [["opus", "STEADY"], ["steady-20251001", "opus"], [""], [" "]])
      expect(told({ modelUsed: "steady", hints })).toEqual([]);
  });
});

describe("sentences of records that say less than they should", () => {
  const say = (reason: Reason, over: Partial<ExchangeRecord> = {}) =>
    sentenceFor(
      reason,
      {
        server: SERVER,
        because: "M2",
        detail: {},
        endedAt: NOW,
        estimatedMicros: 0,
        chargedMicros: 0,
        ...over,
      },
      policy,
    );

  test("[E] what is missing is called unknown, or later", () => {
    expect(say("policy.model_unpriced")).toBe(
      "unknown has no price, so ci-triage's request was refused rather than run uncounted.",
    );
    expect(say("policy.input_too_large")).toBe(
      "ci-triage sent unknown tokens and may send unknown, so its request was refused.",
    );
    expect(say("policy.concurrency", { detail: { retryAt: "soon" } })).toBe(
      "ci-triage already has 2 requests running. It may ask again later.",
    );
    expect(say("policy.rate_limit", { detail: { retryAt: 7 } })).toBe(
      "ci-triage asks more often than 20 times a minute. It may ask again later.",
    );
    expect(say("provider.unsupported_content", { detail: { block: 7 } })).toBe(
      "No model that ci-triage may use takes unknown content, so its request was refused.",
    );
    expect(say("policy.budget_exhausted")).toBe(
      `ci-triage reached its daily limit of $1.00 at {at:${NOW}}. Resets later.`,
    );
  });

  test("[E] what it cost is said where it cost, and who said no where somebody did", () => {
    const chargedMicros = 1;
    expect(say("policy.deadline", { chargedMicros })).toBe(
      "ci-triage's request was stopped at its deadline of 20 s and cost $0.000001. It may ask again later.",
    );
    expect(say("policy.deadline")).toBe(
      "ci-triage's request was stopped at its deadline of 20 s. It may ask again later.",
    );
    expect(say("consent.pending")).toBe("ci-triage waited for your consent and was told to come back later.");
    expect(say("user.denied")).toBe("You denied ci-triage's request.");
    expect(say("user.denied", { because: "K6" })).toBe(
      "ci-triage is kept from asking you in this window, so its request was answered no.",
    );
  });

  test("[M2] what is left is said only where the request was larger than it", () => {
    const left = (spentUsd: unknown, estimatedMicros: number, capUsd: unknown = 1) =>
      say("policy.budget_exhausted", { detail: { capUsd, spentUsd }, estimatedMicros }).split("Resets later.")[1];
    expect(left(0.99, 10_001)).toBe(" $0.01 was left, and this request could have cost $0.010001.");
    expect(left(0.99, 10_000)).toBe("");
    expect(left(1, 5)).toBe("");
    expect(left(1.1, 5)).toBe("");
    expect(left("x", 5)).toBe("");
    expect(left(0, 5_000_000, null)).toBe("");
  });
});

test("[M2] usage at a price without bands costs the most there is", () => {
  const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(costMicros({ ...aPrice(0, 0), bands: [] }, usage)).toBe(Number.MAX_SAFE_INTEGER);
});
