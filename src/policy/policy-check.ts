/** Whether a policy's values are ones the engine can work with, with the field named as in the file (SPEC P2). */
import { BUDGET_WINDOWS, type Policy, SCOPES } from "./policy";

export interface FieldProblem {
  /** As in the file, e.g. `rate_limit.burst`. */
  readonly where: string;
  readonly message: string;
}

interface Range {
  readonly of: (policy: Policy) => number | null;
  readonly min: number;
  readonly max: number;
  /** What the bound is for, in the words of a message. */
  readonly unit: string;
}

const MILLION_DOLLARS_MICROS = 1_000_000 * 1_000_000;

/** Upper bounds keep every product of them inside a safe integer of µ$; lower ones keep a limit from meaning nothing. */
export const RANGES = {
  max_output_tokens: { of: (policy) => policy.maxOutputTokens, min: 1, max: 1_000_000, unit: "tokens" },
  max_input_tokens: { of: (policy) => policy.maxInputTokens, min: 1, max: 10_000_000, unit: "tokens" },
  "rate_limit.requests_per_minute": {
    of: (policy) => policy.rateLimit.requestsPerMinute,
    min: 1,
    max: 100_000,
    unit: "requests",
  },
  "rate_limit.burst": { of: (policy) => policy.rateLimit.burst, min: 1, max: 100_000, unit: "requests" },
  "budget.usd": { of: (policy) => policy.budget.capMicros, min: 0, max: MILLION_DOLLARS_MICROS, unit: "dollars" },
  deadline_ms: { of: (policy) => policy.deadlineMs, min: 1_000, max: 600_000, unit: "ms" },
  max_concurrent: { of: (policy) => policy.maxConcurrent, min: 1, max: 64, unit: "requests" },
  consent_ceiling_usd: {
    of: (policy) => policy.consentCeilingMicros,
    min: 1,
    max: MILLION_DOLLARS_MICROS,
    unit: "dollars",
  },
  "raise.usd": { of: (policy) => policy.raise.usdMicros, min: 1, max: MILLION_DOLLARS_MICROS, unit: "dollars" },
  "raise.requests": { of: (policy) => policy.raise.requests, min: 1, max: 100_000, unit: "requests" },
} satisfies Readonly<Record<string, Range>>;

const MAX_MODELS = 50;
const MODEL_ID = /^[\x21-\x7e]{1,200}$/;

/** Every problem of a policy that came from a form; none where it may be saved. */
export function policyProblems(policy: Policy): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const say = (where: string, rule: string) => void problems.push({ where, message: `must be ${rule}` });
  for (const [where, range] of Object.entries(RANGES)) {
    const value = range.of(policy);
    const problem = value === null ? null : rangeProblem(value, range);
    if (problem !== null) say(where, problem);
  }
  if (policy.consent !== "per_session" && policy.consent !== "per_request")
    say("consent", "per_session or per_request");
  if (!SCOPES.includes(policy.maxContextScope)) say("max_context_scope", `one of ${SCOPES.join(", ")}`);
  if (!BUDGET_WINDOWS.includes(policy.budget.window)) say("budget.window", `one of ${BUDGET_WINDOWS.join(", ")}`);
  const models = modelsProblem(policy.models);
  if (models !== null) say("models", models);
  return problems;
}

export function rangeProblem(value: number, { min, max, unit }: Range): string | null {
  const inDollars = unit === "dollars";
  if (!Number.isSafeInteger(value))
    return inDollars ? "dollars with at most six decimals" : `a whole number of ${unit}`;
  if (value >= min && value <= max) return null;
  if (inDollars) return `between $${dollars(min)} and $${dollars(max)}`;
  return `between ${min.toLocaleString("en-US")} and ${max.toLocaleString("en-US")} ${unit}`;
}

function dollars(micros: number): string {
  return (micros / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

export function modelsProblem(models: readonly string[]): string | null {
  if (models.length > MAX_MODELS) return `a list of at most ${MAX_MODELS} models`;
  const odd = models.find((model) => !MODEL_ID.test(model));
  if (odd !== undefined)
    return `a list of model ids, visible characters without spaces: not ${JSON.stringify(odd.slice(0, 60))}`;
  // It would read as "whatever there is", and allow nothing.
  const pattern = models.find((model) => model.includes("*"));
  if (pattern !== undefined) return `a list of models by name: ${JSON.stringify(pattern.slice(0, 60))} is a pattern`;
  const twice = models.find((model, at) => models.indexOf(model) !== at);
  return twice === undefined ? null : `a list of different models: ${twice} stands there twice`;
}
