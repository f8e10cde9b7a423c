/** What is known of an answer while its events arrive. */
import type {
  MessageDeltaUsage,
  RawMessageStreamEvent,
  Usage as Reported,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Usage } from "../../policy/catalog";
import type { Block } from "../../policy/request";
import { countOutput } from "../tokens/prompt-tokens";
import { utf8Length } from "../tokens/utf8";
import type { ProviderCall, StopReason } from "./provider";

export interface AnthropicStream {
  started: boolean;
  finished: boolean;
  model: string | null;
  /** By the API's index; null where a block is none of ours (thinking). */
  readonly blocks: (Block | null)[];
  /** JSON of a tool's input, as it arrives. */
  readonly toolInputs: Map<number, string>;
  stopReason: StopReason;
  usage: Usage | null;
  /** The end of the output was reported; the first event counts only its beginning. */
  metered: boolean;
  /** All that was written: text, visible thinking, tool input. */
  written: string;
  writtenBytes: number;
  /** Thinking whose text is kept back: its tokens cannot be counted from here. */
  hiddenThinking: boolean;
}

const STOP: Readonly<Record<string, StopReason>> = {
  max_tokens: "maxTokens",
  model_context_window_exceeded: "maxTokens",
  stop_sequence: "stopSequence",
  tool_use: "toolUse",
};

export function newStream(): AnthropicStream {
  return {
    started: false,
    finished: false,
    model: null,
    blocks: [],
    toolInputs: new Map(),
    stopReason: "endTurn",
    usage: null,
    metered: false,
    written: "",
    writtenBytes: 0,
    hiddenThinking: false,
  };
}

export function taken(stream: AnthropicStream, event: RawMessageStreamEvent, onTokens: (count: number) => void): void {
  switch (event.type) {
    case "message_start":
      stream.started = true;
      stream.model = event.message.model;
      stream.usage = usageOf(event.message.usage, null);
      return;
    case "content_block_start":
      return blockStarted(stream, event);
    case "content_block_delta":
      return deltaTaken(stream, event, onTokens);
    case "content_block_stop":
      return toolFinished(stream, event.index);
    case "message_delta":
      if (event.delta.stop_reason !== null) stream.stopReason = STOP[event.delta.stop_reason] ?? "endTurn";
      stream.usage = usageOf(event.usage, stream.usage);
      stream.metered = typeof (event.usage as Partial<MessageDeltaUsage> | undefined)?.output_tokens === "number";
      if (stream.usage !== null && stream.usage.outputTokens > 0) onTokens(stream.usage.outputTokens);
      return;
    case "message_stop":
      stream.finished = true;
  }
}

function blockStarted(
  stream: AnthropicStream,
  event: Extract<RawMessageStreamEvent, { type: "content_block_start" }>,
): void {
  const block = event.content_block;
  stream.blocks[event.index] = null;
  if (block.type === "text") stream.blocks[event.index] = { type: "text", text: block.text };
  if (block.type === "tool_use") {
    stream.blocks[event.index] = { type: "tool_use", id: block.id, name: block.name, input: {} };
    stream.toolInputs.set(event.index, "");
  }
  if (block.type === "thinking" || block.type === "redacted_thinking") stream.hiddenThinking = true;
}

function deltaTaken(
  stream: AnthropicStream,
  event: Extract<RawMessageStreamEvent, { type: "content_block_delta" }>,
  onTokens: (count: number) => void,
): void {
  const { delta, index } = event;
  const block = stream.blocks[index];
  let text = "";
  if (delta.type === "text_delta") {
    text = delta.text;
    if (block?.type === "text") stream.blocks[index] = { type: "text", text: block.text + text };
  } else if (delta.type === "input_json_delta") {
    text = delta.partial_json;
    stream.toolInputs.set(index, (stream.toolInputs.get(index) ?? "") + text);
  } else if (delta.type === "thinking_delta") text = delta.thinking;
  if (text === "") return;
  stream.written += text;
  stream.writtenBytes += utf8Length(text);
  onTokens(Math.ceil(stream.writtenBytes / 4));
}

function toolFinished(stream: AnthropicStream, index: number): void {
  const block = stream.blocks[index];
  const json = stream.toolInputs.get(index);
  if (block?.type !== "tool_use" || !json) return;
  stream.blocks[index] = { ...block, input: objectOf(json) };
}

/** Input that the token limit cut short is no JSON; `stopReason` says why it is missing. */
function objectOf(json: string): object {
  try {
    return JSON.parse(json) as object;
  } catch {
    return {};
  }
}

/** Later counts are cumulative and replace earlier ones; a null says nothing, and who speaks the API may leave all out. */
function usageOf(reported: Reported | MessageDeltaUsage | undefined, before: Usage | null): Usage | null {
  if (reported === undefined || reported === null) return before;
  return {
    inputTokens: reported.input_tokens ?? before?.inputTokens ?? 0,
    outputTokens: reported.output_tokens ?? before?.outputTokens ?? 0,
    cacheReadTokens: reported.cache_read_input_tokens ?? before?.cacheReadTokens ?? 0,
    cacheWriteTokens: reported.cache_creation_input_tokens ?? before?.cacheWriteTokens ?? 0,
  };
}

/** Usage of a call that was cut: null before the provider reported its input (K4-03). */
export async function spentSoFar(stream: AnthropicStream, call: ProviderCall): Promise<Usage | null> {
  const { usage } = stream;
  if (usage === null || usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens === 0) return null;
  if (stream.hiddenThinking) return { ...usage, outputTokens: call.maxTokens };
  const counted = await countOutput(stream.written, call.model);
  return { ...usage, outputTokens: Math.min(call.maxTokens, Math.max(usage.outputTokens, counted)) };
}
