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
  for (const key of ["$dynamicRef", "$recursiveRef"]) {
    const wandering = { properties: { a: { anyOf: [{ [key]: "#" }, { [key]: "#" }] } } };
    expect(outputProblem(wandering, { a: {} })).toEqual(UNCHECKED);
  }
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

test("[K8-10] two references that lead back to where they stand, and a wide schema over a long list, end soon", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(60)}{}${"}".repeat(60)}`);
  for (const word of ["anyOf", "allOf", "oneOf"]) {
    const doubling = { type: "object", properties: { a: { [word]: [{ $ref: "#" }, { $ref: "#" }] } } };
    expect(outputProblem(doubling, deep)).toEqual(UNCHECKED);
  }
  const standing = { allOf: [{ $ref: "#" }, { $ref: "#" }] };
  expect(outputProblem(standing, {})).toEqual(UNCHECKED);
  const wide = { type: "array", items: { anyOf: Array.from({ length: 2_000 }, () => ({ type: "null" })) } };
  expect(
    outputProblem(
      wide,
      Array.from({ length: 100_000 }, () => null),
    ),
  ).toEqual(UNCHECKED);
});

test("[K8-07] a schema that contains itself, as a tree does, is checked to the depth of the output", () => {
  const node = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string" },
      $defs: { type: "integer" },
      children: { type: "array", items: { $ref: "#/$defs/node" } },
    },
  };
  const tree = (depth: number, name: unknown): object => ({
    name,
    children: depth === 0 ? [] : [tree(depth - 1, name)],
  });
  const schema = { $defs: { node, alias: { $ref: "#/$defs/node" } }, $ref: "#/$defs/alias" };
  expect(outputProblem(schema, tree(12, "x"))).toBe(FITS);
  expect(outputProblem(schema, { name: "x", children: [tree(11, 7)] })).toEqual(DIFFERS);
  expect(outputProblem(schema, { name: "x", $defs: "no integer" })).toEqual(DIFFERS);
  expect(outputProblem({ ...schema, maxProperties: 1 }, tree(1, "x"))).toEqual(DIFFERS);
  const folder = { name: "x", children: Array.from({ length: 400 }, () => tree(1, "x")) };
  expect(outputProblem(schema, folder)).toBe(FITS);
});
