/** A policy as the text of its block in `sampling-policy.yaml` (SPEC P). */
import type { Policy } from "./policy";

/** A value already in the words of the file, or a group of them. */
export type Printed = string | readonly string[] | { readonly [key: string]: string };

/** The block of a policy, every setting said, `consent_ceiling_usd` and `sampling_tools` only where they are set. */
export function printedBlock(policy: Policy): Readonly<Record<string, Printed>> {
  const { rateLimit, budget, raise } = policy;
  return {
    allow_sampling: String(policy.allowSampling),
    consent: policy.consent,
    models: policy.models.map(scalarText),
    max_context_scope: policy.maxContextScope,
    max_output_tokens: String(policy.maxOutputTokens),
    max_input_tokens: String(policy.maxInputTokens),
    rate_limit: { requests_per_minute: String(rateLimit.requestsPerMinute), burst: String(rateLimit.burst) },
    budget: { window: budget.window, usd: dollarsText(budget.capMicros) },
    deadline_ms: String(policy.deadlineMs),
    max_concurrent: String(policy.maxConcurrent),
    ...(policy.consentCeilingMicros === null ? {} : { consent_ceiling_usd: dollarsText(policy.consentCeilingMicros) }),
    raise: { usd: dollarsText(raise.usdMicros), requests: String(raise.requests) },
    ...(policy.samplingTools ? { sampling_tools: "true" } : {}),
  };
}

/** In one line, with brackets. */
export function inLine(value: Printed): string {
  if (typeof value === "string") return value;
  if (isList(value)) return `[${value.join(", ")}]`;
  const members = Object.entries(value).map(([key, inner]) => `${key}: ${inner}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

export function isList(value: Printed): value is readonly string[] {
  return Array.isArray(value);
}

/** Dollars of integer µ$: two decimals, more only where they matter. */
export function dollarsText(micros: number): string {
  const decimals = String(micros % 1_000_000).padStart(6, "0");
  return `${Math.floor(micros / 1_000_000)}.${decimals.replace(/0{1,4}$/, "")}`;
}

/** Begins with a letter, ends with a letter or digit, and means itself in and out of brackets. */
const PLAIN = /^\p{L}(?:[\p{L}\p{M}\p{N}_./:-]*[\p{L}\p{N}])?$/u;
const MEANS_ANOTHER = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text as YAML reads it back: bare where it may be, else quoted. */
export function scalarText(text: string): string {
  return PLAIN.test(text) && !MEANS_ANOTHER.test(text) ? text : JSON.stringify(text);
}
