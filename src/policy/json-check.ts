/** What must hold of any JSON before it is looked at: bounded depth, whole characters, finite numbers (SPEC W9). */
import type { Malformed } from "./request";

/** Nesting allowed; `JSON.parse` takes thousands, recursive readers and structured clone do not. */
export const MAX_DEPTH = 64;

interface Place {
  readonly value: unknown;
  readonly depth: number;
  readonly key: string | number | null;
  readonly parent: Place | null;
}

/** The first thing wrong anywhere in `value`, unknown fields included; null where nothing is. Iterative, linear. */
export function jsonProblem(value: unknown): Malformed | null {
  const open: Place[] = [{ value, depth: 0, key: null, parent: null }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const problem = problemOf(place);
    if (problem !== null) return { path: pathOf(place), problem };
    if (typeof place.value !== "object" || place.value === null) continue;
    const depth = place.depth + 1;
    if (Array.isArray(place.value)) {
      for (let at = place.value.length - 1; at >= 0; at -= 1) {
        open.push({ value: place.value[at], depth, key: at, parent: place });
      }
      continue;
    }
    for (const key of Object.keys(place.value).reverse()) {
      if (!key.isWellFormed()) return { path: pathOf(place), problem: "a key holds half of a surrogate pair" };
      open.push({ value: (place.value as Record<string, unknown>)[key], depth, key, parent: place });
    }
  }
  return null;
}

function problemOf({ value, depth }: Place): string | null {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? null : "the text holds half of a surrogate pair";
    case "number":
      return Number.isFinite(value) ? null : "the number is not finite";
    case "object":
      return value !== null && depth > MAX_DEPTH ? `nested deeper than ${MAX_DEPTH}` : null;
    case "boolean":
      return null;
    default:
      return `a ${typeof value} is no JSON`;
  }
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_PATH_CHARS = 200;

function pathOf(place: Place): string {
  const parts: string[] = [];
  for (let at: Place | null = place; at !== null && at.key !== null; at = at.parent) parts.push(partOf(at.key));
  const path = parts.reverse().join("");
  return (path.startsWith(".") ? path.slice(1) : path).slice(0, MAX_PATH_CHARS);
}

function partOf(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 40))}]`;
}
