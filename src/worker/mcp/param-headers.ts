/**
 * Protocol 2026-07-28 (SEP-2243): arguments a tool marks with `x-mcp-header` travel as `Mcp-Param-*` headers too. The
 * SDK does this only inside `callTool`, which also drops results it does not know, so it is done here.
 */
import { deeperThan, isMembers, MAX_DEPTH } from "./frame";

export interface ParamHeader {
  readonly name: string;
  /** Where in the arguments the value is. */
  readonly path: readonly string[];
}

type Found =
  | { readonly ok: true; readonly headers: readonly ParamHeader[] }
  | { readonly ok: false; readonly problem: string };

const MARK = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);

/** Finds the marks of a tool's input schema, or the first that the protocol does not allow. */
export function paramHeadersOf(schema: unknown): Found {
  if (!isMembers(schema) || deeperThan(schema, MAX_DEPTH)) return { ok: true, headers: [] };
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  let marks = 0;
  const visit = (node: unknown, path: readonly string[]): string | null => {
    if (!isMembers(node)) return null;
    if (MARK in node) {
      const name = node[MARK];
      if (typeof name !== "string" || !TOKEN.test(name)) return `its ${MARK} is no header name`;
      if (path.length === 0 || !TYPES.has(node.type))
        return `its ${MARK} is on something other than text, a whole number or yes/no`;
      if (names.has(name.toLowerCase())) return `it uses the header ${name} twice`;
      names.add(name.toLowerCase());
      headers.push({ name, path });
    }
    if (!isMembers(node.properties)) return null;
    for (const [key, child] of Object.entries(node.properties)) {
      const problem = visit(child, [...path, key]);
      if (problem !== null) return problem;
    }
    return null;
  };
  const problem = visit(schema, []);
  if (problem !== null) return { ok: false, problem };
  // A mark anywhere the walk through `properties` did not come by is not allowed either.
  countMarks(schema, () => {
    marks += 1;
  });
  if (marks !== headers.length) return { ok: false, problem: `its ${MARK} is not on a plain property` };
  return { ok: true, headers };
}

function countMarks(node: unknown, found: () => void): void {
  if (Array.isArray(node)) for (const one of node) countMarks(one, found);
  if (!isMembers(node)) return;
  // A property may itself be called `x-mcp-header`; then its value is a schema, not a name.
  if (MARK in node && !isMembers(node[MARK])) found();
  for (const one of Object.values(node)) countMarks(one, found);
}

/** The headers of one call; what is absent, null or no plain value has none. */
export function paramHeaderValues(headers: readonly ParamHeader[], args: unknown): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const { name, path } of headers) {
    let value: unknown = args;
    for (const key of path) value = isMembers(value) ? value[key] : undefined;
    const text = plain(value);
    if (text !== null) values[`Mcp-Param-${name}`] = encoded(text);
  }
  return values;
}

function plain(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isSafeInteger(value))) return String(value);
  return typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value) ? String(value) : null;
}

/** What a header cannot carry as it is goes as base64 of its UTF-8. */
function encoded(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}
