/**
 * A stand-in for the Messages API whose every call goes the way its prompt's first word says, so that one browser can
 * have exchanges at every step of their way at once. No key is checked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const MODEL = "claude-haiku-4-5-20251001";

/** What the model reports unless it is told otherwise. */
export const USAGE = { input_tokens: 10, output_tokens: 4 };

/** First words, and what they do. */
type Way =
  | "answer"
  /** Nothing is said, not even a status, until `release`. */
  | "hold"
  /** A first piece of text, then nothing until `release`. */
  | "stream"
  /** Ends in the middle. */
  | "cut"
  /** Text, and no usage anywhere. */
  | "unmetered"
  /** Text, and zeros for usage. */
  | "zeros"
  /** Ten times what any estimate of it says. */
  | "tenfold"
  /** Answers as another model. */
  | "other"
  /** An error status. */
  | `${number}`;

export interface StagedCall {
  readonly way: string;
  readonly text: string;
  readonly maxTokens: number;
}

export interface StagedModel {
  readonly url: string;
  /** Calls with a prompt, oldest first. */
  readonly calls: readonly StagedCall[];
  /** Lets every call that was held or stopped in its stream go on to its end. */
  release(): void;
  close(): Promise<void>;
}

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers":
    "*, x-api-key, anthropic-version, anthropic-dangerous-direct-browser-access, content-type",
  "Access-Control-Allow-Methods": "POST, HEAD, OPTIONS",
};

export async function startStagedModel(): Promise<StagedModel> {
  const calls: StagedCall[] = [];
  let gate = newGate();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    const asked = request.headers["access-control-request-headers"];
    if (asked !== undefined) response.setHeader("Access-Control-Allow-Headers", asked);
    if (request.method !== "POST") return void response.writeHead(204).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { messages, max_tokens: maxTokens } = JSON.parse(body) as { messages: unknown[]; max_tokens: number };
    const text = /"text":"([^"]*)"|"content":"([^"]*)"/.exec(JSON.stringify(messages.at(-1)));
    const said = text?.[1] ?? text?.[2] ?? "";
    const way = (said.split(" ")[0] ?? "") as Way;
    calls.push({ way, text: said, maxTokens });
    const opened = gate.opened;
    if (/^\d+$/.test(way)) return fail(response, Number(way));
    if (way === "hold") await opened;
    begin(response, way);
    if (way === "cut") return void setTimeout(() => response.destroy(), 50);
    if (way === "stream") await opened;
    end(response, way);
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    release() {
      gate.open();
      gate = newGate();
    },
    async close() {
      gate.open();
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
    },
  };
}

function newGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function fail(response: ServerResponse, status: number): void {
  const type = status === 529 ? "overloaded_error" : "api_error";
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type, message: "not today" } }));
}

function begin(response: ServerResponse, way: Way): void {
  const model = way === "other" ? "claude-opus-4-1-20250805" : MODEL;
  const start = { id: "msg_1", type: "message", role: "assistant", model, content: [] };
  const { input_tokens } = usageOf(way);
  const usage = way === "unmetered" ? {} : { usage: { input_tokens, output_tokens: way === "zeros" ? 0 : 1 } };
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  say(response, { type: "message_start", message: { ...start, ...usage } });
  say(response, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  say(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "One moment" } });
}

function end(response: ServerResponse, way: Way): void {
  const { output_tokens } = usageOf(way);
  say(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: ", done." } });
  say(response, { type: "content_block_stop", index: 0 });
  const usage = way === "unmetered" ? {} : { usage: { output_tokens } };
  say(response, { type: "message_delta", delta: { stop_reason: "end_turn" }, ...usage });
  say(response, { type: "message_stop" });
  response.end();
}

function usageOf(way: Way): typeof USAGE {
  if (way === "tenfold") return { input_tokens: 40_000, output_tokens: 4_000 };
  return way === "zeros" ? { input_tokens: 0, output_tokens: 0 } : USAGE;
}

function say(response: ServerResponse, event: { readonly type: string } & Readonly<Record<string, unknown>>): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
