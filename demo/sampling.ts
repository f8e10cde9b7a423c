/** How a well-behaved server asks for a completion, and takes no for an answer. */
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CreateMessageRequestParams, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { CreateMessageResultSchema, McpError } from "@modelcontextprotocol/sdk/types.js";

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Waiting longer than this would keep the person waiting for the rest. */
const LONGEST_WAIT_MS = 5_000;
const WAITS_PER_REQUEST = 2;
/** A dialog may stay open for minutes as long as the client says that it still is. */
const SILENCE_MS = 60_000;
const ALTOGETHER_MS = 5 * 60_000;

/** What a refusal said. Everything but `message` may be missing: some clients send the message alone. */
export interface Refused {
  readonly message: string;
  readonly reason: string | null;
  readonly retryable: boolean;
  /** ISO 8601, when a repeat may do better. */
  readonly retryAt: string | null;
  readonly resetsAt: string | null;
}

export type Answer =
  | { readonly ok: true; readonly text: string; readonly model: string }
  | { readonly ok: false; readonly refused: Refused };

/** Asks once; a throttle that ends within seconds is waited out and the same request repeated, twice at most. */
export async function ask(extra: Extra, params: CreateMessageRequestParams): Promise<Answer> {
  for (let waits = 0; ; waits += 1) {
    const answer = await askOnce(extra, params);
    if (answer.ok) return answer;
    const { retryable, retryAt } = answer.refused;
    const waitMs = retryable && retryAt !== null ? Date.parse(retryAt) - Date.now() : Number.POSITIVE_INFINITY;
    if (waits >= WAITS_PER_REQUEST || !(waitMs <= LONGEST_WAIT_MS)) return answer;
    await pause(Math.max(waitMs, 0), extra.signal);
  }
}

async function askOnce(extra: Extra, params: CreateMessageRequestParams): Promise<Answer> {
  try {
    // Sent raw: a client that declared no sampling shall say itself that it does not.
    const result = await extra.sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultSchema, {
      timeout: SILENCE_MS,
      maxTotalTimeout: ALTOGETHER_MS,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
      // A signal of its own: the SDK listens on it and never stops.
      signal: AbortSignal.any([extra.signal]),
    });
    const blocks = [result.content].flat();
    const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { ok: true, text, model: result.model };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { ok: false, refused: refusedBy(error) };
  }
}

const RETRY_LATER = -32004;

function refusedBy(error: McpError): Refused {
  const data = (typeof error.data === "object" && error.data !== null ? error.data : {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    // The SDK puts its own words in front of the client's.
    message: error.message.replace(/^MCP error -?\d+: /, ""),
    reason: text(data.reason),
    retryable: typeof data.retryable === "boolean" ? data.retryable : error.code === RETRY_LATER,
    retryAt: text(data.retryAt),
    resetsAt: text(data.resetsAt),
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
