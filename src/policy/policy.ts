/**
 * The policy record: what one server may ask for, in types the engine works with (SPEC P).
 * The file people share is `sampling-policy.yaml`; `policy-file.ts` maps between the two.
 */

export type ConsentMode = "per_session" | "per_request";

/** Context scopes from narrow to wide (C1). */
export const SCOPES = ["none", "this_server", "conversation"] as const;
export type Scope = (typeof SCOPES)[number];

export const BUDGET_WINDOWS = ["1h", "24h", "7d", "30d"] as const;
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

export interface Policy {
  readonly allowSampling: boolean;
  readonly consent: ConsentMode;
  /** Allowlist of model ids, most wanted first. */
  readonly models: readonly string[];
  readonly maxContextScope: Scope;
  readonly maxOutputTokens: number;
  readonly maxInputTokens: number;
  readonly rateLimit: { readonly requestsPerMinute: number; readonly burst: number };
  readonly budget: { readonly window: BudgetWindow; readonly capMicros: number };
  readonly deadlineMs: number;
  readonly maxConcurrent: number;
  /** What one consent covers, µ$; null: what is left of the budget when it is given. */
  readonly consentCeilingMicros: number | null;
  readonly raise: { readonly usdMicros: number; readonly requests: number };
  readonly samplingTools: boolean;
}

/** One kept revision of one server's policy (P2, P3). Revision 0 is the default of a server nobody edited. */
export interface PolicyRevision {
  readonly server: string;
  readonly revision: number;
  readonly policy: Policy;
  readonly editedAt: number;
  /** Profile name of whoever saved it; "" before one was given. */
  readonly editedBy: string;
}

/** A server without a block: sampling off (P1). The other values are what the form starts from. */
export const DEFAULT_POLICY: Policy = {
  allowSampling: false,
  consent: "per_session",
  models: [],
  maxContextScope: "none",
  maxOutputTokens: 1024,
  maxInputTokens: 8000,
  rateLimit: { requestsPerMinute: 20, burst: 40 },
  budget: { window: "24h", capMicros: 1_000_000 },
  deadlineMs: 20_000,
  maxConcurrent: 2,
  consentCeilingMicros: null,
  raise: { usdMicros: 5_000_000, requests: 10 },
  samplingTools: false,
};

/** Whether two policies say the same; saving one over the other then makes no revision (P3). */
export function samePolicy(one: Policy, other: Policy): boolean {
  return policyDiff(one, other).length === 0;
}

export interface FieldChange {
  /** Field of the record, groups with a dot: `budget.capMicros`. */
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs between two policies, field by field (P2). */
export function policyDiff(before: Policy, after: Policy): readonly FieldChange[] {
  const [old, young] = [flat(before), flat(after)];
  return Object.keys(old).flatMap((field) => {
    const change = { field, before: old[field], after: young[field] };
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change];
  });
}

function flat(policy: Policy): Readonly<Record<string, unknown>> {
  const { rateLimit, budget, raise, ...rest } = policy;
  return {
    ...rest,
    "rateLimit.requestsPerMinute": rateLimit.requestsPerMinute,
    "rateLimit.burst": rateLimit.burst,
    "budget.window": budget.window,
    "budget.capMicros": budget.capMicros,
    "raise.usdMicros": raise.usdMicros,
    "raise.requests": raise.requests,
  };
}
