/** JSON as a person types it: parsed, or told in one sentence where it breaks. */
import { breakOf } from "./json-break";

export type Read = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

export function readJson(text: string): Read {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    const found = breakOf(text);
    const problem =
      found === null ? "This is not valid JSON." : `Line ${placeOf(text, found.offset)}: expected ${found.expected}.`;
    return { ok: false, problem };
  }
}

/** As `readJson`, for arguments: they must be an object. */
export function readArguments(text: string): Read {
  const read = readJson(text.trim() === "" ? "{}" : text);
  if (!read.ok) return read;
  return typeof read.value === "object" && read.value !== null && !Array.isArray(read.value)
    ? read
    : { ok: false, problem: 'Arguments must be a JSON object, as in {"name": "value"}.' };
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return `${line}, column ${offset - before.lastIndexOf("\n")}`;
}
