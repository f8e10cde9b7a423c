/** The tool parts of a sampling request, read only where they were offered (SPEC W9; MCP 2025-11-25). */
import { bad, fields, list, optional, own, text } from "./read";
import type { Message } from "./request";

const MODES: readonly unknown[] = ["auto", "required", "none"];

/** Tools as MCP describes them; what providers read of them is checked, the rest is the server's. */
export function toolsOf(value: unknown): readonly object[] {
  const names = new Set<string>();
  return list(value, "tools").map((one, at) => {
    const path = `tools[${at}]`;
    const tool = fields(one, path);
    const name = text(own(tool, "name"), `${path}.name`);
    if (name === "") return bad(`${path}.name`, "a tool without a name");
    if (names.size === names.add(name).size) return bad(`${path}.name`, "two tools share a name");
    optional(own(tool, "description"), (given) => text(given, `${path}.description`));
    fields(own(tool, "inputSchema"), `${path}.inputSchema`);
    return tool;
  });
}

export function toolChoiceOf(value: unknown): object {
  const choice = fields(value, "toolChoice");
  const mode = own(choice, "mode") ?? "auto";
  return MODES.includes(mode) ? choice : bad("toolChoice.mode", "neither auto, required nor none");
}

/** Every tool use is answered in the very next message, results stand alone, and none is left open (K1-14, K1-15). */
export function checkToolBalance(messages: readonly Message[]): void {
  let open = new Set<string>();
  for (const [at, { role, content }] of messages.entries()) {
    const path = `messages[${at}].content`;
    const results = content.flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : []));
    if (results.length > 0 && results.length < content.length) bad(path, "tool results stand with other content");
    if (results.length > 0 && role !== "user") bad(path, "tool results come from the user's side");
    for (const id of results) if (!open.delete(id)) bad(path, "a tool result without its tool use");
    if (open.size > 0) bad(path, "a tool use without its result");
    const uses = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    if (uses.length > 0 && role !== "assistant") bad(path, "tool uses come from the assistant's side");
    open = new Set(uses);
    if (open.size < uses.length) bad(path, "two tool uses share an id");
  }
  if (open.size > 0) bad(`messages[${messages.length - 1}].content`, "a tool use without its result");
}
