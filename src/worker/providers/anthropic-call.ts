/** One call of the Messages API. Fetched when it is first needed: the SDK is most of its size. */
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { APIError } from "@anthropic-ai/sdk/core/error";
import { Messages } from "@anthropic-ai/sdk/resources/messages/messages";
import { anthropicBody } from "./anthropic-prompt";
import { type AnthropicStream, newStream, spentSoFar, taken } from "./anthropic-stream";
import {
  failureOfStatus,
  notSent,
  outgoing,
  refusedBeforeRunning,
  reportedUsage,
  retryAfterMs,
  unavailable,
} from "./failure";
import type { ProviderCall, ProviderFailure, ProviderOutcome } from "./provider";
import type { Reach } from "./reach";

export interface Endpoint {
  readonly key: string;
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly reach: Reach;
  readonly now: () => number;
}

/** What an error inside a stream that began with 200 would have had as its status. */
const STATUS_OF_ERROR: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export async function callAnthropic(
  endpoint: Endpoint,
  call: ProviderCall,
  onOutputTokens: (count: number) => void,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  return outgoing(await called(endpoint, call, onOutputTokens, signal), endpoint.key);
}

async function called(
  endpoint: Endpoint,
  call: ProviderCall,
  onOutputTokens: (count: number) => void,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const built = anthropicBody(call);
  if (!built.ok) return notSent({ kind: "unsupported_content", block: built.block });
  if (signal.aborted) return notSent({ kind: "aborted" });
  const { reach, baseUrl } = endpoint;
  const mayAnswer = await reach.mayAnswer(baseUrl, signal);
  if (signal.aborted) return notSent({ kind: "aborted" });
  if (!mayAnswer) return notSent(unavailable(`${new URL(baseUrl).host} cannot be reached`));
  const stream = newStream();
  try {
    const events = await messagesOf(endpoint).create(built.body, { signal });
    reach.heard(baseUrl);
    for await (const event of events) taken(stream, event, onOutputTokens);
  } catch (error) {
    if (!signal.aborted) return broken(endpoint, call, stream, error);
  }
  if (signal.aborted && !stream.finished) return cut(call, stream, { kind: "aborted" });
  if (!stream.finished) return cut(call, stream, unavailable("The stream ended before the answer did"));
  const content = stream.blocks.filter((block) => block !== null);
  const isEmpty = content.every((block) => block.type === "text" && block.text === "");
  return {
    ok: true,
    content: content.length === 0 ? [{ type: "text", text: "" }] : content,
    model: stream.model ?? call.model,
    stopReason: stream.stopReason,
    usage: stream.usage === null || !stream.metered ? null : reportedUsage(stream.usage, isEmpty),
  };
}

/** No retries inside: each would spend outside the budget. No telemetry, no environment. */
function messagesOf(endpoint: Endpoint): Messages {
  const client = new BaseAnthropic({
    apiKey: endpoint.key,
    baseURL: endpoint.baseUrl,
    fetch: endpoint.fetch,
    maxRetries: 0,
    dangerouslyAllowBrowser: true,
    openTelemetry: false,
    logLevel: "off",
  });
  return new Messages(client);
}

async function broken(
  endpoint: Endpoint,
  call: ProviderCall,
  stream: AnthropicStream,
  error: unknown,
): Promise<ProviderOutcome> {
  const detail = detailOf(error);
  if (error instanceof APIError && typeof error.status === "number") {
    endpoint.reach.heard(endpoint.baseUrl);
    return refusedBeforeRunning(error.status, detail, retryAfterMs(error.headers, endpoint.now()));
  }
  if (error instanceof APIError && typeof error.type === "string") {
    return cut(call, stream, failureOfStatus(STATUS_OF_ERROR[error.type] ?? 500, detail, null));
  }
  if (!stream.started) endpoint.reach.notHeard(endpoint.baseUrl);
  return cut(call, stream, unavailable(detail));
}

/** The input was reported with the first event; the output until the cut is counted here. */
async function cut(call: ProviderCall, stream: AnthropicStream, failure: ProviderFailure): Promise<ProviderOutcome> {
  const usage = await spentSoFar(stream, call);
  return { ok: false, failure, usage, mayHaveCost: true, ...(usage === null ? {} : { usageCounted: true }) };
}

/** The provider's own sentence where it gave one. */
function detailOf(error: unknown): string {
  return error instanceof APIError ? (error.apiMessage ?? error.message) : String(error);
}
