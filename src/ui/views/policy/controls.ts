/**
 * The seven controls, with the meaning of SPEC P6 in plain words, and a policy as named lines. Wherever a person sets or reads a bound,
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
    bounds: "Nothing runs until you agreed to this server, this model, this much context and this much money.",
    fails: "Asked too often, people stop reading and press allow: it wears out.",
    untouched: "How much is asked and spent after you agreed.",
  },
  models: {
    title: "Models",
    bounds: "What a token may cost, and which company gets to see the text.",
    fails: "When none of the listed models can run, the request is refused.",
    untouched: "How many requests come and how long they are.",
  },
  tokens: {
    title: "Input and output tokens",
    bounds: "How long one question and one answer may be.",
    fails: "Set too low, answers are cut short, and the server may ask again for the rest.",
    untouched: "How many requests come.",
  },
  rate: {
    title: "Rate and burst",
    bounds: "How many requests a minute are served, and how many at one go.",
    fails: "A server that asks slowly and never stops stays below it.",
    untouched: "How long a request is, what it says and what it is for.",
  },
  budget: {
    title: "Budget",
    bounds: "How much this server may spend before the next reset.",
    fails:
      "Once it is spent, the server gets nothing until the reset. Purser sets the money aside before a request runs, so that it is not overspent.",
    untouched: "What the model was already shown, and limits the provider sets itself.",
  },
  deadline: {
    title: "Deadline",
    bounds: "How long one request may take.",
    fails: "Set too short, it ends good work that is slow; set too long, a request that hangs keeps its place.",
    untouched: "How many requests come and what they cost.",
  },
  concurrency: {
    title: "Concurrency",
    bounds: "How many requests of this server run at the same time.",
    fails: "Requests that hang take all the places, and the next ones are turned away.",
    untouched: "How many requests run over the day.",
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
