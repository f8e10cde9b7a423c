/** What is known of a chat completion while its chunks arrive. */
import type { Usage } from "../../policy/catalog";
import type { Block } from "../../policy/request";
import { utf8Length } from "../tokens/utf8";
import type { StopReason } from "./provider";

export interface ChatStream {
  model: string | null;
  text: string;
  /** Text and reasoning, for a count should the stream break. */
  written: string;
  writtenBytes: number;
  readonly calls: { id: string; name: string; json: string }[];
  stopReason: StopReason | null;
  usage: Usage | null;
  /** The provider said inside the stream that it failed. */
  error: { readonly status: number; readonly detail: string } | null;
  done: boolean;
}

/** A chunk of a stream, or a whole completion from a server that does not stream. All of it is hearsay. */
export interface ChatChunk {
  readonly model?: unknown;
  readonly choices?: readonly {
    readonly delta?: ChatDelta | null;
    readonly message?: ChatDelta | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: ChatUsage | null;
  readonly error?: { readonly message?: unknown; readonly code?: unknown } | string | null;
}

interface ChatDelta {
  readonly content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface ChatUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null;
}

const STOP: Readonly<Record<string, StopReason>> = {
  stop: "endTurn",
  length: "maxTokens",
  tool_calls: "toolUse",
  function_call: "toolUse",
};

export function newChatStream(): ChatStream {
  return {
    model: null,
    text: "",
    written: "",
    writtenBytes: 0,
    calls: [],
    stopReason: null,
    usage: null,
    error: null,
    done: false,
  };
}

export function chunkTaken(stream: ChatStream, chunk: ChatChunk, onTokens: (count: number) => void): void {
  if (chunk.error) {
    stream.error = errorOf(chunk.error);
    return;
  }
  if (typeof chunk.model === "string" && chunk.model !== "") stream.model = chunk.model;
  if (chunk.usage) stream.usage = usageOf(chunk.usage);
  const choice = chunk.choices?.[0];
  if (choice === undefined) return;
  const delta = choice.delta ?? choice.message;
  if (delta) deltaTaken(stream, delta, onTokens);
  if (choice.finish_reason) stream.stopReason = STOP[choice.finish_reason] ?? "endTurn";
}

function deltaTaken(stream: ChatStream, delta: ChatDelta, onTokens: (count: number) => void): void {
  const text = delta.content ?? "";
  let written = text + (delta.reasoning_content ?? delta.reasoning ?? "");
  for (const [at, part] of (delta.tool_calls ?? []).entries()) {
    const index = part.index ?? at;
    const call = stream.calls[index] ?? { id: "", name: "", json: "" };
    call.id ||= part.id ?? "";
    call.name ||= part.function?.name ?? "";
    call.json += part.function?.arguments ?? "";
    stream.calls[index] = call;
    written += part.function?.arguments ?? "";
  }
  if (written === "") return;
  stream.text += text;
  stream.written += written;
  stream.writtenBytes += utf8Length(written);
  onTokens(Math.ceil(stream.writtenBytes / 4));
}

/** `prompt_tokens` includes both cache kinds; ours excludes them. A missing count is no count (K4-04). */
function usageOf(usage: ChatUsage): Usage {
  const cacheReadTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const cacheWriteTokens = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
  return {
    inputTokens: (usage.prompt_tokens ?? Number.NaN) - cacheReadTokens - cacheWriteTokens,
    outputTokens: usage.completion_tokens ?? Number.NaN,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

function errorOf(error: NonNullable<ChatChunk["error"]>): { status: number; detail: string } {
  if (typeof error === "string") return { status: 500, detail: error };
  const status = typeof error.code === "number" && error.code >= 400 ? error.code : 500;
  return { status, detail: typeof error.message === "string" ? error.message : "The provider reported an error" };
}

export function contentOf(stream: ChatStream): Block[] {
  const blocks: Block[] = stream.text === "" && stream.calls.length > 0 ? [] : [{ type: "text", text: stream.text }];
  for (const call of stream.calls) {
    if (call) blocks.push({ type: "tool_use", id: call.id, name: call.name, input: inputOf(call.json) });
  }
  return blocks;
}

/** Input that the token limit cut short is no JSON; `stopReason` says why it is missing. */
function inputOf(json: string): object {
  try {
    return JSON.parse(json || "{}") as object;
  } catch {
    return {};
  }
}
