import { expect, test } from "vitest";
import { outputProblem } from "./output-check";

const FITS = null;
const DIFFERS = expect.stringContaining("does not fit");
const UNCHECKED = expect.stringContaining("not checked");

test("[K8-10] output is checked against the tool's own schema", () => {
  const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
  expect(outputProblem(schema, { n: 1 })).toBe(FITS);
  expect(outputProblem(schema, { n: 0 })).toEqual(DIFFERS);
  expect(outputProblem(schema, undefined)).toContain("sent none");
  expect(outputProblem(undefined, { n: 0 })).toBe(FITS);
});

test("references within the schema work; one that leads out of it is not followed", () => {
  const inside = { $defs: { q: { type: "integer" } }, properties: { n: { $ref: "#/$defs/q" } } };
  expect(outputProblem(inside, { n: 1 })).toBe(FITS);
  expect(outputProblem(inside, { n: "x" })).toEqual(DIFFERS);
  expect(outputProblem({ properties: { n: { $ref: "http://127.0.0.1:9/x.json" } } }, { n: 1 })).toEqual(UNCHECKED);
});

test("an expression that backtracks for ever is not run", () => {
  const schema = { properties: { s: { type: "string", pattern: "^(a+)+$" } }, patternProperties: { "^(b+)+$": {} } };
  expect(outputProblem(schema, { s: `${"a".repeat(50_000)}!`, [`${"b".repeat(50_000)}!`]: 1 })).toBe(FITS);
});

test("properties that are called like a keyword are kept", () => {
  const schema = { properties: { pattern: { type: "integer" }, format: { type: "integer" } } };
  expect(outputProblem(schema, { pattern: "x" })).toEqual(DIFFERS);
});

test("references that double at each step, large schemas and deep ones are not checked", () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  );
  expect(outputProblem({ $defs: { ...doubling, d30: {} }, $ref: "#/$defs/d0" }, {})).toEqual(UNCHECKED);
  expect(outputProblem({ description: "x".repeat(100_000) }, {})).toEqual(UNCHECKED);
  const deep = JSON.parse(`${'{"properties":{"a":'.repeat(100)}{}${"}}".repeat(100)}`);
  expect(outputProblem(deep, {})).toEqual(UNCHECKED);
  expect(outputProblem("text", {})).toEqual(UNCHECKED);
  expect(outputProblem({ $schema: "http://example.invalid/own" }, {})).toEqual(UNCHECKED);
});

test("comparing all with all is left out", () => {
  const list = Array.from({ length: 300_000 }, (_, at) => at);
  expect(outputProblem({ properties: { l: { type: "array", uniqueItems: true } } }, { l: list })).toBe(FITS);
});
