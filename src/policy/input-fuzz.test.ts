import {
  type Arbitrary,
  anything,
  array,
  assert,
  constantFrom,
  jsonValue,
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

const RUNS = { seed: 2_026, numRuns: 5_000 };

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

test("[W9] no params make a reader throw, and whatever is accepted has an identity or a reason", () => {
  let [runs, accepted] = [0, 0];
  assert(
    property(params, constantFrom(true, false), (given, samplingTools) => {
      runs += 1;
      const parsed = parseRequest(given, { samplingTools });
      const identity = identityText(given);
      for (const read of [parsed, identity])
        if (!read.ok) expect(`${read.path}${read.problem}`).toMatch(/^[\x20-\x7e]+$/);
      if (!parsed.ok) return;
      accepted += 1;
      expect(parsed.value.messages.every(({ content }) => content.length > 0)).toBe(true);
      expect(identity.ok || /combining marks|the same text/.test(identity.problem)).toBe(true);
    }),
    RUNS,
  );
  // Else the inputs would be so wild that nothing past the first checks was tried.
  expect(accepted).toBeGreaterThan(runs / 50);
}, 120_000);

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

test("[P2] no text makes the file reader throw; each problem has a place in the text, and a good file writes itself", () => {
  assert(
    property(yamlish, (text) => {
      const file = readPolicyFile(text);
      if (file.ok) {
        expect(writePolicyFile(file.servers, text)).toBe(text);
        return;
      }
      const lines = text.split("\n");
      const isPlaced = ({ line, column }: FileProblem) => column >= 1 && column <= (lines[line - 1] ?? "").length + 2;
      expect(file.problems.filter(isPlaced)).toHaveLength(file.problems.length);
      expect(file.problems).not.toHaveLength(0);
    }),
    RUNS,
  );
}, 120_000);
