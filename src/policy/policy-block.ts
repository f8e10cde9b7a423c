/** One server's block of `sampling-policy.yaml`, keys as in SPEC P, to and from the record. */
import { BUDGET_WINDOWS, DEFAULT_POLICY, type Policy, SCOPES } from "./policy";
import { type FieldProblem, modelsProblem, RANGES, rangeProblem } from "./policy-check";

/** A plain JSON-like value of a YAML block. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

export interface BlockProblem extends FieldProblem {
  /** Keys from the block to the value that is wrong. */
  readonly at: readonly string[];
}

type Reading = { -readonly [K in keyof Policy]: Policy[K] };

/** Reads one key's value into the record; answers what is wrong with it, or null. */
type Reader = (value: Plain, into: Reading) => string | null;

const oneOf = <T extends string>(words: readonly T[], put: (into: Reading, word: T) => void): Reader => {
  return (value, into) => {
    const word = words.find((one) => one === value);
    if (word === undefined) return `one of ${words.join(", ")}`;
    put(into, word);
    return null;
  };
};

const flag = (put: (into: Reading, value: boolean) => void): Reader => {
  return (value, into) => {
    if (typeof value !== "boolean") return "true or false";
    put(into, value);
    return null;
  };
};

const whole = (where: keyof typeof RANGES, put: (into: Reading, value: number) => void): Reader => {
  return (value, into) => {
    const range = RANGES[where];
    if (typeof value !== "number") return `a whole number of ${range.unit}`;
    const problem = rangeProblem(value, range);
    if (problem === null) put(into, value);
    return problem;
  };
};

const money = (where: keyof typeof RANGES, put: (into: Reading, micros: number) => void): Reader => {
  return (value, into) => {
    const range = RANGES[where];
    if (typeof value !== "number") return "an amount in dollars";
    const micros = microsOf(value);
    const problem = micros === null ? "dollars with at most six decimals" : rangeProblem(micros, range);
    if (problem === null && micros !== null) put(into, micros);
    return problem;
  };
};

/** Dollars as a number to integer µ$; null where the number has more than six decimals. */
export function microsOf(usd: number): number | null {
  const micros = Math.round(usd * 1_000_000);
  // Division is correctly rounded, so an amount of at most six decimals comes back as itself.
  return Number.isSafeInteger(micros) && micros / 1_000_000 === usd ? micros : null;
}

const READERS: Readonly<Record<string, Reader | Readonly<Record<string, Reader>>>> = {
  allow_sampling: flag((into, value) => {
    into.allowSampling = value;
  }),
  consent: oneOf(["per_session", "per_request"], (into, word) => {
    into.consent = word;
  }),
  models: (value, into) => {
    if (!Array.isArray(value) || !value.every((one): one is string => typeof one === "string"))
      return "a list of model ids";
    into.models = value;
    return modelsProblem(value);
  },
  max_context_scope: oneOf(SCOPES, (into, word) => {
    into.maxContextScope = word;
  }),
  max_output_tokens: whole("max_output_tokens", (into, value) => {
    into.maxOutputTokens = value;
  }),
  max_input_tokens: whole("max_input_tokens", (into, value) => {
    into.maxInputTokens = value;
  }),
  rate_limit: {
    requests_per_minute: whole("rate_limit.requests_per_minute", (into, requestsPerMinute) => {
      into.rateLimit = { ...into.rateLimit, requestsPerMinute };
    }),
    burst: whole("rate_limit.burst", (into, burst) => {
      into.rateLimit = { ...into.rateLimit, burst };
    }),
  },
  budget: {
    window: oneOf(BUDGET_WINDOWS, (into, window) => {
      into.budget = { ...into.budget, window };
    }),
    usd: money("budget.usd", (into, capMicros) => {
      into.budget = { ...into.budget, capMicros };
    }),
  },
  deadline_ms: whole("deadline_ms", (into, value) => {
    into.deadlineMs = value;
  }),
  max_concurrent: whole("max_concurrent", (into, value) => {
    into.maxConcurrent = value;
  }),
  consent_ceiling_usd: money("consent_ceiling_usd", (into, micros) => {
    into.consentCeilingMicros = micros;
  }),
  raise: {
    usd: money("raise.usd", (into, usdMicros) => {
      into.raise = { ...into.raise, usdMicros };
    }),
    requests: whole("raise.requests", (into, requests) => {
      into.raise = { ...into.raise, requests };
    }),
  },
  sampling_tools: flag((into, value) => {
    into.samplingTools = value;
  }),
};

/** What an enabled server must say for itself: a default nobody chose would be a limit nobody knows. */
const REQUIRED_WHEN_ENABLED = [
  "consent",
  "models",
  "max_context_scope",
  "max_output_tokens",
  "max_input_tokens",
  "budget",
];

/** Reads one block. Keys that are left out take the defaults; keys nobody knows are problems (SPEC P). */
export function parsePolicy(
  block: unknown,
): { readonly ok: true; readonly value: Policy } | { readonly ok: false; readonly problems: readonly BlockProblem[] } {
  const problems: BlockProblem[] = [];
  const into: Reading = { ...DEFAULT_POLICY };
  const say = (at: readonly string[], message: string) => void problems.push({ at, where: at.join("."), message });
  if (!isMap(block))
    return { ok: false, problems: [{ at: [], where: "", message: "a block of settings belongs here" }] };
  for (const [key, value] of Object.entries(block)) {
    const reader = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
    if (reader === undefined) say([key], `no such setting${nearest(key, Object.keys(READERS))}`);
    else if (typeof reader === "function") {
      const problem = reader(value, into);
      if (problem !== null) say([key], `must be ${problem}`);
    } else readGroup(key, value, reader, into, say);
  }
  if (into.allowSampling) {
    for (const key of REQUIRED_WHEN_ENABLED) if (!Object.hasOwn(block, key)) say([], `${key} is missing`);
  }
  return problems.length === 0 ? { ok: true, value: into } : { ok: false, problems };
}

function readGroup(
  group: string,
  value: Plain,
  readers: Readonly<Record<string, Reader>>,
  into: Reading,
  say: (at: readonly string[], message: string) => void,
): void {
  if (!isMap(value)) return say([group], `must be { ${Object.keys(readers).join(": …, ")}: … }`);
  for (const [key, inner] of Object.entries(value)) {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    const problem = reader?.(inner, into);
    if (reader === undefined) say([group, key], `no such setting${nearest(key, Object.keys(readers))}`);
    else if (problem !== null && problem !== undefined) say([group, key], `must be ${problem}`);
  }
  if (group !== "budget") return;
  for (const key of Object.keys(readers)) if (!Object.hasOwn(value, key)) say([group], `${key} is missing`);
}

function nearest(key: string, known: readonly string[]): string {
  const folded = key.replace(/[^a-z]/gi, "").toLowerCase();
  const like = known.find((one) => one.replaceAll("_", "") === folded);
  return like === undefined ? "" : `; did you mean ${like}?`;
}

export function isMap(value: unknown): value is Readonly<Record<string, Plain>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
