import { expect, test } from "vitest";
import { type Field, LIMITS } from "./model";
import { keyOf, problemsOf } from "./problems";
import { formOf } from "./schema";
import { argsOf, initialOf, withValueAt } from "./values";

const only = (property: unknown, extra: object = {}): Field => {
  const field = formOf({ type: "object", properties: { a: property }, ...extra }).members[0]?.field;
  if (field === undefined) throw new Error("the schema gave no field");
  return field;
};

test("each simple type has its control", () => {
  expect(only({ type: "string" }).kind).toBe("text");
  expect(only({ type: "integer", minimum: 1 })).toMatchObject({
    kind: "number",
    integer: true,
    min: { value: 1, open: false },
  });
  expect(only({ type: "boolean" }).kind).toBe("boolean");
  expect(only({ enum: ["x", "y"] })).toMatchObject({ kind: "enum", many: false });
  expect(only({ type: "array", items: { type: "string" } })).toMatchObject({ kind: "list", item: { kind: "text" } });
  expect(only({ type: "array", uniqueItems: true, items: { enum: ["x"] } })).toMatchObject({
    kind: "enum",
    many: true,
  });
  expect(only({ properties: { b: { type: "number" } } }).kind).toBe("group");
  expect(only({}).kind).toBe("json");
});

test("title names the field, else the property does", () => {
  expect(only({ type: "string", title: "Build" }).label).toBe("Build");
  expect(only({ type: "string" }).label).toBe("a");
});

test("a nullable type is the type itself, several types are shapes, oneOf of constants is a choice", () => {
  expect(only({ type: ["string", "null"] }).kind).toBe("text");
  expect(only({ anyOf: [{ type: "integer" }, { type: "null" }], title: "Count" })).toMatchObject({
    kind: "number",
    label: "Count",
  });
  expect(only({ oneOf: [{ type: "string" }, { type: "number" }] })).toMatchObject({ kind: "variant" });
  expect(only({ oneOf: [{ const: 1, title: "One" }, { const: 2 }] })).toMatchObject({
    kind: "enum",
    options: [
      { label: "One", value: 1 },
      { label: "2", value: 2 },
    ],
  });
});

test("references are followed inside the document, never outside it or in circles", () => {
  const $defs = { name: { type: "string" }, self: { $ref: "#/$defs/self" } };
  expect(only({ $ref: "#/$defs/name" }, { $defs }).kind).toBe("text");
  expect(only({ $ref: "#/$defs/self" }, { $defs }).kind).toBe("json");
  expect(only({ $ref: "https://elsewhere.example/schema.json" }).kind).toBe("json");
  expect(only({ $ref: "#/$defs/__proto__" }, { $defs }).kind).toBe("json");
});

test("a schema that contains itself ends at the depth bound", () => {
  const tree = { type: "object", properties: { value: { type: "string" }, next: { $ref: "#" } } };
  expect(JSON.stringify(formOf(tree)).length).toBeLessThan(20_000);
});

test("a schema that branches into itself stays within the field bound", () => {
  const properties = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, { $ref: "#" }]));
  const text = JSON.stringify(formOf({ type: "object", properties }));
  expect(text.split('"kind"').length).toBeLessThan(LIMITS.fields * 3);
});

test("properties past the bound are counted, not lost silently", () => {
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: "string" }]));
  const form = formOf({ properties });
  expect(form.members.length + form.leftOut).toBe(500);
  expect(form.leftOut).toBeGreaterThan(0);
});

test("no schema, however odd, throws", () => {
  for (const odd of [
    null,
    3,
    "x",
    [],
    { properties: 4 },
    { properties: { a: null } },
    { properties: { a: { enum: {} } } },
  ])
    expect(formOf(odd).kind).toBe("group");
});

test("required and defaults make the first values; an optional group starts absent", () => {
  const form = formOf({
    required: ["on", "inner"],
    properties: {
      on: { type: "boolean" },
      limit: { type: "integer", default: 12 },
      inner: { properties: { depth: { type: "integer", default: 1 } } },
      extra: { required: ["key"], properties: { key: { type: "string" }, size: { default: 2 } } },
    },
  });
  const first = initialOf(form, true);
  expect(first).toEqual({ on: false, limit: 12, inner: { depth: 1 } });
  expect(problemsOf(form, first).size).toBe(0);
});

test("problems are told at the field they belong to", () => {
  const form = formOf({
    required: ["build"],
    properties: {
      build: { type: "string", minLength: 2 },
      limit: { type: "integer", maximum: 12 },
      lines: { type: "array", items: { type: "integer" } },
    },
  });
  const problems = problemsOf(form, { limit: 13, lines: [1, "two"] });
  expect(problems.get(keyOf(["build"]))).toBe("This is needed.");
  expect(problems.get(keyOf(["limit"]))).toBe("The most is 12.");
  expect(problems.get(keyOf(["lines", 1]))).toBe("This is not a number.");
  expect(problemsOf(form, { build: "x" }).get(keyOf(["build"]))).toBe("At least 2 characters are needed.");
});

