/** A server's tools, page by page and within bounds; every text in them is the server's. */
import type { ToolDetail, ToolInfo } from "./connection";
import { deeperThan, isMembers, MAX_DEPTH, type Members } from "./frame";
import { boundedOutputSchema } from "./output-check";
import { type ParamHeader, paramHeadersOf } from "./param-headers";
import type { Session } from "./session";
import { spelled } from "./spelled";
import { createWarnings, type Warnings } from "./tool-warnings";

export interface ListedTool {
  readonly info: ToolInfo;
  readonly detail: ToolDetail;
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
/** Entries looked at in all, whether they are tools or not. */
const MAX_ENTRIES = 10_000;
const MAX_CURSOR_CHARS = 64 * 1024;
const MAX_NAME_CHARS = 256;
const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 4_000;
/** Of a description as much as a list shows. */
const MAX_LINE_CHARS = 200;
const MAX_SCHEMA_CHARS = 256 * 1024;
/** All schemas of a server together. */
const MAX_SCHEMAS_CHARS = 8 * 1024 * 1024;
const PAGE_TIMEOUT_MS = 60_000;

/** What reading one list has come to so far. */
interface Reading {
  readonly tools: Map<string, ListedTool>;
  readonly modern: boolean;
  readonly warnings: Warnings;
  entries: number;
  schemaChars: number;
}

export async function listTools(session: Session): Promise<ToolList> {
  const reading: Reading = {
    tools: new Map(),
    modern: session.era === "modern",
    warnings: createWarnings(),
    entries: 0,
    schemaChars: 0,
  };
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    // The empty string is a cursor like any other: it is sent, and followed once.
    const params = cursor === undefined ? {} : { cursor };
    const ask = { method: "tools/list", params, runId: null, label: "The list of tools" } as const;
    const result = await session.ask({ ...ask, silenceMs: PAGE_TIMEOUT_MS }).then(
      ({ raw }) => raw,
      (error: unknown) => {
        if (page === 1) throw error;
        reading.warnings.add(`Page ${page} of the list of tools could not be read; what came before it is shown.`);
      },
    );
    const fresh = readPage(isMembers(result) && Array.isArray(result.tools) ? result.tools : [], reading);
    const next = isMembers(result) ? result.nextCursor : undefined;
    if (typeof next !== "string") break;
    const stop = reasonToStop(next, seen, reading, page, page > 1 && fresh === 0);
    if (stop !== null) return { tools: reading.tools, warnings: [stop, ...reading.warnings.lines()] };
    seen.add(next);
    cursor = next;
  }
  return { tools: reading.tools, warnings: reading.warnings.lines() };
}

/** How many tools the page added. */
function readPage(listed: readonly unknown[], reading: Reading): number {
  const { tools, warnings } = reading;
  const before = tools.size;
  const onPage = new Set<string>();
  for (const raw of listed) {
    if (tools.size >= MAX_TOOLS || reading.entries >= MAX_ENTRIES) break;
    reading.entries += 1;
    const read = readTool(raw, reading.modern, warnings, MAX_SCHEMAS_CHARS - reading.schemaChars);
    if (read === null) continue;
    const { name } = read.tool.info;
    // A page that comes again is told of once, by the list's own words.
    if (onPage.has(name)) warnings.add(`Tool ${spelled(name)} is listed twice; the first one counts.`);
    onPage.add(name);
    if (tools.has(name)) continue;
    reading.schemaChars += read.schemaChars;
    tools.set(name, read.tool);
  }
  return tools.size - before;
}

function reasonToStop(
  next: string,
  seen: ReadonlySet<string>,
  reading: Reading,
  page: number,
  same: boolean,
): string | null {
  const { size } = reading.tools;
  if (seen.has(next) || same) return `The list of tools repeats itself; ${size} are shown.`;
  if (size >= MAX_TOOLS) return `The server lists more than ${MAX_TOOLS} tools; the first ${MAX_TOOLS} are shown.`;
  if (reading.entries >= MAX_ENTRIES)
    return `The list of tools goes on after ${MAX_ENTRIES} entries; ${size} are shown.`;
  if (page >= MAX_PAGES) return `The list of tools has more than ${MAX_PAGES} pages; ${size} tools are shown.`;
  if (next.length > MAX_CURSOR_CHARS)
    return `The list of tools goes on at a place too long to ask for; ${size} are shown.`;
  return null;
}

function readTool(
  raw: unknown,
  modern: boolean,
  warnings: Warnings,
  schemaCharsLeft: number,
): { tool: ListedTool; schemaChars: number } | null {
  if (!isMembers(raw) || !isUsableName(raw.name)) {
    warnings.add("A tool without a usable name was left out.");
    return null;
  }
  const { name } = raw;
  const shown = spelled(name);
  const headers = modern ? paramHeadersOf(raw.inputSchema) : { ok: true as const, headers: [] };
  if (!headers.ok) {
    warnings.add(`Tool ${shown} was left out: ${headers.problem}.`);
    return null;
  }
  const annotations = isMembers(raw.annotations) ? raw.annotations : {};
  const schema = readSchema(raw.inputSchema, schemaCharsLeft);
  if (schema.problem !== null) warnings.add(`The form of tool ${shown} is not shown: its schema ${schema.problem}.`);
  const readOnly = annotations.readOnlyHint === true;
  const info: ToolInfo = {
    name,
    title: textOf(raw.title, MAX_TITLE_CHARS) ?? textOf(annotations.title, MAX_TITLE_CHARS),
    description: textOf(raw.description, MAX_LINE_CHARS),
    readOnly,
    destructive: !readOnly && annotations.destructiveHint === true,
  };
  const detail: ToolDetail = {
    ...info,
    description: textOf(raw.description, MAX_DESCRIPTION_CHARS),
    inputSchema: schema.value,
    formProblem: schema.problem === null ? null : `No form can be shown: the tool's schema ${schema.problem}.`,
  };
  const outputSchema = boundedOutputSchema(raw.outputSchema);
  return { tool: { info, detail, outputSchema, paramHeaders: headers.headers }, schemaChars: schema.chars };
}

/** A name with half a character can be neither sent nor put into an address as it is. */
function isUsableName(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name.length <= MAX_NAME_CHARS && name.isWellFormed();
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
