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

test("[P2] every bound of a form holds to the last value, and says what it is", () => {
  const { rateLimit, budget, raise } = DEFAULT_POLICY;
  const set: Readonly<Record<string, (value: number) => Partial<Policy>>> = {
    max_output_tokens: (maxOutputTokens) => ({ maxOutputTokens }),
    max_input_tokens: (maxInputTokens) => ({ maxInputTokens }),
    "rate_limit.requests_per_minute": (requestsPerMinute) => ({ rateLimit: { ...rateLimit, requestsPerMinute } }),
    "rate_limit.burst": (burst) => ({ rateLimit: { ...rateLimit, burst } }),
    "budget.usd": (capMicros) => ({ budget: { ...budget, capMicros } }),
    deadline_ms: (deadlineMs) => ({ deadlineMs }),
    max_concurrent: (maxConcurrent) => ({ maxConcurrent }),
    consent_ceiling_usd: (consentCeilingMicros) => ({ consentCeilingMicros }),
    "raise.usd": (usdMicros) => ({ raise: { ...raise, usdMicros } }),
    "raise.requests": (requests) => ({ raise: { ...raise, requests } }),
  };
  const bounds: readonly (readonly [string, number, number, string, string])[] = [
    ["max_output_tokens", 1, 1_000_000, "between 1 and 1,000,000 tokens", "a whole number of tokens"],
    ["max_input_tokens", 1, 10_000_000, "between 1 and 10,000,000 tokens", "a whole number of tokens"],
    ["rate_limit.requests_per_minute", 1, 100_000, "between 1 and 100,000 requests", "a whole number of requests"],
    ["rate_limit.burst", 1, 100_000, "between 1 and 100,000 requests", "a whole number of requests"],
    ["budget.usd", 0, 1e12, "between $0 and $1,000,000", "dollars with at most six decimals"],
    ["deadline_ms", 1_000, 600_000, "between 1,000 and 600,000 ms", "a whole number of ms"],
    ["max_concurrent", 1, 64, "between 1 and 64 requests", "a whole number of requests"],
    ["consent_ceiling_usd", 1, 1e12, "between $0.000001 and $1,000,000", "dollars with at most six decimals"],
    ["raise.usd", 1, 1e12, "between $0.000001 and $1,000,000", "dollars with at most six decimals"],
    ["raise.requests", 1, 100_000, "between 1 and 100,000 requests", "a whole number of requests"],
  ];
  for (const [where, min, max, range, whole] of bounds) {
    const said = (value: number) => policyProblems({ ...DEFAULT_POLICY, ...set[where]?.(value) });
    for (const inside of [min, max]) expect(said(inside), `${where} ${inside}`).toEqual([]);
    for (const outside of [min - 1, max + 1]) expect(said(outside)).toEqual([{ where, message: `must be ${range}` }]);
    expect(said(min + 0.5)).toEqual([{ where, message: `must be ${whole}` }]);
  }
});

test("[P2] words of a form are ones there are, and models are ids", () => {
  const odd = { consent: "never", maxContextScope: "all", budget: { window: "2h", capMicros: 0 } };
  expect(policyProblems({ ...DEFAULT_POLICY, ...odd } as unknown as Policy)).toEqual([
    { where: "consent", message: "must be per_session or per_request" },
    { where: "max_context_scope", message: "must be one of none, this_server, conversation" },
    { where: "budget.window", message: "must be one of 1h, 24h, 7d, 30d" },
  ]);
  expect(policyProblems({ ...DEFAULT_POLICY, consent: "per_request" })).toEqual([]);
  const said = (...models: string[]) => policyProblems({ ...DEFAULT_POLICY, models }).map(({ message }) => message);
  expect(said("a", "x".repeat(200), "!~")).toEqual([]);
  const many = Array.from({ length: 50 }, (_, at) => `m${at}`);
  expect(said(...many)).toEqual([]);
  expect(said(...many, "one-more")).toEqual(["must be a list of at most 50 models"]);
  for (const bad of ["", " a", "a b", "a\n", "é", "x".repeat(201)]) {
    const shown = JSON.stringify(bad.slice(0, 60));
    expect(said("a", bad)).toEqual([`must be a list of model ids, visible characters without spaces: not ${shown}`]);
  }
  expect(said("a", "b", "a")).toEqual(["must be a list of different models: a stands there twice"]);
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
