import { expect, test } from "vitest";
import { DEFAULT_POLICY, type Policy, policyDiff, samePolicy } from "./policy";
import { parsePolicy } from "./policy-block";
import { policyProblems } from "./policy-check";

const ENABLED = {
  allow_sampling: true,
  consent: "per_request",
  models: ["claude-haiku-4-5"],
  max_context_scope: "this_server",
  max_output_tokens: 1,
  max_input_tokens: 10_000_000,
  budget: { window: "7d", usd: 0.3 },
};

function problemsOf(block: unknown): readonly string[] {
  const read = parsePolicy(block);
  return read.ok ? [] : read.problems.map(({ where, message }) => `${where}: ${message}`);
}

function policyOf(block: unknown): Policy {
  const read = parsePolicy(block);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

test("[P1] a block that says nothing allows nothing", () => {
  expect(policyOf({})).toEqual(DEFAULT_POLICY);
  expect(DEFAULT_POLICY.allowSampling).toBe(false);
});

test("[P2] what a block says is read, what it leaves out takes the defaults", () => {
  expect(policyOf(ENABLED)).toEqual({
    ...DEFAULT_POLICY,
    allowSampling: true,
    consent: "per_request",
    models: ["claude-haiku-4-5"],
    maxContextScope: "this_server",
    maxOutputTokens: 1,
    maxInputTokens: 10_000_000,
    budget: { window: "7d", capMicros: 300_000 },
  });
  expect(policyOf({ rate_limit: { burst: 3 } }).rateLimit).toEqual({ requestsPerMinute: 20, burst: 3 });
  expect(policyOf({ consent_ceiling_usd: 2, sampling_tools: true })).toMatchObject({
    consentCeilingMicros: 2_000_000,
    samplingTools: true,
  });
});

test.each([null, undefined, 7, "x", [], [{}], () => 1])("[P2] %s is no block", (block) => {
  expect(problemsOf(block)).toEqual([": a block of settings belongs here"]);
});

test("[P2] all problems are named at once, each with its key", () => {
  const block = {
    allow_sampling: "yes",
    models: ["a", "a"],
    max_context_scope: "all",
    max_output_tokens: 0,
    max_input_tokens: 1.5,
    rate_limit: 20,
    budget: { window: "2h", usd: -1, cap: 3 },
    deadline_ms: 999,
    max_concurrent: 65,
    consent_ceiling_usd: null,
    raise: { usd: 0, requests: "10" },
    secret: 1,
    toString: 1,
  };
  expect(problemsOf(block)).toEqual([
    "allow_sampling: must be true or false",
    "models: must be a list of different models: a stands there twice",
    "max_context_scope: must be one of none, this_server, conversation",
    "max_output_tokens: must be between 1 and 1,000,000 tokens",
    "max_input_tokens: must be a whole number of tokens",
    "rate_limit: must be { requests_per_minute: …, burst: … }",
    "budget.window: must be one of 1h, 24h, 7d, 30d",
    "budget.usd: must be between $0 and $1,000,000",
    "budget.cap: no such setting",
    "deadline_ms: must be between 1,000 and 600,000 ms",
    "max_concurrent: must be between 1 and 64 requests",
    "consent_ceiling_usd: must be an amount in dollars",
    "raise.usd: must be between $0.000001 and $1,000,000",
    "raise.requests: must be a whole number of requests",
    "secret: no such setting",
    "toString: no such setting",
  ]);
});

test("[M1] dollars with at most six decimals become exact µ$; others are refused, not rounded", () => {
  const micros = (usd: number) => policyOf({ raise: { usd } }).raise.usdMicros;
  for (const [usd, exact] of [
    [0.1, 100_000],
    [0.29, 290_000],
    [1.005, 1_005_000],
    [4.35, 4_350_000],
    [0.000001, 1],
    [999_999.999999, 999_999_999_999],
  ] as const) {
    expect(micros(usd)).toBe(exact);
  }
  for (const usd of [0.1 + 0.2, 1e-7, 1.0000001, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(problemsOf({ raise: { usd } })).toEqual(["raise.usd: must be dollars with at most six decimals"]);
  }
});

test("[M1] the largest policy keeps its sums in whole µ$", () => {
  const million = policyOf({
    ...ENABLED,
    budget: { window: "30d", usd: 1_000_000 },
    raise: { usd: 1_000_000, requests: 1 },
  });
  expect(Number.isSafeInteger((million.budget.capMicros + million.raise.usdMicros) * 1_000)).toBe(true);
});

test("[P2] a form's values are checked with the fields named as in the file", () => {
  expect(policyProblems(DEFAULT_POLICY)).toEqual([]);
  const broken = {
    ...DEFAULT_POLICY,
    models: ["two words"],
    rateLimit: { requestsPerMinute: Number.NaN, burst: 0 },
    budget: { window: "2h", capMicros: 0.5 },
    deadlineMs: 700_000,
    consentCeilingMicros: 0,
  } as unknown as Policy;
  expect(policyProblems(broken).map(({ where }) => where)).toEqual([
    "rate_limit.requests_per_minute",
    "rate_limit.burst",
    "budget.usd",
    "deadline_ms",
    "consent_ceiling_usd",
    "budget.window",
    "models",
  ]);
});

test("[P3] two policies are the same where every field is; a difference is named with both values", () => {
  const other = {
    ...DEFAULT_POLICY,
    models: ["b", "a"],
    rateLimit: { ...DEFAULT_POLICY.rateLimit, burst: 7 },
    consentCeilingMicros: 1,
  };
  expect(samePolicy(DEFAULT_POLICY, structuredClone(DEFAULT_POLICY))).toBe(true);
  expect(samePolicy(other, { ...other, models: ["a", "b"] })).toBe(false);
  expect(policyDiff(DEFAULT_POLICY, other)).toEqual([
    { field: "models", before: [], after: ["b", "a"] },
    { field: "consentCeilingMicros", before: null, after: 1 },
    { field: "rateLimit.burst", before: 40, after: 7 },
  ]);
});

test("[P3] no field is left out of the comparison", () => {
  const leaves = (value: unknown): number =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.values(value).reduce<number>((sum, inner) => sum + leaves(inner), 0)
      : 1;
  const nothing = { rateLimit: {}, budget: {}, raise: {} } as unknown as Policy;
  expect(policyDiff(DEFAULT_POLICY, nothing)).toHaveLength(leaves(DEFAULT_POLICY));
});