test("an optional group asks for its required members only once it is used", () => {
  const form = formOf({
    properties: { extra: { required: ["key"], properties: { key: { type: "string" }, size: { type: "integer" } } } },
  });
  expect(problemsOf(form, {}).size).toBe(0);
  const used = withValueAt({}, ["extra", "size"], 4);
  expect(problemsOf(form, used).get(keyOf(["extra", "key"]))).toBe("This is needed.");
  expect(withValueAt(used, ["extra", "size"], undefined)).toEqual({});
});

test("a required group left empty is sent as an empty object", () => {
  const form = formOf({ required: ["inner"], properties: { inner: { properties: { a: { type: "string" } } } } });
  expect(problemsOf(form, {}).size).toBe(0);
  expect(argsOf(form, {})).toEqual({ inner: {} });
});

test("a property called __proto__ is data", () => {
  const schema: unknown = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  expect(formOf(schema).members[0]?.name).toBe("__proto__");
  const value = withValueAt({}, ["__proto__"], "x");
  expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("hidden characters in a label are spelled out", () => {
  expect(only({ type: "string", title: "Pay\u202Eyap" }).label).toBe("Pay⟨U+202E⟩yap");
});

test("[K8-07] a reference to a shared definition shows the nested fields, and a schema of nothing is no argument", () => {
  const $defs = { Q: { type: "object", properties: { limit: { type: "integer", default: 20 } } } };
  const form = formOf({ type: "object", $defs, properties: { query: { $ref: "#/$defs/Q" } }, required: ["query"] });
  expect(form.members[0]?.field).toMatchObject({
    kind: "group",
    members: [{ name: "limit", field: { kind: "number" } }],
  });
  expect(argsOf(form, initialOf(form, true))).toEqual({ query: { limit: 20 } });
  expect(formOf({ type: "object" })).toMatchObject({ members: [], leftOut: 0 });
});

test("[K8-06] alternatives at the top of a schema leave its own fields as they are", () => {
  const form = formOf({
    type: "object",
    properties: { content: { type: "string" }, source_url: { type: "string" } },
    anyOf: [{ required: ["content"] }, { required: ["source_url"] }],
  });
  expect(form.members.map((one) => one.name)).toEqual(["content", "source_url"]);
  expect(problemsOf(form, { content: "x" }).size).toBe(0);
});

test("[K8-08] beside a reference to the network the other references work, and that part is free JSON", () => {
  const form = formOf({
    $defs: { Ok: { type: "string" } },
    properties: { profile: { $ref: "http://10.0.0.5/schema.json" }, ok: { $ref: "#/$defs/Ok" } },
  });
  expect(form.members.map((one) => one.field.kind)).toEqual(["json", "text"]);
});

/** Schemas that are small, or not large, and would make a form without end. */
const ABSURD: Record<string, object> = {
  "references in a circle of two": {
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    properties: { x: { $ref: "#/$defs/a" } },
  },
  "the root within the root, many times": {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { $ref: "#" }])),
  },
  "one list of choices for every field": {
    $defs: { e: { enum: Array.from({ length: 500 }, (_, at) => `choice ${at}`) } },
    properties: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`p${at}`, { $ref: "#/$defs/e" }])),
  },
  "ten thousand alternatives for every field": {
    $defs: { e: { anyOf: Array.from({ length: 10_000 }, () => ({ $ref: "#/$defs/c" })) }, c: { const: 1 } },
    properties: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`p${at}`, { $ref: "#/$defs/e" }])),
  },
  "wide parts folded into every field": {
    $defs: {
      w: { type: "string", properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`w${at}`, {}])) },
      f: { allOf: Array.from({ length: 12 }, () => ({ $ref: "#/$defs/w" })) },
    },
    properties: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`p${at}`, { $ref: "#/$defs/f" }])),
  },
  "lists of lists of lists, each of fifty": {
    required: ["l"],
    properties: {
      l: Array.from({ length: 5 }).reduce<object>((items) => ({ type: "array", minItems: 50, items }), {
        type: "string",
      }),
    },
  },
  "ten thousand types": { properties: { t: { type: Array.from({ length: 10_000 }, () => "string") } } },
  "a long default for every field": {
    $defs: { d: { type: "string", default: { text: "d".repeat(100_000) } } },
    properties: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`p${at}`, { $ref: "#/$defs/d" }])),
  },
};

test.each(Object.keys(ABSURD))("[K8-07] %s: the form stays small, and what it starts with too", (name) => {
  const form = formOf(ABSURD[name]);
  const first = JSON.stringify(initialOf(form, true));
  expect(JSON.stringify(form).split('"kind"').length).toBeLessThan(LIMITS.fields * 3);
  expect(JSON.stringify(form).split('"value"').length).toBeLessThan(LIMITS.optionsInAll * 2);
  expect(first.length).toBeLessThan(2 * LIMITS.defaultChars);
});

test("[F12] a property called __proto__ is an argument like any other", () => {
  const form = formOf(
    JSON.parse('{"properties":{"__proto__":{"type":"string","default":"own"}},"required":["__proto__"]}'),
  );
  const args = argsOf(form, initialOf(form, true));
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  expect(JSON.stringify(args)).toBe('{"__proto__":"own"}');
});
