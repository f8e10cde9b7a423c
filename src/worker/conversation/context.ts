/** Context for sampling: what the conversation's tool runs may tell a server (SPEC C1, C2). */
import type { Scope } from "../../policy/policy";
import type { RunView } from "../api";
import type { Context } from "../sampling/deps";

/** The newest runs only, each cut to a length: context must not outgrow the request it serves. */
const MAX_RUNS = 20;
const MAX_CHARS = 8_000;

/**
 * `this_server`: finished calls of that server. `conversation`: finished calls of every server. Sampling prompts and
 * completions are never among them; the run that is asking has no result yet and is left out.
 */
export function contextOf(runs: readonly RunView[], scope: Scope, server: string, exceptRunId: string | null): Context {
  if (scope === "none") return { messages: [], manifest: [] };
  const chosen = runs
    .filter((run) => run.endedAt !== null && run.id !== exceptRunId && run.content.length > 0)
    .filter((run) => scope === "conversation" || run.server === server)
    .slice(-MAX_RUNS);
  return {
    messages: chosen.map((run) => ({ role: "user", content: [{ type: "text", text: textOf(run) }] })),
    manifest: chosen.map((run) => ({ kind: "tool_run", server: run.server, tool: run.tool, runId: run.id })),
  };
}

function textOf(run: RunView): string {
  const said = run.content.map((block) => (typeof block.text === "string" ? block.text : `[${String(block.type)}]`));
  const result = said.join("\n").slice(0, MAX_CHARS);
  const args = JSON.stringify(run.args).slice(0, 500);
  // A cut may fall between the halves of a surrogate pair.
  return `Earlier tool call, attached as context: ${run.tool}(${args}) returned:\n${result}`.toWellFormed();
}
