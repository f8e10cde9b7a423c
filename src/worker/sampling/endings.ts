/** Records of exchanges that ended without a provider call (SPEC E, L1). */
import { type ExchangeRecord, NOTHING_RAN, planned, type RecordDraft } from "../../policy/record";
import type { Malformed } from "../../policy/request";
import type { AbortCause } from "../mcp/incoming";
import type { Live } from "./live";

type Outcome = Pick<ExchangeRecord, "ending" | "reason" | "because" | "policyRevision"> & Partial<ExchangeRecord>;

/** A record with nothing run and nothing charged, but for what `outcome` says. */
export function recordOf(draft: RecordDraft, outcome: Outcome, endedAt: number): ExchangeRecord {
  return { ...draft, ...NOTHING_RAN, decidedAt: null, endedAt, detail: {}, ...outcome };
}

/** What is known of an exchange however it ends: what it was decided under, held for and allowed by (P4, L1). */
export function recordOfLive(live: Live, outcome: Partial<Outcome>, endedAt: number): ExchangeRecord {
  const { revision, plan, answeredBy, exchange } = live;
  const known = plan === null ? {} : planned(plan);
  const common = { ending: "failed", reason: null, because: "", policyRevision: revision, answeredBy } as const;
  return recordOf(exchange.draft, { ...common, ...known, ...outcome }, endedAt);
}

export function malformedRecord(taken: { readonly draft: RecordDraft } & Malformed, now: number): ExchangeRecord {
  const detail = { path: taken.path, problem: taken.problem };
  // Whatever the policy, it was not looked at.
  return recordOf(
    taken.draft,
    { ending: "refused", reason: "malformed", because: "W9", policyRevision: 0, detail },
    now,
  );
}

/** Shown, but written nowhere: storage is what failed. */
export function unstoredRecord(live: Live, now: number): ExchangeRecord {
  return recordOfLive(live, { ending: "refused", reason: "storage.unavailable", because: "D4" }, now);
}

export function cancelledRecord(live: Live, now: number): ExchangeRecord {
  const cause = live.exchange.incoming.signal.reason as AbortCause;
  const because = cause === "another_request_of_this_call_was_refused" ? "W8" : "K7";
  return recordOfLive(live, { ending: "cancelled", because, detail: { cause } }, now);
}

/** A bug of ours ended it; what it cost, if anything, is settled when its hold expires. */
export function brokenRecord(live: Live, now: number): ExchangeRecord {
  return recordOfLive(live, { ending: "failed", because: "W1", detail: { cause: "internal_error" } }, now);
}

/** An embedded request that was allowed while another of the same call was not: nothing ran (W8). */
export function siblingRefusedRecord(live: Live, now: number): ExchangeRecord {
  const detail = { cause: "another_request_of_this_call_was_refused" };
  return recordOfLive(live, { ending: "cancelled", because: "W8", detail }, now);
}
