/** One chat completion of an OpenAI-compatible server: Ollama, LM Studio, vLLM, OpenRouter, OpenAI. */
import { createParser } from "eventsource-parser";
import type { Usage } from "../../policy/catalog";
import { countOutput, countPrompt } from "../tokens/prompt-tokens";
import {
  failureOfStatus,
  notSent,
  outgoing,
  refusedBeforeRunning,
  reportedUsage,
  retryAfterMs,
  unavailable,
} from "./failure";
import { chatBody } from "./openai-prompt";
import { type ChatChunk, type ChatStream, chunkTaken, contentOf, newChatStream } from "./openai-stream";
import type { ProviderCall, ProviderFailure, ProviderOutcome } from "./provider";
import type { Reach } from "./reach";

export interface ChatEndpoint {
  readonly key: string | null;
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly reach: Reach;
  readonly now: () => number;
}

/** Longest event kept; an event without end is a fault. */
const EVENT_MAX = 4 * 1024 * 1024;
/** Longest answer read from a server that does not stream, and longest error text. */
const BODY_MAX = 4 * 1024 * 1024;

export async function callChat(
  endpoint: ChatEndpoint,
  call: ProviderCall,
  onOutputTokens: (count: number) => void,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  return outgoing(await called(endpoint, call, onOutputTokens, signal), endpoint.key);
}

async function called(
  endpoint: ChatEndpoint,
  call: ProviderCall,
  onOutputTokens: (count: number) => void,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const built = chatBody(call, endpoint.baseUrl);
  if (!built.ok) return notSent({ kind: "unsupported_content", block: built.block });
  if (signal.aborted) return notSent({ kind: "aborted" });
  const { reach, baseUrl } = endpoint;
  const mayAnswer = await reach.mayAnswer(baseUrl, signal);
  if (signal.aborted) return notSent({ kind: "aborted" });
  if (!mayAnswer) return notSent(unavailable(`${new URL(baseUrl).host} cannot be reached`));
  const stream = newChatStream();
  let answered = false;
  try {
    const response = await post(endpoint, built.body, signal);
    answered = true;
    reach.heard(baseUrl);
    if (!response.ok) return await refused(endpoint, response);
    await read(response, stream, onOutputTokens);
  } catch (error) {
    if (signal.aborted) return cut(call, stream, { kind: "aborted" });
    if (!answered) reach.notHeard(baseUrl);
    return cut(call, stream, unavailable(String(error)));
  }
  return ended(call, stream);
}

function post(endpoint: ChatEndpoint, body: object, signal: AbortSignal): Promise<Response> {
  return endpoint.fetch(`${endpoint.baseUrl}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(endpoint.key === null ? {} : { authorization: `Bearer ${endpoint.key}` }),
    },
    body: JSON.stringify(body),
    credentials: "omit",
    signal,
  });
}

async function refused(endpoint: ChatEndpoint, response: Response): Promise<ProviderOutcome> {
  const text = await limitedText(response).catch(() => "");
  const said = messageIn(text) ?? (text === "" ? response.statusText : text);
  return refusedBeforeRunning(response.status, said, retryAfterMs(response.headers, endpoint.now()));
}

function messageIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string };
    const message = typeof error === "string" ? error : error?.message;
    return typeof message === "string" ? message : null;
  } catch {
    return null;
  }
}

async function read(response: Response, stream: ChatStream, onTokens: (count: number) => void): Promise<void> {
  if ((response.headers.get("content-type") ?? "").includes("application/json")) {
    chunkTaken(stream, JSON.parse(await limitedText(response)) as ChatChunk, onTokens);
    stream.done = true;
    return;
  }
  const parser = createParser({
    maxBufferSize: EVENT_MAX,
    onEvent: ({ data }) => {
      if (data === "[DONE]") stream.done = true;
      else chunkTaken(stream, JSON.parse(data) as ChatChunk, onTokens);
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
  });
  await eachText(response, (text) => {
    parser.feed(text);
    return !stream.done && stream.error === null;
  });
}

/** Feeds decoded text to `take` until it answers false, then lets the connection go. */
async function eachText(response: Response, take: (text: string) => boolean): Promise<void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) return;
    if (!take(decoder.decode(value, { stream: true }))) {
      await reader.cancel().catch(() => undefined);
      return;
    }
  }
}

async function limitedText(response: Response): Promise<string> {
  let whole = "";
  await eachText(response, (text) => {
    whole += text;
    return whole.length < BODY_MAX;
  });
  return whole;
}

async function ended(call: ProviderCall, stream: ChatStream): Promise<ProviderOutcome> {
  if (stream.error !== null) return cut(call, stream, failureOfStatus(stream.error.status, stream.error.detail, null));
  if (!stream.done && stream.stopReason === null) {
    return cut(call, stream, unavailable("The stream ended before the answer did"));
  }
  const isEmpty = stream.text === "" && stream.calls.length === 0;
  return {
    ok: true,
    content: contentOf(stream),
    model: stream.model ?? call.model,
    stopReason: stream.stopReason ?? "endTurn",
    usage: stream.usage === null ? null : reportedUsage(stream.usage, isEmpty),
  };
}

/** Usage comes last here: of a stream that broke off, both sides are counted by us; null where nothing streamed. */
async function cut(call: ProviderCall, stream: ChatStream, failure: ProviderFailure): Promise<ProviderOutcome> {
  const reported = stream.usage === null ? null : reportedUsage(stream.usage, false);
  if (reported !== null) return { ok: false, failure, usage: reported, mayHaveCost: true };
  if (stream.written === "") return { ok: false, failure, usage: null, mayHaveCost: true };
  const [inputTokens, output] = await Promise.all([
    countPrompt(call, call.model),
    countOutput(stream.written, call.model),
  ]);
  const outputTokens = Math.min(call.maxTokens, output);
  const usage: Usage = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { ok: false, failure, usage, mayHaveCost: true, usageCounted: true };
}
