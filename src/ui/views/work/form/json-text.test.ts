import { expect, test } from "vitest";
import { breakOf } from "./json-break";
import { readArguments, readJson } from "./json-text";

const problem = (text: string, read = readJson) => {
  const answer = read(text);
  return answer.ok ? null : answer.problem;
};

test("a parse error names line and column", () => {
  expect(problem('{\n  "a": 1,\n  "b": oops\n}')).toMatch(/Line 3, column 8: expected a value/);
  expect(problem('{"a": ')).toMatch(/Line 1, column 7: expected a value/);
});

test("the place found agrees with the engine on what is JSON at all", () => {
  for (const good of [
    "1",
    '"a\\n"',
    "[]",
    "{}",
    '[1,{"a":[null,true]},-0.5e3]',
    ' { "a" : [ ] } ',
    JSON.stringify({ a: "\u2028" }),
  ])
    expect([good, breakOf(good)]).toEqual([good, null]);
  for (const bad of [
    "",
    "[1,]",
    "{,}",
    "{a:1}",
    "01",
    "[1 2]",
    '{"a" 1}',
    '{"a":1}}',
    "'x'",
    '"\n"',
    "[",
    "nul",
    "[}",
    '{"a":1,}',
  ])
    expect([bad, breakOf(bad) === null]).toEqual([bad, false]);
});

test("arguments are an object; nothing typed is the empty one", () => {
  expect(problem("[1]", readArguments)).toMatch(/must be a JSON object/);
  expect(readArguments("  ")).toEqual({ ok: true, value: {} });
});
