/** Rate and concurrency: who has to wait, and until when (SPEC A4, A5, A8, G). */
import type { Account } from "./account";
import type { Policy } from "./policy";
import { REASONS, type Refusal } from "./reasons";
import { isoOf, wasSetBack } from "./window";

type Bucket = Account["bucket"];

/** Sums of fractions of a token: less than this short of a whole one is a whole one. */
const TOLERANCE = 1e-9;
/** Slots are promised this far ahead; beyond it a server is told a little later each time, not hours later. */
const RATE_HORIZON_MS = 3_600_000;
const CONCURRENCY_HORIZON_MS = 600_000;

/**
 * The bucket at `now`. After a clock was set back it keeps what it held and fills from there: no burst, no drought
 * until the old time comes round again (M5).
 */
export function refilled(bucket: Bucket, limit: Policy["rateLimit"], now: number): Bucket {
  const elapsedMs = Math.max(0, now - bucket.refilledAt);
  const tokens = Math.min(limit.burst, bucket.tokens + (elapsedMs * limit.requestsPerMinute) / 60_000);
  return { tokens, refilledAt: now };
}

/** Whole requests the rate limit lets through at `now`, raises included. */
export function requestsLeft(account: Account, limit: Policy["rateLimit"], now: number): number {
  const { tokens } = refilled(account.bucket, limit, now);
  const granted = account.grants.reduce((sum, grant) => (grant.kind === "requests" ? sum + grant.left : sum), 0);
  return Math.floor(tokens + TOLERANCE) + granted;
}

export type Passage =
  | { readonly ok: true; readonly account: Account; readonly grantId: string | null }
  | { readonly ok: false; readonly account: Account; readonly refusal: Refusal };

/** Takes a rate token, or one request of a raise where the bucket is empty; else promises the next free slot. */
export function takeToken(account: Account, limit: Policy["rateLimit"], now: number): Passage {
  const bucket = refilled(account.bucket, limit, now);
  if (bucket.tokens >= 1 - TOLERANCE) {
    const tokens = Math.max(0, bucket.tokens - 1);
    return { ok: true, account: { ...account, bucket: { ...bucket, tokens } }, grantId: null };
  }
  const grant = account.grants.find((one) => one.kind === "requests" && one.left > 0);
  if (grant !== undefined) {
    const grants = account.grants.map((one) => (one === grant ? { ...one, left: one.left - 1 } : one));
    return { ok: true, account: { ...account, bucket, grants }, grantId: grant.id };
  }
  const msPerToken = 60_000 / limit.requestsPerMinute;
  const ratePromisedAt = nextPromise({
    promisedAt: account.ratePromisedAt,
    earliestAt: Math.max(now + REASONS["policy.rate_limit"].retryAfterMs, now + (1 - bucket.tokens) * msPerToken),
    stepMs: msPerToken,
    horizonMs: RATE_HORIZON_MS,
    now,
  });
  const refusal: Refusal = { reason: "policy.rate_limit", data: { retryAt: isoOf(ratePromisedAt) } };
  return { ok: false, account: { ...account, bucket, ratePromisedAt }, refusal };
}

/** Passes where a slot is free; else promises one, later than to whoever was refused before (A8). */
export function takeSlot(account: Account, maxConcurrent: number, now: number): Passage {
  if (account.holds.length < maxConcurrent) return { ok: true, account, grantId: null };
  const { retryAfterMs } = REASONS["policy.concurrency"];
  const concurrencyPromisedAt = nextPromise({
    promisedAt: account.concurrencyPromisedAt,
    earliestAt: now + retryAfterMs,
    stepMs: retryAfterMs / Math.max(1, maxConcurrent),
    horizonMs: CONCURRENCY_HORIZON_MS,
    now,
  });
  const refusal: Refusal = { reason: "policy.concurrency", data: { retryAt: isoOf(concurrencyPromisedAt) } };
  return { ok: false, account: { ...account, concurrencyPromisedAt }, refusal };
}

interface Promised {
  readonly promisedAt: number;
  readonly earliestAt: number;
  readonly stepMs: number;
  readonly horizonMs: number;
  readonly now: number;
}

/** The next slot, one step after the last promised one, so that honest retries do not come back as a herd (A8). */
function nextPromise({ promisedAt, earliestAt, stepMs, horizonMs, now }: Promised): number {
  const horizonAt = now + horizonMs;
  // None is ever promised so far ahead.
  const lastAt = wasSetBack(promisedAt, horizonAt) ? 0 : promisedAt;
  const slotAt = Math.ceil(Math.max(earliestAt, lastAt + Math.max(1, stepMs)));
  if (slotAt <= horizonAt) return slotAt;
  return Math.max(horizonAt, lastAt + 1);
}
