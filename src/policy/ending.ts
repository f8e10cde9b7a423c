/** How an exchange finished; the same word in frames, records and on the screen (SPEC E). */
import type { Reason } from "./reasons";

export const ENDINGS = [
  "completed",
  "trimmed",
  "refused",
  "throttled",
  "denied",
  "unanswered",
  "timed_out",
  "failed",
  "cancelled",
  "lost",
] as const;

/**
 * `trimmed` is any completion that was not run as asked: context, output or model (W6).
 * `lost` is an exchange whose tab died before its outcome was known (M4).
 */
export type Ending = (typeof ENDINGS)[number];

const ENDING_OF = {
  "policy.sampling_disabled": "refused",
  "policy.no_permitted_model": "refused",
  "policy.model_unpriced": "refused",
  "policy.input_too_large": "refused",
  "policy.budget_exhausted": "refused",
  "policy.rate_limit": "throttled",
  "policy.concurrency": "throttled",
  "consent.pending": "unanswered",
  "user.denied": "denied",
  "policy.deadline": "timed_out",
  "provider.unavailable": "failed",
  "provider.rejected": "failed",
  "provider.unsupported_content": "failed",
  "storage.unavailable": "refused",
} as const satisfies Record<Reason, Ending>;

/** The ending of an exchange that was answered with this reason. */
export function endingOf(reason: Reason): Ending {
  return ENDING_OF[reason];
}
