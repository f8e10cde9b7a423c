import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedMember } from "./repeats";

test.each([
  ['{"a":1,"a":2}', "a"],
  ['{"a":1,"\\u0061":2}', "a"],
  [
    '{"params":{"messages":[{"role":"user"},{"role":"user","content":1,"role":"assistant"}]}}',
    "params.messages[1].role",
  ],
  ['{"params":{"maxTokens":1,"x":{"maxTokens":2},"maxTokens":1e9}}', "params.maxTokens"],
  ['[{"id":1},{"id":2,"id":3}]', "[1].id"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"a b":{"\u202e":1,"\u202e":2}}', '["a b"]["\\u202e"]'],
  ['{"\\"":1,"\\"":2}', '["\\""]'],
  ['{ "a" : "}\\\\" , "a" : 0 }', "a"],
])("[F13] [K5-09] %s names a member twice, and where", (json, path) => {
  expect(repeatedMember(json)).toBe(path);
});

test.each([
  '{"a":"\\"a\\":1,\\"a\\":2"}',
  '{"a":{"a":{"a":[{"a":1},{"a":2}]}},"b":["a","a"]}',
  '{"a":"\\\\","b":"\\\\\\"a"}',
  '{"caf\u00e9":1,"cafe\u0301":2}',
  '"a"',
  "[]",
  "7",
])("[F13] %s names none twice", (json) => {
  expect(repeatedMember(json)).toBe(null);
});

test("[F13] whatever JSON a value is written as, it names nothing twice until a member is added again", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { minKeys: 1 }),
      fc.nat(4),
      (value, space) => {
        const json = JSON.stringify(value, null, space);
        expect(repeatedMember(json)).toBe(null);
        const key = JSON.stringify(Object.keys(value)[0]);
        expect(repeatedMember(`${json.slice(0, json.lastIndexOf("}"))},${key}:0}`)).not.toBe(null);
      },
    ),
    { seed: 13, numRuns: 500 },
  );
});

test("[F13] [F16] brackets without end, and small objects without end, are read to their end", () => {
  expect(repeatedMember("[".repeat(400_000))).toBe(null);
  expect(repeatedMember(`[${'{"a":0},'.repeat(100_000)}{"a":0,"a":0}]`)).toBe("[100000].a");
});
