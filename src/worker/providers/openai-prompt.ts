/** Our prompt in the words of the chat completions API. */
import type { Block, Message } from "../../policy/request";
import type { Built } from "./anthropic-prompt";
import type { ProviderCall } from "./provider";
import { type McpTool, mergedTurns, toolMode } from "./turns";

type Part =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } };

interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | Part[] }
  | { role: "assistant"; content: string | null; tool_calls?: ToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

class Unsupported extends Error {
  constructor(readonly block: Block["type"]) {
    super(block);
  }
}

/** OpenAI's own models take another name for the limit, and its reasoning models no temperature. */
function isReasoning(model: string): boolean {
  return /^(?:openai\/)?(?:gpt-[5-9]|o\d)/i.test(model);
}

export function chatBody(call: ProviderCall, baseUrl: string): Built<object> {
  try {
    const messages: ChatMessage[] = call.systemPrompt === null ? [] : [{ role: "system", content: call.systemPrompt }];
    for (const turn of mergedTurns(call.messages)) messages.push(...chatMessages(turn));
    return { ok: true, body: { ...settings(call, baseUrl), messages } };
  } catch (error) {
    if (error instanceof Unsupported) return { ok: false, block: error.block };
    throw error;
  }
}

function settings(call: ProviderCall, baseUrl: string): object {
  const own = new URL(baseUrl).hostname === "api.openai.com";
  return {
    model: call.model,
    [own ? "max_completion_tokens" : "max_tokens"]: call.maxTokens,
    stream: true,
    stream_options: { include_usage: true },
    ...(call.temperature === null || isReasoning(call.model) ? {} : { temperature: call.temperature }),
    ...(call.stopSequences.length === 0 ? {} : { stop: call.stopSequences }),
    ...toolSettings(call),
  };
}

function toolSettings(call: ProviderCall): object {
  if (!call.tools || call.tools.length === 0) return {};
  const tools = (call.tools as readonly McpTool[]).map((tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
  }));
  return { tools, tool_choice: toolMode(call.toolChoice) };
}

function chatMessages(turn: Message): ChatMessage[] {
  return turn.role === "assistant" ? [assistantMessage(turn.content)] : userMessages(turn.content);
}

function assistantMessage(content: readonly Block[]): ChatMessage {
  const calls: ToolCall[] = [];
  const texts: string[] = [];
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "tool_use") {
      const called = { name: block.name, arguments: JSON.stringify(block.input) };
      calls.push({ id: block.id, type: "function", function: called });
    } else throw new Unsupported(block.type);
  }
  const message = { role: "assistant", content: texts.length === 0 ? null : texts.join("\n\n") } as const;
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

/** Results of tools are messages of their own; what stands between them stays in order. */
function userMessages(content: readonly Block[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let parts: Part[] = [];
  const flush = () => {
    if (parts.length > 0) messages.push({ role: "user", content: plainOf(parts) });
    parts = [];
  };
  for (const block of content) {
    if (block.type !== "tool_result") {
      parts.push(partOf(block));
      continue;
    }
    flush();
    messages.push({ role: "tool", tool_call_id: block.toolUseId, content: block.content.map(textOf).join("\n\n") });
  }
  flush();
  return messages;
}

/** Many local servers take text only as one string. */
function plainOf(parts: Part[]): string | Part[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

function textOf(block: Block): string {
  if (block.type !== "text") throw new Unsupported(block.type);
  return block.text;
}

function partOf(block: Block): Part {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image" && /^image\/[\w.+-]+$/.test(block.mimeType)) {
    return { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } };
  }
  if (block.type === "audio") {
    const format = audioFormat(block.mimeType);
    if (format !== null) return { type: "input_audio", input_audio: { data: block.data, format } };
  }
  throw new Unsupported(block.type);
}

function audioFormat(mimeType: string): "wav" | "mp3" | null {
  if (/^audio\/(?:x-|vnd\.)?wave?$/i.test(mimeType)) return "wav";
  return /^audio\/(?:mpeg|mp3)$/i.test(mimeType) ? "mp3" : null;
}
