/** From what a provider's answer says, or a broken connection, to our own four kinds of failure. */
import type { Usage } from "../../policy/catalog";
import type { ProviderFailure, ProviderOutcome } from "./provider";

type Failed = Extract<ProviderOutcome, { ok: false }>;

const DETAIL_MAX = 300;
/** No wish of a provider counts for longer than it is left alone at most (R7). */
export const LONGEST_WAIT_MS = 600_000;

/** 429 and 529 are limits shared by everything on the key (R7); 408 and 5xx may pass; the rest will not. */
export function failureOfStatus(status: number, detail: string, retryAfterMs: number | null): ProviderFailure {
  const limit = status === 429 || status === 529;
  if (limit || status === 408 || status >= 500) return { kind: "unavailable", status, retryAfterMs, limit, detail };
  return { kind: "rejected", status, detail };
}

/**
 * An error that came instead of an answer is not charged. After 408, 502 and 504 somebody on the way gave up waiting
 * for a model that may have run.
 */
export function refusedBeforeRunning(status: number, detail: string, retryAfterMs: number | null): Failed {
  const mayHaveCost = status === 408 || status === 502 || status === 504;
  return { ok: false, failure: failureOfStatus(status, detail, retryAfterMs), usage: null, mayHaveCost };
}

export function unavailable(detail: string): ProviderFailure {
  return { kind: "unavailable", status: null, retryAfterMs: null, limit: false, detail };
}

/**
 * The one way out of an adapter: whatever the detail is made of, it is without the key, should anybody repeat it, and
 * short. The key goes first, or a cut through it would leave its first half.
 */
export function outgoing(outcome: ProviderOutcome, key: string | null): ProviderOutcome {
  if (outcome.ok || !("detail" in outcome.failure)) return outcome;
  const { detail } = outcome.failure;
  const said = key === null || key === "" ? detail : detail.replaceAll(key, "…");
  return { ...outcome, failure: { ...outcome.failure, detail: said.slice(0, DETAIL_MAX).toWellFormed() } };
}

/** Nothing was sent. */
export function notSent(failure: ProviderFailure): Failed {
  return { ok: false, failure, usage: null, mayHaveCost: false };
}

/** `retry-after` in seconds or as a date; null where it is absent, hidden from other origins, or no time at all. */
export function retryAfterMs(headers: Headers | undefined, now: number): number | null {
  const value = headers?.get("retry-after");
  if (!value) return null;
  const seconds = Number(value);
  return boundedWaitMs(Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000);
}

/** Null for what is no wait. A time without end would make a date that cannot be written. */
export function boundedWaitMs(waitMs: number | null): number | null {
  if (waitMs === null || !Number.isFinite(waitMs) || waitMs < 0) return null;
  return Math.min(LONGEST_WAIT_MS, Math.round(waitMs));
}

/**
 * Null where usage was not really reported: a kind that is no count, or no input at all, or no output for an answer
 * that has text (K4-04). Absent usage is not zero usage.
 */
export function reportedUsage(usage: Usage, answerIsEmpty: boolean): Usage | null {
  const counts = Object.values(usage) as number[];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return null;
  if (usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens === 0) return null;
  if (usage.outputTokens === 0 && !answerIsEmpty) return null;
  return usage;
}
