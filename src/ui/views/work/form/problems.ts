/** What is wrong with a form's values, at which field, in sentences. The server checks again; this is for the person. */
import { type Field, LIMITS, type ListField, type NumberField, type TextField } from "./model";
import { isObject, type Path } from "./values";

/** Problems by `keyOf(path)`. */
export type Problems = ReadonlyMap<string, string>;

export const keyOf = (path: Path): string => JSON.stringify(path);

export function problemsOf(field: Field, value: unknown): Problems {
  const found = new Map<string, string>();
  check(field, value, true, [], found);
  return found;
}

function check(field: Field, value: unknown, required: boolean, path: Path, found: Map<string, string>): void {
  if (value === undefined && required && field.kind === "group") return checkGroup(field.members, {}, path, found);
  if (value === undefined || (value === null && field.kind !== "json" && field.kind !== "enum")) {
    if (required) found.set(keyOf(path), "This is needed.");
    else if (value === null) found.set(keyOf(path), "Empty; remove it or fill it in.");
    return;
  }
  if (field.kind === "group") return checkGroup(field.members, value, path, found);
  if (field.kind === "list") return checkList(field, value, path, found);
  const problem = problemOf(field, value);
  if (problem !== null) found.set(keyOf(path), problem);
}

function checkGroup(
  members: Extract<Field, { kind: "group" }>["members"],
  value: unknown,
  path: Path,
  found: Map<string, string>,
): void {
  if (!isObject(value)) {
    found.set(keyOf(path), "This must be an object.");
    return;
  }
  for (const { name, field, required } of members) {
    check(field, Object.hasOwn(value, name) ? value[name] : undefined, required, [...path, name], found);
  }
}

function checkList(field: ListField, value: unknown, path: Path, found: Map<string, string>): void {
  if (!Array.isArray(value)) {
    found.set(keyOf(path), "This must be a list.");
    return;
  }
  if (value.length < field.minItems) found.set(keyOf(path), `At least ${field.minItems} are needed.`);
  if (field.maxItems !== null && value.length > field.maxItems)
    found.set(keyOf(path), `At most ${field.maxItems} are taken.`);
  for (const [index, item] of value.slice(0, LIMITS.fields).entries())
    check(field.item, item, true, [...path, index], found);
}

function problemOf(field: Exclude<Field, { kind: "group" | "list" }>, value: unknown): string | null {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? textProblem(field, value) : "This must be text.";
    case "number":
      return typeof value === "number" ? numberProblem(field, value) : "This is not a number.";
    case "boolean":
      return typeof value === "boolean" ? null : "This must be yes or no.";
    case "enum": {
      const taken = new Set(field.options.map((option) => JSON.stringify(option.value)));
      const chosen: readonly unknown[] = field.many && Array.isArray(value) ? value : [value];
      return chosen.every((one) => taken.has(JSON.stringify(one))) ? null : "This is not one of the choices.";
    }
    case "variant":
      return field.variants.some((variant) => problemsOf(variant, value).size === 0)
        ? null
        : "This fits none of the shapes the tool takes.";
    case "json":
      return null;
  }
}

/** `pattern` is not tried: a server's expression could take for ever. The form shows it, the server checks it. */
function textProblem(field: TextField, value: string): string | null {
  const length = [...value].length;
  if (field.minLength !== null && length < field.minLength) return `At least ${field.minLength} characters are needed.`;
  if (field.maxLength !== null && length > field.maxLength) return `At most ${field.maxLength} characters are taken.`;
  return null;
}

function numberProblem(field: NumberField, value: number): string | null {
  if (!Number.isFinite(value)) return "This is not a number.";
  if (field.integer && !Number.isInteger(value)) return "This must be a whole number.";
  const { min, max } = field;
  if (min !== null && (min.open ? value <= min.value : value < min.value))
    return min.open ? `This must be more than ${min.value}.` : `The least is ${min.value}.`;
  if (max !== null && (max.open ? value >= max.value : value > max.value))
    return max.open ? `This must be less than ${max.value}.` : `The most is ${max.value}.`;
  return null;
}
