/**
 * Whether a server's tools are still those that were there before (K7-16). A consent is bounded by money, time and
 * policy, not by tool, so a change ends none; but the person is told of it, and sees it until they looked.
 */
import { spelled } from "./mcp/spelled";

/** A tool that was not there before, or is not what it was, until the person opened it. */
export interface ToolNews {
  readonly tool: string;
  readonly what: "new" | "changed";
}

export interface KnownTool {
  readonly digest: string;
  readonly news: ToolNews["what"] | null;
  /** The log has said so. */
  readonly told: boolean;
}

export interface KnownTools {
  readonly tools: ReadonlyMap<string, KnownTool>;
  /** When the log last said something of them; null before. */
  readonly toldAt: number | null;
}

/** As many as a list has. */
const MAX_KNOWN = 1_000;
/** A server whose tools never stay the same is one line of the log in this long. */
const TELL_EVERY_MS = 10 * 60_000;
const MAX_NAMED = 6;

/**
 * What is known once a list was read, and what to say of it.
 *
 * @param known null before the first list: nothing on that is new
 * @param listed digests by name
 */
export function compareTools(
  known: KnownTools | null,
  listed: ReadonlyMap<string, string>,
  server: string,
  now: number,
): { readonly known: KnownTools; readonly line: string | null } {
  const tools = new Map<string, KnownTool>();
  for (const [name, digest] of listed) {
    if (tools.size < MAX_KNOWN) tools.set(name, afterReading(known, name, digest));
  }
  const untold = [...tools].filter(([, { news, told }]) => news !== null && !told);
  // One that is left out for a while has not become another by coming back.
  for (const [name, tool] of known?.tools ?? []) {
    if (tools.size < MAX_KNOWN && !tools.has(name)) tools.set(name, tool);
  }
  const toldAt = known?.toldAt ?? null;
  // A clock that was set back must not silence it.
  const tooSoon = toldAt !== null && Math.abs(now - toldAt) < TELL_EVERY_MS;
  if (untold.length === 0 || tooSoon) return { known: { tools, toldAt }, line: null };
  for (const [name, tool] of untold) tools.set(name, { ...tool, told: true });
  return { known: { tools, toldAt: now }, line: sentence(server, newsOf(new Map(untold))) };
}

function afterReading(known: KnownTools | null, name: string, digest: string): KnownTool {
  if (known === null) return { digest, news: null, told: true };
  const before = known.tools.get(name);
  if (before === undefined) return { digest, news: "new", told: false };
  if (before.digest === digest) return before;
  // To a person who never opened it, it is as new as it was.
  return before.news === "new" ? { ...before, digest } : { digest, news: "changed", told: false };
}

/** The person opened it. The same object where that was no news. */
export function opened(known: KnownTools, name: string): KnownTools {
  const tool = known.tools.get(name);
  if (tool === undefined || tool.news === null) return known;
  return { ...known, tools: new Map([...known.tools, [name, { ...tool, news: null }]]) };
}

export function newsOf(tools: ReadonlyMap<string, KnownTool>): readonly ToolNews[] {
  return [...tools].flatMap(([tool, { news: what }]) => (what === null ? [] : [{ tool, what }]));
}

export function sameKnown(one: KnownTools | null, other: KnownTools): boolean {
  if (one === null || one.toldAt !== other.toldAt || one.tools.size !== other.tools.size) return false;
  return [...other.tools].every(([name, tool]) => one.tools.get(name) === tool);
}

function sentence(server: string, news: readonly ToolNews[]): string {
  const [fresh, changed] = (["new", "changed"] as const).map((what) => news.filter((one) => one.what === what));
  const names = [...(fresh ?? []), ...(changed ?? [])].map(({ tool }) => spelled(tool));
  const counts = [`${fresh?.length ?? 0} new`, `${changed?.length ?? 0} changed`].filter(
    (one) => !one.startsWith("0 "),
  );
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const tools = names.length === 1 ? "tool" : "tools";
  return `${server} has ${counts.join(" and ")} ${tools}: ${names.slice(0, MAX_NAMED).join(", ")}${more}`;
}
