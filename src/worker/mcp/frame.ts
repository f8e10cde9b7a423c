/** What is checked on every frame before anything else reads it (SPEC W9): size and depth, found without recursion. */

export const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Nesting allowed in what a server asks of us. */
export const MAX_DEPTH = 64;
/** Nesting allowed in answers to our own requests; what is shown of them is checked again, piece by piece. */
export const MAX_ANSWER_DEPTH = 1000;

export type Members = Readonly<Record<string, unknown>>;
export type RequestId = string | number;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A number past the safe ones may have been another one on the wire: what was asked under it could never be answered. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}

/** Number 1 and string "1" are two ids. */
export function idKey(id: RequestId): string {
  return JSON.stringify(id);
}

/**
 * Whether arrays and objects nest more than `max` levels. A list of what is left to look at stands in for the stack, so
 * that no depth overflows it; only containers enter it, since most of a request is text.
 */
export function deeperThan(value: unknown, max: number): boolean {
  if (!isContainer(value)) return false;
  const left: object[] = [value];
  const depths: number[] = [1];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const depth = depths.pop() ?? 1;
    if (depth > max) return true;
    const inside = (inner: unknown) => {
      if (!isContainer(inner)) return;
      left.push(inner);
      depths.push(depth + 1);
    };
    // Frames are read from JSON: what they hold are own members, and nothing is inherited.
    if (Array.isArray(one)) for (const inner of one) inside(inner);
    else for (const key in one) inside((one as Members)[key]);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

const encoder = new TextEncoder();

export function isOversized(text: string): boolean {
  if (text.length > MAX_FRAME_BYTES) return true;
  // A UTF-16 unit never takes more than three bytes of UTF-8.
  if (text.length * 3 <= MAX_FRAME_BYTES) return false;
  return encoder.encode(text).length > MAX_FRAME_BYTES;
}

/** What can be told of a frame too large to be read. */
export interface Outline {
  readonly id: RequestId | null;
  readonly method: string | null;
  readonly isAnswer: boolean;
}

/** Characters kept of each end of such a frame. */
export const OUTLINE_CHARS = 4096;

const SCALAR = String.raw`"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?`;
const MEMBER = String.raw`"(jsonrpc|id|method)"\s*:\s*(${SCALAR})\s*`;
const FIRST_MEMBER = new RegExp(String.raw`\s*${MEMBER},`, "y");
const LAST_MEMBER = new RegExp(String.raw`,\s*${MEMBER}$`);

/**
 * Reads only members that certainly belong to the frame itself: those before the first large one, and those after the
 * last (SDKs write `id` at the end). An `id` inside `params` is never taken for the frame's.
 */
export function outlineOf(head: string, tail: string): Outline {
  const found = new Map<string, unknown>();
  const open = /^\s*\{/.exec(head);
  let at = open?.[0].length ?? 0;
  for (;;) {
    FIRST_MEMBER.lastIndex = at;
    const member = FIRST_MEMBER.exec(head);
    if (member === null) break;
    note(found, member);
    at = FIRST_MEMBER.lastIndex;
  }
  const isAnswer = /^\s*"(result|error)"\s*:/.test(head.slice(at, at + 64));
  let rest = /^([\s\S]*)\}\s*$/.exec(tail)?.[1] ?? "";
  for (;;) {
    const member = LAST_MEMBER.exec(rest);
    if (member === null) break;
    note(found, member);
    rest = rest.slice(0, member.index);
  }
  const id = found.get("id");
  const method = found.get("method");
  return {
    id: isRequestId(id) ? id : null,
    method: typeof method === "string" ? method : null,
    isAnswer: isAnswer && method === undefined,
  };
}

function note(found: Map<string, unknown>, member: RegExpExecArray): void {
  const [, name, value] = member;
  if (name === undefined || value === undefined || found.has(name)) return;
  try {
    found.set(name, JSON.parse(value));
  } catch {
    // A string with a bad escape names nothing.
  }
}
