/** The budget gauge of one server: settled solid, held hatched, grants extending the cap. */
import { type Account, accountAt, grantedMicros, heldMicros, resetsAtOf } from "./account";
import { meanMicros } from "./grant";
import type { BudgetWindow, Policy } from "./policy";
import { requestsLeft } from "./throttle";

/** µ$. */
export interface Gauge {
  readonly window: BudgetWindow;
  readonly settledMicros: number;
  readonly heldMicros: number;
  readonly capMicros: number;
  readonly grantedMicros: number;
  readonly resetsAt: number;
  readonly slotsInUse: number;
  readonly maxConcurrent: number;
  /** Whole requests the rate limit would let through now. */
  readonly requestsLeft: number;
  /** Mean charge of this window's requests, µ$; null before the first. */
  readonly meanMicros: number | null;
}

/** Reads the account as `decide` would at `now`, without changing it. */
export function gaugeOf(account: Account, policy: Policy, now: number): Gauge {
  const current = accountAt(account, policy, now);
  return {
    window: current.window,
    settledMicros: current.settledMicros,
    heldMicros: heldMicros(current),
    capMicros: policy.budget.capMicros,
    grantedMicros: grantedMicros(current),
    resetsAt: resetsAtOf(current),
    slotsInUse: current.holds.length,
    maxConcurrent: policy.maxConcurrent,
    requestsLeft: requestsLeft(current, policy.rateLimit, now),
    meanMicros: meanMicros(current),
  };
}
