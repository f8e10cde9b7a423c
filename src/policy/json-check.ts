/** What must hold of any JSON before it is looked at: bounded depth, whole characters, finite numbers (SPEC W9). */
import { pathText } from "./path";
import type { Malformed } from "./request";

/** Levels of lists and objects allowed; `JSON.parse` takes thousands, recursive readers and structured clone do not. */
export const MAX_DEPTH = 64;

export const HALF_PAIR = "half of a surrogate pair";
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH}`;
export const NOT_FINITE = "the number is not finite";

interface Place {
  readonly value: unknown;
  readonly level: number;
  readonly key: string | number | null;
  readonly parent: Place | null;
}

/** The first thing wrong anywhere in `value`, unknown fields included; null where nothing is. Iterative, linear. */
export function jsonProblem(value: unknown): Malformed | null {
  const open: Place[] = [{ value, level: 1, key: null, parent: null }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const problem = problemOf(place);
    if (problem !== null) return { path: pathOf(place), problem };
    if (typeof place.value !== "object" || place.value === null) continue;
    const level = place.level + 1;
    if (Array.isArray(place.value)) {
      for (let at = place.value.length - 1; at >= 0; at -= 1) {
        open.push({ value: place.value[at], level, key: at, parent: place });
      }
      continue;
    }
    const members = place.value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(members).reverse()) {
      if (!key.isWellFormed()) return { path: pathOf(place), problem: `a key holds ${HALF_PAIR}` };
      // No JSON text says undefined; where a caller's object does, it is the same as absent.
      if (members[key] !== undefined) open.push({ value: members[key], level, key, parent: place });
    }
  }
  return null;
}

function problemOf({ value, level }: Place): string | null {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? null : `the text holds ${HALF_PAIR}`;
    case "number":
      return Number.isFinite(value) ? null : NOT_FINITE;
    case "object":
      return value !== null && level > MAX_DEPTH ? TOO_DEEP : null;
    case "boolean":
      return null;
    default:
      return `${typeof value} is no JSON`;
  }
}

function pathOf(place: Place): string {
  const keys: (string | number)[] = [];
  for (let at: Place | null = place; at !== null && at.key !== null; at = at.parent) keys.push(at.key);
  return pathText(keys.reverse());
}
