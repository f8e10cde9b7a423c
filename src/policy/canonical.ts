/**
 * Canonical JSON, RFC 8785: keys in the order of their UTF-16 units, the shortest numbers, no spaces. Written here and
 * not by a package because it reads every prompt: one pass with the conventions of an identity takes half the time of
 * a copy that a package then scans again, and depth is bounded where a package would run out of stack.
 */
import { HALF_PAIR, MAX_DEPTH, NOT_FINITE, TOO_DEEP } from "./json-check";
import { pathText } from "./path";
import { bad } from "./read";

/** What an identity holds to be the same before it is written; canonical JSON itself holds nothing to be (SPEC I2, I4). */
export interface Convention {
  /** The text that a string counts as; `refuse` says why it counts as none. */
  readonly textOf: (text: string, refuse: (problem: string) => never) => string;
  /** Whether a member that is null counts as absent. A place in a list counts, whatever stands in it. */
  readonly dropsNull: boolean;
  /** Whether a single value at this path counts as a list of it. */
  readonly isListAt: (path: readonly (string | number)[]) => boolean;
}

const NONE: Convention = { textOf: (text) => text, dropsNull: false, isListAt: () => false };

/** The one text of a JSON value. Throws `Bad` for what JSON cannot hold, half a character, or nesting over 64. */
export function canonicalJson(value: unknown, convention: Convention = NONE): string {
  const path: (string | number)[] = [];
  const refuse = (problem: string): never => bad(pathText(path), problem);
  const textOf = (text: string) =>
    text.isWellFormed() ? convention.textOf(text, refuse) : refuse(`the text holds ${HALF_PAIR}`);

  const write = (one: unknown): string => {
    if (typeof one === "string") return JSON.stringify(textOf(one));
    if (typeof one === "number") return Number.isFinite(one) ? JSON.stringify(one) : refuse(NOT_FINITE);
    if (typeof one === "boolean" || one === null) return String(one);
    if (typeof one !== "object") return refuse(`${typeof one} is no JSON`);
    if (path.length >= MAX_DEPTH) return refuse(TOO_DEEP);
    return Array.isArray(one) ? writeList(one) : writeObject(one as Readonly<Record<string, unknown>>);
  };

  const writeList = (items: readonly unknown[]): string => {
    let text = "[";
    for (const [at, item] of items.entries()) {
      path.push(at);
      text += at === 0 ? write(item) : `,${write(item)}`;
      path.pop();
    }
    return `${text}]`;
  };

  const writeObject = (object: Readonly<Record<string, unknown>>): string => {
    const members = Object.keys(object).map((key): [string, unknown] => [textOf(key), object[key]]);
    members.sort(byKey);
    let text = "";
    for (const [at, [key, member]] of members.entries()) {
      if (members[at + 1]?.[0] === key) refuse("two of its keys are the same text");
      if (member === undefined || (member === null && convention.dropsNull)) continue;
      path.push(key);
      const written = write(member);
      const listed = !Array.isArray(member) && convention.isListAt(path);
      path.pop();
      text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${listed ? `[${written}]` : written}`;
    }
    return `{${text}}`;
  };

  return write(value);
}

/** The language's own order of strings is that of their UTF-16 units, as RFC 8785 wants it. */
function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
