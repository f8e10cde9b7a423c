import {
  type Arbitrary,
  anything,
  array,
  assert,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  property,
  record,
  string,
  stringMatching,
} from "fast-check";
import { expect, test } from "vitest";
import { identityText } from "./identity";
import { readPolicyFile, writePolicyFile } from "./policy-file";
import type { FileProblem } from "./policy-yaml";
import { parseRequest } from "./request";

/** A failure prints its seed and path; PURSER_FUZZ_SEED sets another seed, PURSER_SOAK=1 runs twenty times as many. */
const SEED = Number(process.env.PURSER_FUZZ_SEED ?? 2_026);
const TIMES = process.env.PURSER_SOAK === "1" ? 20 : 1;
const TIMEOUT_MS = 300_000 * TIMES;
const runs = (numRuns: number) => ({ seed: SEED, numRuns: numRuns * TIMES });

const wild = oneof(jsonValue({ maxDepth: 2, stringUnit: "binary" }), anything({ withBigInt: true, maxDepth: 1 }));

/** Mostly what belongs there, now and then anything at all. */
function mostly<T>(...good: readonly T[]): Arbitrary<unknown> {
  return oneof({ weight: 20, arbitrary: constantFrom(...good) }, { weight: 1, arbitrary: wild });
}

const block = record({
  type: mostly("text", "text", "text", "image"),
  text: oneof(
    { weight: 20, arbitrary: string({ unit: "grapheme" }) },
    { weight: 1, arbitrary: string({ unit: "binary" }) },
  ),
  data: mostly("iVBORw0KGgo="),
  mimeType: mostly("image/png", "image/tiff"),
  id: mostly("a", "b"),
  name: mostly("look"),
  input: wild,
});
const message = record({
  role: mostly("user", "assistant"),
  content: oneof(block, array(block, { minLength: 1, maxLength: 3 })),
});
const params = oneof(
  { weight: 1, arbitrary: wild },
  {
    weight: 9,
    arbitrary: record(
      {
        messages: array(message, { minLength: 1, maxLength: 3 }),
        maxTokens: mostly(1, 100, 1e15),
        includeContext: mostly("none", "thisServer", null),
        modelPreferences: mostly(null, { hints: [{ name: "x" }, {}], costPriority: 1 }),
        systemPrompt: mostly(null, "be brief", "cafe\u0301"),
        tools: mostly(null, [{ name: "look", inputSchema: {} }]),
        toolChoice: mostly(null, { mode: "auto" }),
        temperature: mostly(null, 0, 1),
        stopSequences: mostly(null, ["END"]),
      },
      { requiredKeys: ["messages", "maxTokens"] },
    ),
  },
);

test(
  "[W9] no params make a reader throw, and whatever is accepted has an identity or a reason",
  () => {
    let [tried, accepted] = [0, 0];
    assert(
      property(params, constantFrom(true, false), (given, samplingTools) => {
        tried += 1;
        const parsed = parseRequest(given, { samplingTools });
        const identity = identityText(given);
        for (const read of [parsed, identity])
          if (!read.ok) expect(`${read.path}${read.problem}`).toMatch(/^[\x20-\x7e]+$/);
        if (!parsed.ok) return;
        accepted += 1;
        expect(parsed.value.messages.every(({ content }) => content.length > 0)).toBe(true);
        expect(identity.ok || /combining marks|the same text/.test(identity.problem)).toBe(true);
      }),
      runs(8_000),
    );
    // Else the inputs would be so wild that nothing past the first checks was tried.
    expect(accepted).toBeGreaterThanOrEqual(Math.floor(tried / 100));
  },
  TIMEOUT_MS,
);

