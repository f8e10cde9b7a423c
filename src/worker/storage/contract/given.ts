/** What the contract's cases start from: asks and settlements around the policy's own givens. */
import type { Consent, Plan } from "../../../policy/account";
import {
  aConsent,
  aDraft,
  aPolicy,
  aRequest,
  CATALOG,
  IDENTITY,
  MEASURED,
  NOW,
  SERVER,
} from "../../../policy/cases/given";
import type { ConsentAnswer } from "../../../policy/decide";
import type { Policy } from "../../../policy/policy";
import type { ExchangeRecord } from "../../../policy/record";
import type { AdmitAsk, Settlement, Store } from "../store";

/** What `MEASURED` costs at most: 2,900 tokens in and 700 out of `steady`. */
export const ESTIMATE_MICROS = 19_200;

export function identityOf(number: number, server = SERVER): string {
  return `${server}:${number.toString(16).padStart(32, "0")}`;
}

/** A request of its own per number; the same number is the same request again, as another exchange. */
export function anAsk(id: string, over: Partial<AdmitAsk> & { readonly server?: string } = {}): AdmitAsk {
  const { server = SERVER, identity = IDENTITY, ...rest } = over;
  const now = over.now ?? NOW;
  return {
    request: { ok: true, value: aRequest() },
    identity,
    draft: aDraft({ id, server, identity, receivedAt: now }),
    consent: null,
    measured: MEASURED,
    tried: [],
    catalog: CATALOG,
    now,
    ...rest,
  };
}

/** Enough of everything but what `over` says. */
export function generous(over: Partial<Policy> = {}): Policy {
  return aPolicy({
    rateLimit: { requestsPerMinute: 6_000, burst: 6_000 },
    budget: { window: "24h", capMicros: 1_000_000_000 },
    maxConcurrent: 10_000,
    ...over,
  });
}

/** Saves a policy and a session consent that covers whatever the budget does. */
export async function allow(store: Store, policy: Policy, server = SERVER): Promise<void> {
  await store.savePolicies(new Map([[server, policy]]), "Robin", NOW);
  const { revision } = await store.policy(server);
  await store.addConsent(server, consentFor(revision), NOW);
}

export function consentFor(policyRevision: number, over: Partial<Consent> = {}): Consent {
  return aConsent({ policyRevision, ceilingMicros: Number.MAX_SAFE_INTEGER, ...over });
}

export const DENY: ConsentAnswer = { answer: "deny", by: "Robin" };

export function settlementOf(plan: Plan, over: Partial<Settlement> = {}): Settlement {
  return {
    server: plan.server,
    exchangeId: plan.exchangeId,
    charge: {
      basis: "reported",
      micros: 10_000,
      usage: { inputTokens: 2_000, outputTokens: 300, cacheReadTokens: 100, cacheWriteTokens: 0 },
    },
    record: recordOf(plan),
    decision: null,
    consentId: plan.consentId,
    now: NOW + 500,
    ...over,
  };
}

export function recordOf(plan: Plan, over: Partial<ExchangeRecord> = {}): ExchangeRecord {
  return {
    ...aDraft({ id: plan.exchangeId, server: plan.server }),
    decidedAt: NOW,
    dispatchedAt: NOW,
    endedAt: NOW + 500,
    ending: "completed",
    reason: null,
    detail: {},
    because: "A11",
    policyRevision: plan.policyRevision,
    modelUsed: plan.model,
    provider: plan.provider,
    scopeGranted: plan.scopeGranted,
    maxTokensGranted: plan.maxTokensGranted,
    manifest: [],
    estimatedInputTokens: plan.inputTokens,
    estimatedOutputTokens: plan.maxTokensGranted,
    estimatedMicros: plan.estimateMicros,
    usage: null,
    chargedMicros: 0,
    chargeBasis: "none",
    overrunMicros: 0,
    pricesAsOf: plan.pricesAsOf,
    grantIds: plan.grantIds,
    consentId: plan.consentId,
    fellBackFrom: [],
    answeredBy: null,
    represented: 0,
    count: 1,
    ...over,
  };
}
