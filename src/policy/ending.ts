/** How an exchange finished; the same word in frames, records and on the screen (SPEC E). */
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
