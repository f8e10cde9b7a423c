/** JSON Schema → form model. Never throws, whatever the schema; `$ref` is followed inside the document only. */
import { spelledOut } from "../../../parts/hidden";
import { type Bound, type Field, type GroupField, LIMITS, type Member, type Option } from "./model";

type Schema = Readonly<Record<string, unknown>>;

interface Walk {
  readonly root: Schema;
  /** Made so far, in all: a small schema may refer to a large part of itself again and again. */
  fields: number;
  options: number;
  copied: number;
  defaultChars: number;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const own = (schema: Schema, key: string): unknown => (Object.hasOwn(schema, key) ? schema[key] : undefined);

const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value.slice(0, LIMITS.text) : null;

const count = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** A tool's input schema as a group; a schema that describes no object gives an empty one. */
export function formOf(schema: unknown): GroupField {
  const root = isSchema(schema) ? schema : {};
  const walk: Walk = { root, fields: 0, options: 0, copied: 0, defaultChars: 0 };
  const merged = resolve(walk, root);
  const { members, leftOut } = membersOf(walk, merged ?? {}, 0);
  return { kind: "group", label: "", description: null, initial: undefined, members, leftOut };
}

/** Follows `$ref` within the document and folds `allOf` in; null where a reference leads nowhere or in circles. */
function resolve(walk: Walk, schema: Schema): Schema | null {
  let at: Schema = schema;
  for (let hop = 0; hop < LIMITS.refHops; hop++) {
    const ref = own(at, "$ref");
    if (ref === undefined) return foldAllOf(walk, at, hop);
    const target = typeof ref === "string" ? pointer(walk.root, ref) : null;
    if (target === null || isTooMuch(walk, target, at)) return null;
    const { $ref: _, ...beside } = at;
    at = { ...target, ...beside };
  }
  return null;
}

/** Counts what is about to be copied. */
function isTooMuch(walk: Walk, ...parts: readonly Schema[]): boolean {
  for (const part of parts) walk.copied += Object.keys(part).length;
  return walk.copied > LIMITS.copied;
}

function pointer(root: Schema, ref: string): Schema | null {
  if (ref.length > LIMITS.refChars) return null;
  if (ref !== "#" && !ref.startsWith("#/")) return null;
  let at: unknown = root;
  for (const step of ref.split("/").slice(1, 32)) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isSchema(at) ? own(at, key) : undefined;
  }
  return isSchema(at) ? at : null;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function foldAllOf(walk: Walk, schema: Schema, hops: number): Schema | null {
  const parts = own(schema, "allOf");
  if (!Array.isArray(parts)) return schema;
  const { allOf: _, ...rest } = schema;
  let folded: Schema = rest;
  for (const part of parts.slice(0, LIMITS.variants)) {
    const target = isSchema(part) && typeof part.$ref === "string" ? pointer(walk.root, part.$ref) : part;
    if (!isSchema(target) || (hops > 0 && target.allOf !== undefined)) return null;
    if (isTooMuch(walk, target, asSchema(target.properties), asSchema(folded.properties))) return null;
    folded = {
      ...target,
      ...folded,
      properties: { ...asSchema(target.properties), ...asSchema(folded.properties) },
      required: [...strings(target.required), ...strings(folded.required)],
    };
  }
  return folded.allOf === undefined ? folded : null;
}

const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {});
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];

function membersOf(walk: Walk, schema: Schema, depth: number) {
  const required = new Set(strings(own(schema, "required")));
  const properties = Object.entries(asSchema(own(schema, "properties")));
  const room = Math.max(0, LIMITS.fields - walk.fields);
  const members: Member[] = [];
  for (const [name, value] of properties.slice(0, room)) {
    // What the first ones hold may have used up the room; the form's own fields are there all the same, as JSON.
    if (depth > 0 && walk.fields >= LIMITS.fields) break;
    members.push({ name, required: required.has(name), field: fieldOf(walk, value, name, depth + 1) });
  }
  return { members, leftOut: properties.length - members.length };
}

/** One property's schema as a field. `fallback` is its name, used where no title is given. */
function fieldOf(walk: Walk, value: unknown, fallback: string, depth: number): Field {
  walk.fields += 1;
  const given = isSchema(value) ? value : {};
  const isTooMany = walk.fields > LIMITS.fields;
  const schema = isTooMany ? given : resolve(walk, given);
  const common = commonOf(walk, schema ?? given, fallback);
  const json = (why: string): Field => ({ ...common, kind: "json", why });
  if (isTooMany) return json("There are too many fields for a form.");
  if (schema === null)
    return json("Its description is too large, refers to itself, or to something that is not there.");
  if (depth > LIMITS.depth) return json("It is nested too deeply for a form.");
  const options = optionsOf(walk, schema);
  if (options === "too many") return json("It offers more choices than a form can show.");
  if (options !== null) return { ...common, kind: "enum", options, many: false };
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) return variantsOf(walk, schema, alternatives, fallback, depth);
  switch (typeOf(schema)) {
    case "string":
      return textField(schema, common);
    case "number":
    case "integer":
      return numberField(schema, common);
    case "boolean":
      return { ...common, kind: "boolean" };
    case "array":
      return listField(walk, schema, common, depth);
    case "object":
      return objectField(walk, schema, common, depth);
    default:
      return json("Any JSON value is taken here.");
  }
}

const commonOf = (walk: Walk, schema: Schema, fallback: string) => ({
  label: spelledOut((text(schema.title) ?? fallback).slice(0, 200)),
  description: text(schema.description),
  initial: initialIn(walk, schema),
});

/** A default that many fields refer to is copied for each of them. */
function initialIn(walk: Walk, schema: Schema): unknown {
  const initial = own(schema, "default") ?? own(schema, "const");
  if (typeof initial !== "object" || initial === null) return initial;
  walk.defaultChars += JSON.stringify(initial).length;
  return walk.defaultChars > LIMITS.defaultChars ? undefined : initial;
}

