/**
 * The reasons a sampling request can end without a completion, as one table (SPEC W, E, G1).
 * Every other module looks a reason up here; a reason with no row does not compile.
 */

export type Reason =
  | "policy.sampling_disabled"
  | "policy.no_permitted_model"
  | "policy.model_unpriced"
  | "policy.input_too_large"
  | "policy.budget_exhausted"
  | "policy.rate_limit"
  | "policy.concurrency"
  | "consent.pending"
  | "user.denied"
  | "policy.deadline"
  | "provider.unavailable"
  | "provider.rejected"
  | "provider.unsupported_content"
  | "storage.unavailable";

type NoData = Readonly<Record<string, never>>;

/** What a refusal says in `data` besides `reason`, `server` and `retryable`. Instants are ISO 8601 UTC (W5). */
export interface ReasonData {
  "policy.sampling_disabled": NoData;
  "policy.no_permitted_model": NoData;
  "policy.model_unpriced": { readonly model: string };
  "policy.input_too_large": { readonly observed: number; readonly limit: number };
  "policy.budget_exhausted": { readonly spentUsd: number; readonly capUsd: number; readonly resetsAt: string };
  "policy.rate_limit": { readonly retryAt: string };
  "policy.concurrency": { readonly retryAt: string };
  "consent.pending": { readonly retryAt: string };
  "user.denied": NoData;
  "policy.deadline": { readonly retryAt: string };
  "provider.unavailable": { readonly retryAt: string };
  "provider.rejected": { readonly status: number };
  "provider.unsupported_content": { readonly block: string };
  "storage.unavailable": NoData;
}

/** One refusal: its reason and exactly the data that reason carries. */
export type Refusal = { [R in Reason]: { readonly reason: R; readonly data: ReasonData[R] } }[Reason];

/** What drops a stored decision before the person forgets it. `never_stored` has no decision to drop. */
export type StoredUntil =
  | "policy_edit"
  | "policy_or_price_edit"
  | "policy_or_provider_edit"
  | "window_reset_or_budget_grant"
  | "retry_at"
  | "retry_at_or_rate_grant"
  | "never_stored";

/** Where the person sees it (SPEC E). */
export type Surface = "log" | "inline" | "inline_once_per_window" | "log_unless_it_ended_the_call" | "dialog_or_chip";

/** The quantity a grant may raise (G1); null where no raise exists. */
export type Raisable = "usd" | "requests" | null;

interface ReasonRow {
  readonly code: -32003 | -32004 | -1;
  readonly retryable: boolean;
  readonly storedUntil: StoredUntil;
  /** How far ahead `retryAt` lies when the rule that refused has no better instant; 0 where there is no `retryAt`. */
  readonly retryAfterMs: number;
  readonly surface: Surface;
  readonly raise: Raisable;
}

const final = { code: -32003, retryable: false, retryAfterMs: 0, raise: null } as const;
const later = { code: -32004, retryable: true, raise: null } as const;

export const REASONS = {
  "policy.sampling_disabled": { ...final, storedUntil: "policy_edit", surface: "log" },
  "policy.no_permitted_model": { ...final, storedUntil: "policy_edit", surface: "inline" },
  "policy.model_unpriced": { ...final, storedUntil: "policy_or_price_edit", surface: "inline" },
  "policy.input_too_large": { ...final, storedUntil: "policy_edit", surface: "inline" },
  "policy.budget_exhausted": {
    ...final,
    storedUntil: "window_reset_or_budget_grant",
    surface: "inline_once_per_window",
    raise: "usd",
  },
  "policy.rate_limit": {
    ...later,
    storedUntil: "retry_at_or_rate_grant",
    retryAfterMs: 60_000,
    surface: "log_unless_it_ended_the_call",
    raise: "requests",
  },
  "policy.concurrency": {
    ...later,
    storedUntil: "retry_at",
    retryAfterMs: 2_000,
    surface: "log_unless_it_ended_the_call",
  },
  "consent.pending": { ...later, storedUntil: "never_stored", retryAfterMs: 30_000, surface: "dialog_or_chip" },
  "user.denied": {
    code: -1,
    retryable: false,
    storedUntil: "policy_edit",
    retryAfterMs: 0,
    surface: "inline",
    raise: null,
  },
  "policy.deadline": { ...later, storedUntil: "retry_at", retryAfterMs: 30_000, surface: "inline" },
  "provider.unavailable": { ...later, storedUntil: "retry_at", retryAfterMs: 30_000, surface: "inline" },
  "provider.rejected": { ...final, storedUntil: "policy_or_provider_edit", surface: "inline" },
  "provider.unsupported_content": { ...final, storedUntil: "policy_or_provider_edit", surface: "inline" },
  "storage.unavailable": { ...final, storedUntil: "never_stored", surface: "inline" },
} as const satisfies Record<Reason, ReasonRow>;
