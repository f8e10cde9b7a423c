/**
 * A stand-in for the paid model APIs: `@copilotkit/aimock` behind a front that counts calls and says what CORS needs.
 * What aimock cannot say, cached tokens, comes from a few events written here. No key is ever checked, only kept.
 */
import { createServer, type IncomingMessage, request as post, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LLMock } from "@copilotkit/aimock";

export interface ModelCall {
  readonly path: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ReportedUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

export type Given =
  | { readonly kind: "text"; readonly text: string; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly kind: "status"; readonly status: number; readonly message: string; readonly retryAfter?: number }
  /** Streams a word every so often, far past any deadline of a test. */
  | { readonly kind: "slow"; readonly everyMs: number; readonly inputTokens: number }
  /** Anthropic only: a short answer whose usage has cached and cache-write tokens. */
  | { readonly kind: "cached"; readonly text: string; readonly model: string; readonly usage: ReportedUsage };

export interface ModelApi {
  /** Base URL for the Anthropic provider. */
  readonly anthropicUrl: string;
  /** Base URL for the OpenAI-compatible provider. */
  readonly openAiUrl: string;
  /** Calls that asked for a completion, oldest first. */
  readonly calls: readonly ModelCall[];
  /** What every call gets from now on. */
  give(given: Given): void;
  close(): Promise<void>;
}

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "POST, GET, HEAD, OPTIONS",
  "Access-Control-Max-Age": "600",
};

export async function startModelApi(): Promise<ModelApi> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 8 });
  await mock.start();
  const calls: ModelCall[] = [];
  let cached: Extract<Given, { kind: "cached" }> | null = null;

  function give(given: Given): void {
    mock.clearFixtures();
    cached = given.kind === "cached" ? given : null;
    const anything = /[\s\S]*/;
    switch (given.kind) {
      case "text":
        // OpenAI's and Anthropic's names of the same figures; each side reads its own.
        mock.onMessage(anything, { content: given.text, usage: usageOf(given.inputTokens, given.outputTokens) });
        break;
      case "status": {
        const { status, message, retryAfter } = given;
        mock.onMessage(anything, { error: { message }, status, ...(retryAfter === undefined ? {} : { retryAfter }) });
        break;
      }
      case "slow": {
        const content = "word ".repeat(2_000);
        const usage = usageOf(given.inputTokens, 2_000);
        mock.onMessage(anything, { content, usage }, { latency: given.everyMs });
        break;
      }
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    const asked = request.headers["access-control-request-headers"];
    if (asked !== undefined) response.setHeader("Access-Control-Allow-Headers", asked);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (request.method !== "POST") return void response.writeHead(200).end();
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const path = request.url ?? "/";
    const key = String(request.headers["x-api-key"] ?? request.headers.authorization ?? "");
    calls.push({ path, key, body: JSON.parse(text) as Record<string, unknown> });
    if (cached !== null) return writeCached(response, cached);
    forward(mock.port, path, request, text, response);
  }

  const front = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  return {
    anthropicUrl: url,
    openAiUrl: `${url}/v1`,
    calls,
    give,
    close: async () => {
      await new Promise((resolve) => front.close(resolve).closeAllConnections());
      await mock.stop();
    },
  };
}

function usageOf(input: number, output: number) {
  return { input_tokens: input, output_tokens: output, prompt_tokens: input, completion_tokens: output };
}

function forward(port: number, path: string, from: IncomingMessage, text: string, to: ServerResponse): void {
  const { host: _, origin: __, connection: ___, ...headers } = from.headers;
  const upstream = post({ host: "127.0.0.1", port, path, method: "POST", headers }, (answer) => {
    const { "content-type": type = "application/json", "retry-after": retryAfter } = answer.headers;
    to.writeHead(answer.statusCode ?? 500, {
      "Content-Type": type,
      ...(retryAfter === undefined
        ? {}
        : { "Retry-After": retryAfter, "Access-Control-Expose-Headers": "Retry-After" }),
    });
    answer.pipe(to);
  });
  // A client that gave up must not keep the stand-in writing.
  to.on("close", () => upstream.destroy());
  upstream.on("error", () => to.destroy());
  upstream.end(text);
}

function writeCached(response: ServerResponse, { text, model, usage }: Extract<Given, { kind: "cached" }>): void {
  const events = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model,
        content: [],
        usage: { ...usage, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: usage.output_tokens } },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
