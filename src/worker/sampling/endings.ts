/** Records of exchanges that ended without a provider call (SPEC E, L1). */
import type { Plan } from "../../policy/account";
import type { PolicyRevision } from "../../policy/policy";
import { REASONS, type Refusal } from "../../policy/reasons";
import type { ExchangeRecord, RecordDraft } from "../../policy/record";
import type { Malformed } from "../../policy/request";
import type { Exchange } from "./intake";

type Outcome = Pick<ExchangeRecord, "ending" | "reason" | "because" | "policyRevision"> & Partial<ExchangeRecord>;

/** A record with nothing run and nothing charged, but for what `outcome` says. */
export function recordOf(draft: RecordDraft, outcome: Outcome, endedAt: number): ExchangeRecord {
  return {
    ...draft,
    decidedAt: null,
    dispatchedAt: null,
    endedAt,
    detail: {},
    modelUsed: null,
    provider: null,
    scopeGranted: null,
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
    ...outcome,
  };
}

/** What a plan says of an exchange, for its record. */
export function plannedFields(plan: Plan): Partial<ExchangeRecord> {
  return {
    policyRevision: plan.policyRevision,
    provider: plan.provider,
    scopeGranted: plan.scopeGranted,
    maxTokensGranted: plan.maxTokensGranted,
    manifest: plan.manifest,
    estimatedInputTokens: plan.inputTokens,
    estimatedOutputTokens: plan.maxTokensGranted,
    estimatedMicros: plan.estimateMicros,
    pricesAsOf: plan.pricesAsOf,
    grantIds: plan.grantIds,
    consentId: plan.consentId,
    fellBackFrom: plan.fellBackFrom,
  };
}

export function malformedRecord(taken: { readonly draft: RecordDraft } & Malformed, now: number): ExchangeRecord {
  const detail = { path: taken.path, problem: taken.problem };
  return recordOf(
    taken.draft,
    { ending: "refused", reason: "malformed", because: "W9", policyRevision: 0, detail },
    now,
  );
}

/** Shown, but written nowhere: storage is what failed. */
export function unstoredRecord(exchange: Exchange, now: number): ExchangeRecord {
  const outcome = { ending: "refused", reason: "storage.unavailable", because: "D4", policyRevision: 0 } as const;
  return recordOf(exchange.draft, outcome, now);
}

export function cancelledRecord(exchange: Exchange, now: number): ExchangeRecord {
  const detail = { cause: exchange.incoming.signal.reason };
  return recordOf(exchange.draft, { ending: "cancelled", reason: null, because: "K7", policyRevision: 0, detail }, now);
}

/** An embedded request that was allowed while another of the same call was not: nothing ran (W8). */
export function siblingRefusedRecord(exchange: Exchange, now: number): ExchangeRecord {
  const detail = { cause: "another_request_of_this_call_was_refused" };
  return recordOf(exchange.draft, { ending: "cancelled", reason: null, because: "W8", policyRevision: 0, detail }, now);
}

export function unansweredRecord(
  exchange: Exchange,
  policy: PolicyRevision,
  now: number,
): { readonly record: ExchangeRecord; readonly refusal: Refusal } {
  const reason = "consent.pending";
  const data = { retryAt: new Date(now + REASONS[reason].retryAfterMs).toISOString() };
  const outcome = {
    ending: "unanswered",
    reason,
    because: "K5",
    policyRevision: policy.revision,
    detail: data,
  } as const;
  return { record: recordOf(exchange.draft, outcome, now), refusal: { reason, data } };
}