const yamlish = oneof(
  string({ unit: "binary" }),
  stringMatching(
    /^(servers:\n)?(( {0,6}(allow_sampling|consent|models|budget|a|"b"|\? |- |#): ?(true|\[a, b\]|\{ usd: 1 \}|\||'x|&a|\*a|!t)?\n){0,8})$/,
  ),
  jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ servers: { a: value } }, null, 1)),
  record({ allow_sampling: wild, raise: record({ usd: wild, requests: wild }) }).map((value) => {
    const text = JSON.stringify({ a: value }, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}` : inner));
    return `servers: ${text}\n`;
  }),
);

/** Every problem stands in the text, at most just behind the end of its line. */
function expectPlaced(text: string, problems: readonly FileProblem[]): void {
  const lines = text.split("\n");
  const isPlaced = ({ line, column }: FileProblem) => column >= 1 && column <= (lines[line - 1] ?? "").length + 1;
  expect(problems.filter((problem) => !isPlaced(problem))).toEqual([]);
  expect(problems).not.toHaveLength(0);
}

test(
  "[P2] no text makes the file reader throw; each problem has a place in the text, and a good file writes itself",
  () => {
    assert(
      property(yamlish, (text) => {
        const file = readPolicyFile(text);
        if (file.ok) {
          expect(writePolicyFile(file.servers, text)).toBe(text);
          return;
        }
        expectPlaced(text, file.problems);
      }),
      runs(4_000),
    );
  },
  TIMEOUT_MS,
);

const GOOD_FILE = `# budgets of the team
servers:
  ci-triage: # asks a lot
    allow_sampling: true
    consent: per_session
    models: [claude-haiku-4-5, "llama3:8b"]
    max_context_scope: this_server
    max_output_tokens: 1024
    max_input_tokens: 8000
    rate_limit: { requests_per_minute: 20, burst: 40 }
    budget:
      window: 24h
      usd: 15.00
    deadline_ms: 20000
    max_concurrent: 2
    raise: { usd: 5.00, requests: 10 }
  "Größe 2":
    allow_sampling: false
    models:
      - a
      - b # last
`;
/** What a hostile or careless hand puts into a file. */
const ODDITY = constantFrom(
  "&a ",
  "*a",
  "<<: *a\n",
  "!!binary ",
  "!!js/function ",
  "%YAML 1.1\n---\n",
  "\t",
  "1e999",
  "0x7fffffffffffffff",
  "99999999999999999999999",
  "-.inf",
  ".nan",
  "__proto__: { usd: 1 }\n",
  "    allow_sampling: true\n",
  "  ci-triage: {}\n",
  "? ",
  ": ",
  "- ",
  "|2\n",
  ">-\n",
  "---\n",
  "...\n",
  "\u0000",
  "\ufeff",
  "\u2028",
  "\ud800",
  "\r",
  "#",
  "'",
  '"',
  "[",
  "{",
  "}",
  ",",
  " ",
  "\n",
  "[".repeat(200),
  "{a: ".repeat(100),
  "- ".repeat(100),
  "x".repeat(5_000),
  "&a [*a,*a,*a,*a]\n".repeat(20),
);
const hand = record({ at: nat({ max: 1_000 }), drop: nat({ max: 12 }), put: oneof(ODDITY, string({ maxLength: 3 })) });

function touched(text: string, hands: readonly { at: number; drop: number; put: string }[]): string {
  let now = text;
  for (const { at, drop, put } of hands) {
    const from = at % (now.length + 1);
    // Half of them put something in, half of them also take something away.
    now = now.slice(0, from) + put + now.slice(from + (drop % 2 === 0 ? drop : 0));
  }
  return now;
}

test(
  "[P2] a good file touched anywhere is refused with places in it, or says all it says again when printed",
  () => {
    let [tried, accepted] = [0, 0];
    assert(
      property(array(hand, { minLength: 1, maxLength: 3 }), (hands) => {
        tried += 1;
        const text = touched(GOOD_FILE, hands);
        const file = readPolicyFile(text);
        if (!file.ok) return expectPlaced(text, file.problems);
        accepted += 1;
        expect(writePolicyFile(file.servers, text)).toBe(text);
        const printed = writePolicyFile(file.servers, null);
        const again = readPolicyFile(printed);
        expect(again.ok && [...again.servers]).toEqual([...file.servers]);
        expect(writePolicyFile(file.servers, printed)).toBe(printed);
      }),
      runs(3_000),
    );
    expect(accepted).toBeGreaterThanOrEqual(Math.floor(tried / 100));
  },
  TIMEOUT_MS,
);