function typeOf(schema: Schema): string | null {
  const type = own(schema, "type");
  if (typeof type === "string") return type;
  if (isSchema(own(schema, "properties"))) return "object";
  return own(schema, "items") === undefined ? null : "array";
}

/** `enum`, `const`, or `oneOf` of constants; null where the schema is no choice of constants. */
function optionsOf(walk: Walk, schema: Schema): readonly Option[] | "too many" | null {
  const options = constantsOf(walk, schema);
  if (options === null || options === "too many") return options;
  walk.options += options.length;
  return walk.options > LIMITS.optionsInAll ? "too many" : options;
}

function constantsOf(walk: Walk, schema: Schema): readonly Option[] | "too many" | null {
  const listed = own(schema, "enum");
  if (Array.isArray(listed)) {
    if (listed.length > LIMITS.options) return "too many";
    const names = strings(own(schema, "enumNames"));
    return listed.map((value: unknown, index) => ({ label: labelOf(names[index]) ?? optionLabel(value), value }));
  }
  if (Object.hasOwn(schema, "const")) return [{ label: optionLabel(schema.const), value: schema.const }];
  const parts = own(schema, "oneOf") ?? own(schema, "anyOf");
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > LIMITS.options) return null;
  const constants = parts.map((part) => (isSchema(part) ? resolve(walk, part) : null));
  if (!constants.every((part): part is Schema => part !== null && Object.hasOwn(part, "const"))) return null;
  return constants.map((part) => ({ label: labelOf(part.title) ?? optionLabel(part.const), value: part.const }));
}

/** Server text, its hidden characters spelled out. */
const labelOf = (value: unknown): string | null => {
  const label = text(value);
  return label === null ? null : spelledOut(label.slice(0, 200));
};

const optionLabel = (value: unknown): string =>
  spelledOut((typeof value === "string" ? value || '""' : (JSON.stringify(value) ?? "")).slice(0, 200));

/** The shapes a value may take, without `null` (an absent value says that); null where there is only one. */
function alternativesOf(schema: Schema): readonly unknown[] | null {
  const parts = own(schema, "oneOf") ?? own(schema, "anyOf");
  if (Array.isArray(parts)) return parts.filter((part) => !(isSchema(part) && part.type === "null"));
  const types = own(schema, "type");
  if (!Array.isArray(types)) return null;
  const named: readonly unknown[] = types.filter((type) => type !== "null").slice(0, LIMITS.variants + 1);
  return named.map((type) => ({ ...schema, type }));
}

function variantsOf(
  walk: Walk,
  schema: Schema,
  alternatives: readonly unknown[],
  fallback: string,
  depth: number,
): Field {
  const common = commonOf(walk, schema, fallback);
  if (alternatives.length === 0 || alternatives.length > LIMITS.variants)
    return { ...common, kind: "json", why: "It can take too many shapes for a form." };
  const { oneOf: _one, anyOf: _any, type: _type, title: _title, ...shared } = schema;
  const single = alternatives.length === 1;
  const variants = alternatives.map((part, index) => {
    const merged = { ...shared, ...asSchema(part) };
    const name = single ? common.label : shapeName(merged, index);
    return fieldOf(walk, merged, name, depth + 1);
  });
  const only = variants[0];
  return single && only !== undefined
    ? { ...only, label: common.label, description: common.description ?? only.description }
    : { ...common, kind: "variant", variants };
}

const shapeName = (schema: Schema, index: number): string => text(schema.type) ?? `Shape ${index + 1}`;

function textField(schema: Schema, common: ReturnType<typeof commonOf>): Field {
  const format = text(schema.format);
  const maxLength = count(schema.maxLength);
  const wide = /prompt|text|content|body|query|message|code|markdown/i.test(common.label);
  const multiline = format === null && (maxLength === null ? wide : maxLength > 200);
  return {
    ...common,
    kind: "text",
    multiline,
    minLength: count(schema.minLength),
    maxLength,
    pattern: text(schema.pattern),
    format,
  };
}

function numberField(schema: Schema, common: ReturnType<typeof commonOf>): Field {
  return {
    ...common,
    kind: "number",
    integer: schema.type === "integer",
    min: bound(schema.minimum, schema.exclusiveMinimum),
    max: bound(schema.maximum, schema.exclusiveMaximum),
  };
}

/** Draft 4 wrote the exclusive one as a boolean beside the inclusive one; later drafts as a number. */
function bound(inclusive: unknown, exclusive: unknown): Bound | null {
  const outside = count(exclusive);
  if (outside !== null) return { value: outside, open: true };
  const at = count(inclusive);
  return at === null ? null : { value: at, open: exclusive === true };
}

function listField(walk: Walk, schema: Schema, common: ReturnType<typeof commonOf>, depth: number): Field {
  const items = own(schema, "items");
  if (!isSchema(items)) return { ...common, kind: "json", why: "Any JSON list is taken here." };
  const item = fieldOf(walk, items, "Item", depth + 1);
  if (item.kind === "enum" && schema.uniqueItems === true) return { ...item, ...common, many: true };
  return {
    ...common,
    kind: "list",
    item,
    minItems: Math.min(Math.max(count(schema.minItems) ?? 0, 0), 50),
    maxItems: count(schema.maxItems),
  };
}

function objectField(walk: Walk, schema: Schema, common: ReturnType<typeof commonOf>, depth: number): Field {
  const { members, leftOut } = membersOf(walk, schema, depth);
  if (members.length === 0) return { ...common, kind: "json", why: "Any JSON object is taken here." };
  return { ...common, kind: "group", members, leftOut };
}
