/**
 * The policy form's values: everything a person types stays text until it is saved, so that what is wrong can be named
 * beside it. Pure. Field names are the file's (`rate_limit.burst`), as the worker's problems use them.
 */
import type { Policy, Problem } from "../../../worker/api";
import type { BudgetWindow } from "../../parts/words";

export interface Draft {
  readonly allowSampling: boolean;
  readonly consent: Policy["consent"];
  /** One model per line, most wanted first. */
  readonly models: string;
  readonly maxContextScope: Policy["maxContextScope"];
  readonly maxOutputTokens: string;
  readonly maxInputTokens: string;
  readonly requestsPerMinute: string;
  readonly burst: string;
  readonly budgetUsd: string;
  readonly window: BudgetWindow;
  readonly deadlineMs: string;
  readonly maxConcurrent: string;
  /** "" for what is left of the budget. */
  readonly consentCeilingUsd: string;
  readonly raiseUsd: string;
  readonly raiseRequests: string;
  /** Not on the form, since nothing acts on it yet; kept through saves. */
  readonly samplingTools: boolean;
}

/** Micro-dollars as a person would type them: "0.25", "15.00". */
export function usdText(micros: number): string {
  const [whole = "0", part = ""] = (micros / 1_000_000).toFixed(6).split(".");
  const cents = part.replace(/0+$/, "").padEnd(2, "0");
  return `${whole}.${cents}`;
}

/** "$1,250.5" → 1 250 500 000; null where it is not an amount of at most six decimals. */
export function microsOf(text: string): number | null {
  const match = /^\$?(\d{1,9})(?:\.(\d{0,6}))?$/.exec(text.trim().replace(/[,_ ](?=\d{3}(\D|$))/g, ""));
  if (match === null) return null;
  return Number(match[1]) * 1_000_000 + Number((match[2] ?? "").padEnd(6, "0"));
}

function wholeOf(text: string): number | null {
  const plain = text.trim().replace(/[,_ ](?=\d{3}(\D|$))/g, "");
  return /^\d{1,12}$/.test(plain) ? Number(plain) : null;
}

export function draftOf(policy: Policy): Draft {
  return {
    allowSampling: policy.allowSampling,
    consent: policy.consent,
    models: policy.models.join("\n"),
    maxContextScope: policy.maxContextScope,
    maxOutputTokens: String(policy.maxOutputTokens),
    maxInputTokens: String(policy.maxInputTokens),
    requestsPerMinute: String(policy.rateLimit.requestsPerMinute),
    burst: String(policy.rateLimit.burst),
    budgetUsd: usdText(policy.budget.capMicros),
    window: policy.budget.window,
    deadlineMs: String(policy.deadlineMs),
    maxConcurrent: String(policy.maxConcurrent),
    consentCeilingUsd: policy.consentCeilingMicros === null ? "" : usdText(policy.consentCeilingMicros),
    raiseUsd: usdText(policy.raise.usdMicros),
    raiseRequests: String(policy.raise.requests),
    samplingTools: policy.samplingTools,
  };
}

export function modelsOf(text: string): readonly string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export type Read = { readonly policy: Policy } | { readonly problems: readonly Problem[] };

/** The policy a draft stands for, or what is not a figure in it. Whether the figures make sense is the worker's to say. */
export function policyOf(draft: Draft): Read {
  const problems: Problem[] = [];
  const read = (field: string, text: string, parse: (text: string) => number | null, wanted: string): number => {
    const value = parse(text);
    if (value === null)
      problems.push({ where: field, message: text.trim() === "" ? `Missing; ${wanted}` : `Not understood; ${wanted}` });
    return value ?? 0;
  };
  const whole = (field: string, text: string): number => read(field, text, wholeOf, "a whole number such as 20.");
  const usd = (field: string, text: string): number =>
    read(field, text, microsOf, "an amount in dollars such as 2.50.");
  const policy: Policy = {
    allowSampling: draft.allowSampling,
    consent: draft.consent,
    models: modelsOf(draft.models),
    maxContextScope: draft.maxContextScope,
    maxOutputTokens: whole("max_output_tokens", draft.maxOutputTokens),
    maxInputTokens: whole("max_input_tokens", draft.maxInputTokens),
    rateLimit: {
      requestsPerMinute: whole("rate_limit.requests_per_minute", draft.requestsPerMinute),
      burst: whole("rate_limit.burst", draft.burst),
    },
    budget: { window: draft.window, capMicros: usd("budget.usd", draft.budgetUsd) },
    deadlineMs: whole("deadline_ms", draft.deadlineMs),
    maxConcurrent: whole("max_concurrent", draft.maxConcurrent),
    consentCeilingMicros:
      draft.consentCeilingUsd.trim() === "" ? null : usd("consent_ceiling_usd", draft.consentCeilingUsd),
    raise: { usdMicros: usd("raise.usd", draft.raiseUsd), requests: whole("raise.requests", draft.raiseRequests) },
    samplingTools: draft.samplingTools,
  };
  return problems.length > 0 ? { problems } : { policy };
}

export function sameDraft(a: Draft, b: Draft): boolean {
  return (Object.keys(a) as (keyof Draft)[]).every((key) => a[key] === b[key]);
}
