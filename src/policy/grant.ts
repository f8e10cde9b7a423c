/** Raises: bounded, expiring, and only where a quantity ran out (SPEC G). */
import { type Account, accountAt, type Grant, type GrantKind, resetsAtOf } from "./account";
import { wholeUp } from "./money";
import type { Policy, PolicyRevision } from "./policy";
import { REASONS, type Reason } from "./reasons";
import type { ExchangeRecord } from "./record";
import { windowOf } from "./window";

/** The reasons a raise exists for; no other reason can be passed to `offerFor` (G1). */
export type RaisableReason = {
  [R in Reason]: (typeof REASONS)[R]["raise"] extends null ? never : R;
}[Reason];

export interface RaiseOffer {
  readonly kind: GrantKind;
  /** µ$ or requests. */
  readonly amount: number;
  /** About how many more requests it buys at this server's mean; null where no mean is known. */
  readonly buysAbout: number | null;
  readonly expiresAt: number;
}

const DAY_MS = 24 * 3_600_000;
/** This many raises within a week are evidence that the budget does not fit (G5). */
const RUN_OF_GRANTS = 3;
const RUN_WITHIN_MS = 7 * DAY_MS;
const CENT_MICROS = 10_000;

export function isRaisable(reason: Reason | "malformed" | null): reason is RaisableReason {
  return reason !== null && reason !== "malformed" && REASONS[reason].raise !== null;
}

/** The one raise the policy allows for this reason (G2); null where its increment is nothing. */
export function offerFor(
  reason: RaisableReason,
  policy: Policy,
  facts: { readonly meanMicros: number | null; readonly expiresAt: number },
): RaiseOffer | null {
  const kind = REASONS[reason].raise;
  const amount = kind === "usd" ? policy.raise.usdMicros : policy.raise.requests;
  if (!policy.allowSampling || !(amount > 0)) return null;
  const buysAbout = kind === "usd" ? bought(amount, facts.meanMicros) : amount;
  return { kind, amount, buysAbout, expiresAt: facts.expiresAt };
}

/** How many requests of this mean cost an amount pays for; null where there is no mean to go by. */
export function bought(micros: number, meanMicros: number | null): number | null {
  return meanMicros === null || !(meanMicros > 0) ? null : Math.floor(micros / meanMicros);
}

/** Mean charge of this window's requests, µ$, of a turned account; null before the first. */
export function meanMicros(account: Account): number | null {
  return account.settledCount === 0 ? null : account.settledMicros / account.settledCount;
}

/** The raise offered on a record: null where none exists, or where its window is over and nothing is short any more. */
export function raiseFor(
  record: Pick<ExchangeRecord, "reason" | "endedAt">,
  policy: PolicyRevision,
  account: Account,
  now: number,
): RaiseOffer | null {
  const current = accountAt(account, policy.policy, now);
  if (!isRaisable(record.reason) || record.endedAt < current.windowStartAt) return null;
  return offerFor(record.reason, policy.policy, { meanMicros: meanMicros(current), expiresAt: resetsAtOf(current) });
}

/** Count and sum of a server's grants by UTC day, newest day first (G5). */
export function grantsByDay(
  grants: readonly Grant[],
): readonly { readonly day: string; readonly count: number; readonly micros: number; readonly requests: number }[] {
  const days = new Map<string, { day: string; count: number; micros: number; requests: number }>();
  for (const grant of grants) {
    const day = new Date(grant.grantedAt).toISOString().slice(0, 10);
    const row = days.get(day) ?? { day, count: 0, micros: 0, requests: 0 };
    row.count += 1;
    row[grant.kind === "usd" ? "micros" : "requests"] += grant.amount;
    days.set(day, row);
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? 1 : -1));
}

/**
 * The budget that would have fitted: the cap and the most that was granted on top of it in any one window, to the
 * next cent. Null before the third dollar raise within 7 days (G5).
 * @param since when the policy was last edited: raises of an older cap say nothing of this one
 */
export function suggestedCapMicros(policy: Policy, grants: readonly Grant[], now: number, since = 0): number | null {
  const from = Math.max(since, now - RUN_WITHIN_MS);
  const recent = grants.filter((grant) => grant.kind === "usd" && grant.grantedAt >= from);
  if (recent.length < RUN_OF_GRANTS) return null;
  const byWindow = new Map<number, number>();
  for (const grant of recent) {
    const { startAt } = windowOf(policy.budget.window, grant.grantedAt);
    byWindow.set(startAt, (byWindow.get(startAt) ?? 0) + grant.amount);
  }
  const fitted = policy.budget.capMicros + Math.max(...byWindow.values());
  return wholeUp(Math.ceil(fitted / CENT_MICROS) * CENT_MICROS);
}
