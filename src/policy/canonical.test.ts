import { readdirSync, readFileSync } from "node:fs";
import canonicalize from "canonicalize";
import { assert, jsonValue, property } from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "./canonical";
import { Bad } from "./read";

const VECTORS = new URL("cases/rfc8785/", import.meta.url);
const NAMES = readdirSync(new URL("input/", VECTORS)).map((file) => file.replace(".json", ""));

function read(path: string): string {
  return readFileSync(new URL(path, VECTORS), "utf8");
}

test("[I4] there are six published vectors", () => {
  expect(NAMES.sort()).toEqual(["arrays", "french", "structures", "unicode", "values", "weird"]);
});

test.each(NAMES)("[K5-01] [I4] RFC 8785 vector %s: the bytes are the published ones", (name) => {
  const bytes = Buffer.from(canonicalJson(JSON.parse(read(`input/${name}.json`))), "utf8");
  expect(bytes.toString("hex")).toBe(read(`outhex/${name}.txt`).replace(/\s/g, ""));
  expect(bytes.toString("utf8")).toBe(read(`output/${name}.json`));
});

test("[I4] any JSON gives the text that an independent implementation gives", () => {
  assert(
    property(jsonValue({ stringUnit: "binary", maxDepth: 6 }), (value) => {
      expect(canonicalJson(value)).toBe(canonicalize(value));
    }),
    { seed: 8785, numRuns: 1_000 },
  );
});

test("[I4] keys stand in the order of their UTF-16 units, not of their code points [K5-03]", () => {
  expect(canonicalJson({ "\ufb33": 2, "😀": 1 })).toBe('{"😀":1,"\ufb33":2}');
});

test("[F12] [I4] a key named __proto__ is a key", () => {
  expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"A":2}'))).toBe('{"A":2,"__proto__":{"a":1}}');
});

test.each([
  ["half a character", ["\ud83d"], "[0]"],
  ["half a character in a key", { a: { "\udc00": 1 } }, "a"],
  ["no number", { a: [1, Number.NaN] }, "a[1]"],
  ["overflow [K5-08]", JSON.parse('{"x":1e400}'), "x"],
  ["undefined in a list", [undefined], "[0]"],
  ["a function", { f: () => 1 }, "f"],
])("[I4] %s is refused where it stands", (_, value, path) => {
  expect(thrownBy(() => canonicalJson(value))).toMatchObject({ at: { path } });
});

test("[F16] [I4] 64 levels pass, the 65th does not, and a hundred thousand overflow nothing", () => {
  expect(canonicalJson(nested(64))).toHaveLength(128);
  for (const levels of [65, 100_000]) expect(thrownBy(() => canonicalJson(nested(levels)))).toBeInstanceOf(Bad);
});

function nested(levels: number): unknown {
  let value: unknown[] = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}
