/** What the corpus and the tests start from: one server, one policy, one catalog, one Wednesday noon. */
import { type Account, type Consent, type Grant, type Hold, newAccount, type Plan } from "../account";
import type { Catalog, ModelEntry, Price } from "../catalog";
import type { DecideInput, Measured } from "../decide";
import type { StoredDecision } from "../decision";
import { DEFAULT_POLICY, type Policy, type PolicyRevision } from "../policy";
import type { RecordDraft } from "../record";
import type { SamplingRequest } from "../request";

export const NOW = Date.UTC(2026, 11, 2, 12);
export const MIDNIGHT = Date.UTC(2026, 11, 3);
export const SERVER = "ci-triage";
export const IDENTITY = `${SERVER}:00112233445566778899aabbccddeeff`;

export function aPrice(inputMicros: number, outputMicros: number): Price {
  const cacheReadMicros = inputMicros / 10;
  const cacheWriteMicros = inputMicros * 1.25;
  const band = { upToInputTokens: null, inputMicros, outputMicros, cacheReadMicros, cacheWriteMicros };
  return { bands: [band], asOf: "2026-12-01", source: "table" };
}

export function aModel(id: string, over: Partial<ModelEntry> = {}): ModelEntry {
  return {
    id,
    aliases: [],
    provider: "somewhere",
    price: aPrice(3_000_000, 15_000_000),
    availability: { state: "ready" },
    accepts: ["text", "image"],
    cheapness: 0.5,
    speed: 0.5,
    intelligence: 0.5,
    ...over,
  };
}

/** `steady` costs $3 in and $15 out per million tokens, the figures of the exact arithmetic. */
export const CATALOG: Catalog = {
  pricesAsOf: "2026-12-01",
  models: [
    aModel("steady", { aliases: ["steady-classic"] }),
    aModel("claude-haiku-4-5", { price: aPrice(1_000_000, 5_000_000), cheapness: 0.9, speed: 0.9, intelligence: 0.3 }),
    aModel("claude-opus-5-5", { price: aPrice(4_000_000, 20_000_000), cheapness: 0.1, speed: 0.2, intelligence: 1 }),
    aModel("reader", { accepts: ["text"] }),
    aModel("free", { price: aPrice(0, 0), accepts: ["text"], provider: "embedded" }),
    aModel("nameless-price", { price: null }),
    aModel("resting", { availability: { state: "backing_off", untilAt: NOW + 90_000 }, provider: "elsewhere" }),
    aModel("keyless", { availability: { state: "not_configured" }, provider: "nowhere" }),
  ],
};

export function aPolicy(over: Partial<Policy> = {}): Policy {
  return { ...DEFAULT_POLICY, allowSampling: true, models: ["steady"], ...over };
}

export function aRevision(policy: Policy, revision = 3): PolicyRevision {
  return { server: SERVER, revision, policy, editedAt: NOW - 86_400_000, editedBy: "Robin" };
}

export function aRequest(over: Partial<SamplingRequest> = {}): SamplingRequest {
  return {
    messages: [{ role: "user", content: [{ type: "text", text: "Why did the build fail?" }] }],
    systemPrompt: null,
    includeContext: "none",
    modelPreferences: { hints: [], costPriority: null, speedPriority: null, intelligencePriority: null },
    maxTokens: 700,
    temperature: null,
    stopSequences: [],
    tools: null,
    toolChoice: null,
    ...over,
  };
}

export function aDraft(over: Partial<RecordDraft> = {}): RecordDraft {
  return {
    id: "ex-1",
    server: SERVER,
    identity: IDENTITY,
    runId: "run-1",
    tool: "triage",
    receivedAt: NOW,
    hints: [],
    scopeAsked: "none",
    maxTokensAsked: 700,
    protocol: "2025-11-25",
    transport: "http",
    ...over,
  };
}

export function aPlan(over: Partial<Plan> = {}): Plan {
  return {
    exchangeId: "ex-0",
    server: SERVER,
    policyRevision: 3,
    model: "steady",
    provider: "somewhere",
    hints: [],
    hintIgnored: false,
    scopeAsked: "none",
    scopeGranted: "none",
    maxTokensAsked: 700,
    maxTokensGranted: 700,
    manifest: [],
    inputTokens: 2_900,
    estimateMicros: 19_200,
    deadlineMs: 20_000,
    pricesAsOf: "2026-12-01",
    grantIds: [],
    consentId: null,
    fellBackFrom: [],
    ...over,
  };
}

export function aHold(over: Partial<Omit<Hold, "plan">> & { readonly plan?: Partial<Plan> } = {}): Hold {
  const exchangeId = over.exchangeId ?? "ex-0";
  return {
    exchangeId,
    amountMicros: 19_200,
    heldAt: NOW - 1_000,
    dispatchedAt: NOW - 1_000,
    expiresAt: NOW + 49_000,
    draft: aDraft({ id: exchangeId }),
    ...over,
    plan: aPlan({ exchangeId, ...over.plan }),
  };
}

export function aConsent(over: Partial<Consent> = {}): Consent {
  return {
    id: "yes-1",
    kind: "session",
    identity: null,
    model: "steady",
    scope: "none",
    ceilingMicros: 1_000_000,
    usedMicros: 0,
    policyRevision: 3,
    givenAt: NOW - 60_000,
    expiresAt: MIDNIGHT,
    givenBy: "Robin",
    ...over,
  };
}

export function aGrant(over: Partial<Grant> = {}): Grant {
  return {
    id: "raise-1",
    server: SERVER,
    kind: "usd",
    amount: 100_000,
    left: 100_000,
    grantedAt: NOW - 60_000,
    expiresAt: MIDNIGHT,
    grantedBy: "Robin",
    recordId: "ex-0",
    ...over,
  };
}

export function aDecision(over: Partial<StoredDecision> = {}): StoredDecision {
  return {
    identity: IDENTITY,
    server: SERVER,
    refusal: { reason: "user.denied", data: {} },
    because: "K4",
    policyRevision: 3,
    recordId: "ex-0",
    firstAt: NOW - 60_000,
    lastAt: NOW - 60_000,
    expiresAt: null,
    represented: 0,
    recentAt: [],
    loopSince: NOW - 60_000,
    loopAlertedAt: null,
    ...over,
  };
}

export function anAccount(policy: Policy, over: Partial<Account> = {}): Account {
  return { ...newAccount(SERVER, policy, NOW - 3_600_000), ...over };
}

/** Counted for `steady` with no context: 2,900 tokens, as in the exact arithmetic. */
export const MEASURED: Measured = { model: "steady", scope: "none", inputTokens: 2_900, manifest: [] };

/** A request of a server with a session consent: admitted unless `over` says otherwise. */
export function anInput(over: Partial<DecideInput> = {}): DecideInput {
  const policy = over.policy ?? aRevision(aPolicy());
  return {
    request: { ok: true, value: aRequest() },
    identity: IDENTITY,
    draft: aDraft(),
    policy,
    account: anAccount(policy.policy, { consents: [aConsent()] }),
    prior: null,
    consent: null,
    measured: MEASURED,
    tried: [],
    catalog: CATALOG,
    now: NOW,
    ...over,
  };
}
