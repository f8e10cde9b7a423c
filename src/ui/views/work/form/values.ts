/** The form's values are the arguments themselves, as JSON; every change makes a new tree. */
import { type Field, type GroupField, LIMITS } from "./model";

export type Path = readonly (string | number)[];

/** What may still be made. */
interface Left {
  items: number;
}

/** What a field starts with: its default, or the least a required one can hold; undefined leaves it out. */
export function initialOf(field: Field, required: boolean, left: Left = { items: LIMITS.items }): unknown {
  if (field.initial !== undefined) return structuredClone(field.initial);
  switch (field.kind) {
    case "group":
      return groupInitial(field, required, left);
    case "list": {
      const length = required ? Math.min(field.minItems, left.items) : 0;
      left.items -= length;
      const items = Array.from({ length }, () => initialOf(field.item, true, left));
      return required ? items.map((item) => (item === undefined ? null : item)) : undefined;
    }
    case "boolean":
      return required ? false : undefined;
    case "enum":
      if (field.many) return required ? [] : undefined;
      return required && field.options.length === 1 ? field.options[0]?.value : undefined;
    case "variant":
      return required && field.variants[0] !== undefined ? initialOf(field.variants[0], true, left) : undefined;
    default:
      return undefined;
  }
}

/** An optional group starts absent, so that its required members are asked for only once it is used. */
function groupInitial(field: GroupField, required: boolean, left: Left): unknown {
  if (!required) return undefined;
  const entries = field.members
    .map((member) => [member.name, initialOf(member.field, member.required, left)] as const)
    .filter(([, value]) => value !== undefined);
  return fromEntries(entries);
}

/** The arguments to send: required groups the person left empty are there as empty objects. */
export function argsOf(form: GroupField, value: unknown): Record<string, unknown> {
  let args: unknown = isObject(value) ? value : {};
  for (const { name, required, field } of form.members) {
    if (field.kind !== "group") continue;
    const inner = valueAt(args, [name]);
    if (required || inner !== undefined) args = withValueAt(args, [name], argsOf(field, inner));
  }
  return isObject(args) ? args : {};
}

/** `Object.fromEntries` that keeps a key like `__proto__` as data. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function valueAt(root: unknown, path: Path): unknown {
  let at = root;
  for (const step of path) {
    if (Array.isArray(at) && typeof step === "number") at = at[step];
    else if (isObject(at) && Object.hasOwn(at, String(step))) at = at[String(step)];
    else return undefined;
  }
  return at;
}

/** A copy of `root` with `value` at `path`; undefined removes the key, and objects left empty by that go with it. */
export function withValueAt(root: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(root) ? [...root] : [];
    const next = withValueAt(list[step], rest, value);
    list[step] = next === undefined ? null : next;
    return list;
  }
  const entries = Object.entries(isObject(root) ? root : {});
  const next = withValueAt(valueAt(root, [step]), rest, value);
  const kept = rest.length > 0 && isObject(next) && Object.keys(next).length === 0 ? undefined : next;
  const at = entries.findIndex(([name]) => name === step);
  if (kept === undefined) return fromEntries(entries.filter(([name]) => name !== step));
  if (at < 0) return fromEntries([...entries, [step, kept]]);
  return fromEntries(entries.map((entry, index) => (index === at ? [step, kept] : entry)));
}
