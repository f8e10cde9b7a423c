/** Stored decisions (SPEC D): verdict and reason of a refused identity, never a completion. */
import { REASONS, type Reason, type Refusal, type StoredUntil } from "./reasons";
import type { RecordDraft } from "./record";
import { wasSetBack } from "./window";

/** `local server name : 32 hex digits` (I1). */
export type Identity = string;

export interface StoredDecision {
  readonly identity: Identity;
  readonly server: string;
  readonly refusal: Refusal;
  readonly because: string;
  readonly policyRevision: number;
  /** Record of the exchange that made it; its row shows `represented`. */
  readonly recordId: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Epoch ms after which it no longer counts; null: until what its reason names (StoredUntil) happens. */
  readonly expiresAt: number | null;
  readonly represented: number;
  /** When the newest replays came, oldest first, at most 40, to see 40 within 10 minutes (D3); empty once alerted. */
  readonly recentAt: readonly number[];
  /** The first of those that made, or may make, a loop. */
  readonly loopSince: number;
  /** When the one alert was given; null before. */
  readonly loopAlertedAt: number | null;
}

const LOOP_REPLAYS = 40;
const LOOP_WITHIN_MS = 600_000;

/**
 * The decision to store with a refusal; null where its reason is never stored. It counts until the instant its own
 * `data` promises (W5), or without limit until what the reason's row names happens.
 */
export function decisionFor(facts: {
  readonly draft: RecordDraft;
  readonly refusal: Refusal;
  readonly because: string;
  readonly policyRevision: number;
  readonly now: number;
}): StoredDecision | null {
  const { draft, refusal, because, policyRevision, now } = facts;
  if (REASONS[refusal.reason].storedUntil === "never_stored") return null;
  return {
    identity: draft.identity,
    server: draft.server,
    refusal,
    because,
    policyRevision,
    recordId: draft.id,
    firstAt: now,
    lastAt: now,
    expiresAt: promisedAt(refusal),
    represented: 0,
    recentAt: [],
    loopSince: now,
    loopAlertedAt: null,
  };
}

function promisedAt(refusal: Refusal): number | null {
  const { data } = refusal;
  if ("retryAt" in data) return Date.parse(data.retryAt);
  if ("resetsAt" in data) return Date.parse(data.resetsAt);
  return null;
}

/**
 * The decision where it still counts: made under this policy revision (P3) and not expired. A throttle does not outlast
 * the clock it was made by: set back, that would be until the old time comes round again (M5).
 */
export function liveDecision(
  decision: StoredDecision | null,
  policyRevision: number,
  now: number,
): StoredDecision | null {
  if (decision === null || decision.policyRevision !== policyRevision) return null;
  if (REASONS[decision.refusal.reason].retryable && wasSetBack(decision.firstAt, now)) return null;
  return decision.expiresAt !== null && now >= decision.expiresAt ? null : decision;
}

/** One more replay (A4). `loopAlert` is true on the one that makes it a retry loop, and never again (D3). */
export function represent(
  decision: StoredDecision,
  now: number,
): { readonly decision: StoredDecision; readonly loopAlert: boolean } {
  const represented = decision.represented + 1;
  const lastAt = Math.max(decision.lastAt, now);
  if (decision.loopAlertedAt !== null) return { decision: { ...decision, represented, lastAt }, loopAlert: false };
  const recentAt = [...decision.recentAt, lastAt].filter((at) => at > lastAt - LOOP_WITHIN_MS).slice(-LOOP_REPLAYS);
  const loopSince = recentAt[0] ?? lastAt;
  if (recentAt.length < LOOP_REPLAYS) {
    return { decision: { ...decision, represented, lastAt, recentAt, loopSince }, loopAlert: false };
  }
  const alerted = { ...decision, represented, lastAt, recentAt: [], loopSince, loopAlertedAt: lastAt };
  return { decision: alerted, loopAlert: true };
}

export type DroppingEvent = "policy_edit" | "price_edit" | "provider_edit" | "budget_grant" | "rate_grant";

/** What ends a stored decision besides its own expiry. A policy edit ends every one of that server (P3). */
const DROPPED_BY = {
  policy_edit: ["policy_edit"],
  policy_or_price_edit: ["policy_edit", "price_edit"],
  policy_or_provider_edit: ["policy_edit", "provider_edit"],
  window_reset_or_budget_grant: ["policy_edit", "budget_grant"],
  retry_at: ["policy_edit"],
  retry_at_or_rate_grant: ["policy_edit", "rate_grant"],
  never_stored: [],
} as const satisfies Record<StoredUntil, readonly DroppingEvent[]>;

/** Whether decisions with this reason end with this event (W, G4). */
export function droppedBy(event: DroppingEvent, reason: Reason): boolean {
  const events: readonly DroppingEvent[] = DROPPED_BY[REASONS[reason].storedUntil];
  return events.includes(event);
}
