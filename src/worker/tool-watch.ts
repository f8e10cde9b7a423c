/** Keeps what is known of each server's tools, and tells the log and the page what became of them (K7-16). */
import { canonicalJson } from "../policy/canonical";
import type { ToolDetail } from "./mcp/connection";
import type { SlotLocks } from "./mcp/slot-locks";
import type { Roster } from "./roster";
import { type Store, toolsKeyOf } from "./storage/store";
import { compareTools, type KnownTools, newsOf, opened, sameKnown, type ToolNews } from "./tool-news";

export interface ToolWatchDeps {
  readonly store: Pick<Store, "setting" | "putSetting" | "addEvent">;
  readonly roster: Pick<Roster, "row" | "refresh">;
  readonly locks: SlotLocks;
  readonly now: () => number;
  readonly newId: () => string;
}

export interface ToolWatch {
  /** A server's list was read. Never rejects: where nothing can be kept, tools are neither new nor changed. */
  listed(server: string, tools: readonly ToolDetail[]): Promise<void>;
  opened(server: string, tool: string): Promise<void>;
  news(server: string): readonly ToolNews[];
  /** Another tab may have seen or opened some. */
  reload(): Promise<void>;
  forget(server: string): void;
}

const NO_NEWS: readonly ToolNews[] = [];

export function createToolWatch(deps: ToolWatchDeps): ToolWatch {
  const { store } = deps;
  const shown = new Map<string, readonly ToolNews[]>();

  function show(server: string, known: KnownTools): void {
    const news = newsOf(known.tools);
    const before = shown.get(server);
    shown.set(server, news);
    if (JSON.stringify(before ?? []) !== JSON.stringify(news)) deps.roster.refresh(server);
  }

  /** One at a time in all tabs, so that two that read the same list say it once. */
  async function change(server: string, how: (known: KnownTools | null) => Promise<KnownTools | null>): Promise<void> {
    const key = toolsKeyOf(server);
    const work = async () => {
      const before = (await store.setting<KnownTools>(key)) ?? null;
      const after = await how(before);
      if (after === null || deps.roster.row(server) === undefined) return;
      if (!sameKnown(before, after)) await store.putSetting(key, after);
      show(server, after);
    };
    await deps.locks.request(`purser:${key}`, {}, work).catch(() => undefined);
  }

  return {
    listed: (server, tools) =>
      change(server, async (before) => {
        const digests = new Map<string, string>();
        // One after another: a thousand large schemas must not keep the worker from everybody else.
        for (const tool of tools) digests.set(tool.name, await digestOf(tool));
        const now = deps.now();
        const { known, line } = compareTools(before, digests, server, now);
        if (line !== null) {
          await store.addEvent({ id: deps.newId(), at: now, server, kind: "tools_changed", text: line, by: "" });
        }
        return known;
      }),
    opened: (server, tool) => change(server, async (before) => (before === null ? null : opened(before, tool))),
    news: (server) => shown.get(server) ?? NO_NEWS,
    async reload() {
      for (const server of [...shown.keys()]) {
        const known = await store.setting<KnownTools>(toolsKeyOf(server)).catch(() => undefined);
        if (known !== undefined && shown.has(server)) show(server, known);
      }
    },
    forget: (server) => void shown.delete(server),
  };
}

/** Of a tool as Purser shows it: what is cut off there is nobody's reading. */
async function digestOf({ name, description, inputSchema }: ToolDetail): Promise<string> {
  const bytes = new TextEncoder().encode(faceOf({ name, description, inputSchema }));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes), 0, 16);
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function faceOf(face: Pick<ToolDetail, "name" | "description" | "inputSchema">): string {
  try {
    return canonicalJson(face);
  } catch {
    // Half a character has no canonical form; as written it still tells one text from another.
    return JSON.stringify(face);
  }
}
