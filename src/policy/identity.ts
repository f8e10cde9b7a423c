/** What a request asks, as one text to be digested: equal for requests that ask the same (SPEC I1, I2, I3). */
import { canonicalJson } from "./canonical";
import { jsonProblem } from "./json-check";
import type { Malformed, Parsed } from "./request";

/** Every character below this is stable under NFC, so text without any above it needs no look. */
const MAY_COMPOSE = /[\u0300-\uffff]/;
/** Normalising is quadratic in a run of marks; UAX 15's stream-safe format allows 30. */
const LONG_RUN = /\p{M}{31}/u;

/** Asked in every request; the tool fields count only where they are present (I3). */
const ALWAYS = ["includeContext", "messages", "modelPreferences", "systemPrompt"] as const;
const WHERE_PRESENT = ["tools", "toolChoice"] as const;

/**
 * Canonical JSON of the identity copy of `params`: strings in NFC, absent for `null`, `none` for no `includeContext`,
 * a list of one for a single content block. Malformed where a run of marks is over 30 or two keys become one.
 */
export function identityText(params: unknown): Parsed<string> {
  const problem = jsonProblem(params);
  if (problem !== null) return { ok: false, ...problem };
  if (!isObject(params)) return { ok: false, path: "", problem: "params are no object" };
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of [...ALWAYS, ...WHERE_PRESENT]) {
    const copied = copyOf(Object.hasOwn(params, key) ? params[key] : undefined, key);
    if (copied instanceof Unfit) return { ok: false, ...copied.at };
    if (copied !== undefined) copy[key] = copied;
  }
  copy.includeContext ??= "none";
  if (Array.isArray(copy.messages)) copy.messages = copy.messages.map(withListOfContent);
  return { ok: true, value: canonicalJson(copy) };
}

class Unfit {
  constructor(readonly at: Malformed) {}
}

/** The value with every string in NFC and no nulls; undefined for null itself. Depth was bounded by `jsonProblem`. */
function copyOf(value: unknown, path: string): unknown {
  if (typeof value === "string") return composed(value) ?? tooManyMarks(path);
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return listCopyOf(value, path);
  if (isObject(value)) return objectCopyOf(value, path);
  return value;
}

function listCopyOf(values: readonly unknown[], path: string): unknown {
  const copies: unknown[] = [];
  for (const [at, value] of values.entries()) {
    const copied = copyOf(value, `${path}[${at}]`);
    if (copied instanceof Unfit) return copied;
    // A place in a list counts, whatever stands in it.
    copies.push(copied === undefined ? null : copied);
  }
  return copies;
}

function objectCopyOf(value: Readonly<Record<string, unknown>>, path: string): unknown {
  // Without a prototype `__proto__` is a key like any other.
  const copy: Record<string, unknown> = Object.create(null);
  const seen = new Set<string>();
  for (const key of Object.keys(value)) {
    const name = composed(key);
    if (name === null) return tooManyMarks(path);
    if (seen.has(name)) return new Unfit({ path, problem: "two of its keys are the same text" });
    seen.add(name);
    const copied = copyOf(value[key], `${path}.${key.slice(0, 40)}`);
    if (copied instanceof Unfit) return copied;
    if (copied !== undefined) copy[name] = copied;
  }
  return copy;
}

function composed(text: string): string | null {
  if (!MAY_COMPOSE.test(text)) return text;
  return LONG_RUN.test(text) ? null : text.normalize("NFC");
}

function tooManyMarks(path: string): Unfit {
  return new Unfit({ path: path.slice(0, 200), problem: "more than 30 combining marks in a row" });
}

function withListOfContent(message: unknown): unknown {
  if (!isObject(message) || message.content === undefined || Array.isArray(message.content)) return message;
  return Object.assign(Object.create(null), message, { content: [message.content] });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
