import type { Message } from "../../policy/request";

/** Turns that alternate: neighbours of one role become one, their blocks in order (K1-19). MCP does not alternate. */
export function mergedTurns(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) {
      turns[turns.length - 1] = { role: last.role, content: [...last.content, ...message.content] };
    } else turns.push(message);
  }
  return turns;
}

/** A tool as MCP describes it; `parseRequest` has checked its shape. */
export interface McpTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Record<string, unknown>;
}

/** MCP's tool choice: `auto`, `required` or `none`; `auto` where it says nothing. */
export function toolMode(toolChoice: object | null | undefined): "auto" | "required" | "none" {
  const mode = (toolChoice as { mode?: unknown } | null | undefined)?.mode;
  return mode === "required" || mode === "none" ? mode : "auto";
}
