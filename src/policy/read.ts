/** Small readers for unchecked input: each answers the value, or throws `Bad`, which the parser above turns into a value. */
import { NOT_FINITE } from "./json-check";
import type { Malformed } from "./request";

/** Thrown inside one parse and caught by it; it never leaves this folder. */
export class Bad {
  constructor(readonly at: Malformed) {}
}

export function bad(path: string, problem: string): never {
  throw new Bad({ path, problem });
}

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object; its fields are read as own properties only, so that `__proto__` is data like any other key. */
export function fields(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return bad(path, `${word(value)} where an object belongs`);
  return value as Fields;
}

export function own(from: Fields, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}

export function text(value: unknown, path: string): string {
  return typeof value === "string" ? value : bad(path, `${word(value)} where a text belongs`);
}

export function list(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) ? value : bad(path, `${word(value)} where a list belongs`);
}

export function number(value: unknown, path: string, min: number, max = Number.POSITIVE_INFINITY): number {
  if (typeof value !== "number") return bad(path, `${word(value)} where a number belongs`);
  if (!Number.isFinite(value)) return bad(path, NOT_FINITE);
  if (value < min) return bad(path, `${value} is less than ${min}`);
  if (value > max) return bad(path, `${value} is more than ${max}`);
  return value;
}

/** Absent and `null` are the same (I2). */
export function optional<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === undefined || value === null ? null : read(value);
}

function word(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
