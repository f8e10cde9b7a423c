/** A server's tools, page by page and within bounds; every text in them is the server's. */
import type { ToolInfo } from "./connection";
import { deeperThan, isMembers, MAX_DEPTH, type Members } from "./frame";
import { type ParamHeader, paramHeadersOf } from "./param-headers";
import type { Session } from "./session";
import { spelled } from "./spelled";

export interface ListedTool {
  readonly info: ToolInfo;
  readonly outputSchema: unknown;
  /** Arguments that travel as headers too (2026-07-28). */
  readonly paramHeaders: readonly ParamHeader[];
}

export interface ToolList {
  readonly tools: ReadonlyMap<string, ListedTool>;
  readonly warnings: readonly string[];
}

const MAX_PAGES = 100;
const MAX_TOOLS = 1_000;
const MAX_NAME_CHARS = 256;
const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 4_000;
const MAX_SCHEMA_CHARS = 256 * 1024;
/** All schemas of a server together. */
const MAX_SCHEMAS_CHARS = 8 * 1024 * 1024;
const PAGE_TIMEOUT_MS = 60_000;

export async function listTools(session: Session): Promise<ToolList> {
  const tools = new Map<string, ListedTool>();
  const warnings: string[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let schemaChars = 0;
  for (let page = 1; ; page += 1) {
    // The empty string is a cursor like any other: it is sent, and followed once.
    const params = cursor === undefined ? {} : { cursor };
    const ask = { method: "tools/list", params, runId: null, label: "The list of tools" } as const;
    const { raw: result } = await session.ask({ ...ask, silenceMs: PAGE_TIMEOUT_MS });
    const listed = isMembers(result) && Array.isArray(result.tools) ? (result.tools as unknown[]) : [];
    const before = tools.size;
    for (const raw of listed) {
      if (tools.size >= MAX_TOOLS) break;
      const read = readTool(raw, session.era === "modern", warnings, MAX_SCHEMAS_CHARS - schemaChars);
      if (read === null) continue;
      if (tools.has(read.tool.info.name)) continue;
      schemaChars += read.schemaChars;
      tools.set(read.tool.info.name, read.tool);
    }
    const next = isMembers(result) ? result.nextCursor : undefined;
    if (typeof next !== "string") break;
    const stop = reasonToStop(next, seen, tools.size, page, page > 1 && tools.size === before);
    if (stop !== null) {
      warnings.push(stop);
      break;
    }
    seen.add(next);
    cursor = next;
  }
  return { tools, warnings: summed(warnings) };
}

function reasonToStop(
  next: string,
  seen: ReadonlySet<string>,
  tools: number,
  page: number,
  same: boolean,
): string | null {
  if (seen.has(next) || same) return `The list of tools repeats itself; ${tools} are shown.`;
  if (tools >= MAX_TOOLS) return `The server lists more than ${MAX_TOOLS} tools; the first ${MAX_TOOLS} are shown.`;
  if (page >= MAX_PAGES) return `The list of tools has more than ${MAX_PAGES} pages; ${tools} tools are shown.`;
  return null;
}

function readTool(
  raw: unknown,
  modern: boolean,
  warnings: string[],
  schemaCharsLeft: number,
): { tool: ListedTool; schemaChars: number } | null {
  if (!isMembers(raw) || typeof raw.name !== "string" || raw.name === "" || raw.name.length > MAX_NAME_CHARS) {
    warnings.push("A tool without a usable name was left out.");
    return null;
  }
  const { name } = raw;
  const shown = spelled(name);
  const headers = modern ? paramHeadersOf(raw.inputSchema) : { ok: true as const, headers: [] };
  if (!headers.ok) {
    warnings.push(`Tool ${shown} was left out: ${headers.problem}.`);
    return null;
  }
  const annotations = isMembers(raw.annotations) ? raw.annotations : {};
  const schema = readSchema(raw.inputSchema, schemaCharsLeft);
  if (schema.problem !== null) warnings.push(`The form of tool ${shown} is not shown: its schema ${schema.problem}.`);
  const readOnly = annotations.readOnlyHint === true;
  const info: ToolInfo = {
    name,
    title: textOf(raw.title, MAX_TITLE_CHARS) ?? textOf(annotations.title, MAX_TITLE_CHARS),
    description: textOf(raw.description, MAX_DESCRIPTION_CHARS),
    inputSchema: schema.value,
    readOnly,
    destructive: !readOnly && annotations.destructiveHint === true,
  };
  const paramHeaders = headers.headers;
  return { tool: { info, outputSchema: raw.outputSchema, paramHeaders }, schemaChars: schema.chars };
}

/** Addresses in `$ref` are never fetched: a schema is data here, and the page shows what it can of it. */
function readSchema(schema: unknown, charsLeft: number): { value: Members; problem: string | null; chars: number } {
  const open = { type: "object" };
  if (!isMembers(schema)) return { value: open, problem: schema === undefined ? null : "is no object", chars: 0 };
  if (deeperThan(schema, MAX_DEPTH)) return { value: open, problem: `nests deeper than ${MAX_DEPTH} levels`, chars: 0 };
  const chars = JSON.stringify(schema).length;
  if (chars > Math.min(MAX_SCHEMA_CHARS, charsLeft)) return { value: open, problem: "is too large", chars: 0 };
  return { value: schema, problem: null, chars };
}

export function textOf(value: unknown, maxChars: number): string | null {
  return typeof value === "string" && value !== "" ? cut(value, maxChars) : null;
}

export function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).toWellFormed()}…`;
}

const MAX_WARNINGS = 10;

/** The same fault in a thousand tools is one sentence. */
function summed(warnings: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const one of warnings) counts.set(one, (counts.get(one) ?? 0) + 1);
  const lines = [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
  if (lines.length <= MAX_WARNINGS) return lines;
  return [...lines.slice(0, MAX_WARNINGS), `${lines.length - MAX_WARNINGS} more remarks about tools are not shown.`];
}
