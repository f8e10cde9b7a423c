/** Our prompt in the words of the Messages API. */
import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  TextBlockParam,
  Tool,
  ToolChoice,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Block } from "../../policy/request";
import { isClaudeUpTo46 } from "../tokens/claude-version";
import type { ProviderCall } from "./provider";
import { type McpTool, mergedTurns, toolMode } from "./turns";

/** The SDK no longer types `temperature`, which models up to 4.6 still take. */
export type AnthropicBody = MessageCreateParamsStreaming & { temperature?: number };

export type Built<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly block: Block["type"] | "unknown" };

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

class Unsupported extends Error {
  constructor(readonly block: Block["type"]) {
    super(block);
  }
}

export function anthropicBody(call: ProviderCall): Built<AnthropicBody> {
  try {
    const messages = mergedTurns(call.messages).map((turn) => ({
      role: turn.role,
      content: turn.content.map(contentBlock),
    }));
    return { ok: true, body: { ...settings(call), messages } };
  } catch (error) {
    if (error instanceof Unsupported) return { ok: false, block: error.block };
    throw error;
  }
}

function settings(call: ProviderCall): Omit<AnthropicBody, "messages"> {
  const old = isClaudeUpTo46(call.model);
  return {
    model: call.model,
    max_tokens: call.maxTokens,
    stream: true,
    ...(call.systemPrompt === null ? {} : { system: call.systemPrompt }),
    ...(call.stopSequences.length === 0 ? {} : { stop_sequences: [...call.stopSequences] }),
    // MCP leaves the range open, the API takes 0 to 1.
    ...(old && call.temperature !== null ? { temperature: Math.min(1, Math.max(0, call.temperature)) } : {}),
    // From 4.7 on a temperature is refused, and thinking is on and spends from max_tokens: least effort for it.
    ...(old ? {} : { output_config: { effort: "low" as const } }),
    ...toolSettings(call),
  };
}

function toolSettings(call: ProviderCall): { tools?: Tool[]; tool_choice?: ToolChoice } {
  if (!call.tools || call.tools.length === 0) return {};
  const tools = (call.tools as readonly McpTool[]).map((tool) => ({
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: { ...tool.inputSchema, type: "object" as const },
  }));
  const mode = toolMode(call.toolChoice);
  return { tools, tool_choice: { type: mode === "required" ? "any" : mode } };
}

function contentBlock(block: Block): ContentBlockParam {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return imageBlock(block);
    case "audio":
      throw new Unsupported("audio");
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input };
    case "tool_result": {
      const content = block.content.map((inner): TextBlockParam | ImageBlockParam => {
        if (inner.type === "text") return { type: "text", text: inner.text };
        if (inner.type === "image") return imageBlock(inner);
        throw new Unsupported(inner.type);
      });
      return { type: "tool_result", tool_use_id: block.toolUseId, content, is_error: block.isError };
    }
  }
}

function imageBlock(block: Extract<Block, { type: "image" }>): ImageBlockParam {
  const media_type = IMAGE_TYPES.find((type) => type === block.mimeType.toLowerCase());
  if (media_type === undefined) throw new Unsupported("image");
  return { type: "image", source: { type: "base64", media_type, data: block.data } };
}
