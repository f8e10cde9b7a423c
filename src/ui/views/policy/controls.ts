/**
 * The seven controls in the words of SPEC P6, and a policy as named lines. Wherever a person sets or reads a bound,
 * these say what it bounds, how it fails and what it leaves alone.
 */
import type { Policy } from "../../../worker/api";
import { count, dollars, duration, scopeWords, windowName } from "../../parts/words";

export type ControlId = "consent" | "models" | "tokens" | "rate" | "budget" | "deadline" | "concurrency";

export interface ControlWords {
  readonly title: string;
  readonly bounds: string;
  readonly fails: string;
  readonly untouched: string;
}

export const CONTROLS: Readonly<Record<ControlId, ControlWords>> = {
  consent: {
    title: "Consent",
    bounds: "Whether a person agreed to this server, model, scope and ceiling.",
    fails: "It decays: under 1,340 dialogs people hold the approve key.",
    untouched: "Volume and cost after the click.",
  },
  models: {
    title: "Models",
    bounds: "The unit price, and where the data goes.",
    fails: "With nothing permitted the request is refused.",
    untouched: "The number and size of requests.",
  },
  tokens: {
    title: "Input and output tokens",
    bounds: "The size of one request.",
    fails: "A tight output clamp truncates, and truncation breeds retries.",
    untouched: "The number of requests.",
  },
  rate: {
    title: "Rate and burst",
    bounds: "Requests per minute.",
    fails: "A slow drip passes for ever.",
    untouched: "Size, content and intent.",
  },
  budget: {
    title: "Budget",
    bounds: "Dollars per window.",
    fails:
      "Once spent, the server is off until the reset; counted only after the fact it would overshoot, so Purser reserves first.",
    untouched: "What was disclosed; the provider's own limits.",
  },
  deadline: {
    title: "Deadline",
    bounds: "One wait.",
    fails: "It cuts off slow valid work; without it a stall parks slots.",
    untouched: "The number and cost of requests.",
  },
  concurrency: {
    title: "Concurrency",
    bounds: "Slots at one instant.",
    fails: "Stalls use up the slots.",
    untouched: "Totals over time.",
  },
};

export interface PolicyLine {
  /** As in the file, e.g. `rate_limit.burst`. */
  readonly field: string;
  readonly label: string;
  readonly value: string;
}

/** Every value of a policy with its name, in the order of the file; for summaries and differences. */
export function policyLines(policy: Policy): readonly PolicyLine[] {
  const line = (field: string, label: string, value: string): PolicyLine => ({ field, label, value });
  const { budget, raise, rateLimit } = policy;
  return [
    line("allow_sampling", "Allow sampling", policy.allowSampling ? "yes" : "no"),
    line("consent", "Consent", policy.consent === "per_session" ? "once per session" : "for every request"),
    line("models", "Models (allowlist)", policy.models.length === 0 ? "none" : policy.models.join(", ")),
    line("max_context_scope", "Context ceiling", scopeWords(policy.maxContextScope)),
    line("max_output_tokens", "Output tokens", count(policy.maxOutputTokens)),
    line("max_input_tokens", "Input tokens", count(policy.maxInputTokens)),
    line("rate_limit.requests_per_minute", "Requests per minute", count(rateLimit.requestsPerMinute)),
    line("rate_limit.burst", "Burst", count(rateLimit.burst)),
    line("budget.usd", "Budget (USD)", dollars(budget.capMicros)),
    line("budget.window", "Window", windowName(budget.window)),
    line("deadline_ms", "Deadline", duration(policy.deadlineMs)),
    line("max_concurrent", "Concurrent requests", count(policy.maxConcurrent)),
    line(
      "consent_ceiling_usd",
      "Consent ceiling (USD)",
      policy.consentCeilingMicros === null ? "what is left of the budget" : dollars(policy.consentCeilingMicros),
    ),
    line("raise.usd", "Raise by (USD)", dollars(raise.usdMicros)),
    line("raise.requests", "Raise by (requests)", count(raise.requests)),
    line("sampling_tools", "Sampling tools", policy.samplingTools ? "wanted, not built yet" : "refused"),
  ];
}

export interface LineChange {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** What differs between two revisions. */
export function changesBetween(before: Policy, after: Policy): readonly LineChange[] {
  const old = new Map(policyLines(before).map((line) => [line.field, line.value]));
  return policyLines(after)
    .filter((line) => old.get(line.field) !== line.value)
    .map((line) => ({ label: line.label, before: old.get(line.field) ?? "", after: line.value }));
}

/** One short sentence per control, for the server's page. */
export function controlSummary(policy: Policy): Readonly<Record<ControlId, string>> {
  const { budget, rateLimit } = policy;
  const ceiling =
    policy.consentCeilingMicros === null ? "" : `, each covering up to ${dollars(policy.consentCeilingMicros)}`;
  return {
    consent: `${policy.consent === "per_session" ? "Asks once per session" : "Asks for every request"}${ceiling}`,
    models: policy.models.length === 0 ? "None permitted" : policy.models.join(", then "),
    tokens: `Up to ${count(policy.maxInputTokens)} in, ${count(policy.maxOutputTokens)} out; may see ${scopeWords(policy.maxContextScope)}`,
    rate: `${count(rateLimit.requestsPerMinute)} per minute, ${count(rateLimit.burst)} at once`,
    budget: `${dollars(budget.capMicros)} per ${windowName(budget.window)}`,
    deadline: duration(policy.deadlineMs),
    concurrency: `${count(policy.maxConcurrent)} at one time`,
  };
}
