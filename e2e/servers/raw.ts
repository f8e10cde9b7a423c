/**
 * A server over HTTP for what no SDK would say: lists and answers are whatever the test returns, as a value or as text.
 * It speaks 2025-11-25, or 2026-07-28 where `modern` is set.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The response stream of one request. */
export interface Stream {
  /** Sends a frame; text goes as it is. */
  send(frame: unknown): void;
  /** Answers the request and ends its stream. */
  result(result: unknown): void;
  /** Ends the stream after what was sent. */
  end(): void;
  /** Breaks the connection off. */
  cut(): void;
}

export interface Raw {
  readonly url: string;
  /** Every message the client sent. */
  readonly received: readonly Message[];
  /** Every HTTP request as `GET /path`, preflights included. */
  readonly requests: readonly string[];
  modern: boolean;
  /** Headers of every response; CORS for any page until changed. */
  headers: Readonly<Record<string, string>>;
  /** Pages of tools: the result of `tools/list`. */
  list: (params: Readonly<Record<string, unknown>>, stream: Stream) => unknown;
  call: (message: Message, stream: Stream) => void;
  /** Answers an HTTP request before anything else; true where it did. */
  onHttp: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  close(): Promise<void>;
}

export const CORS: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "content-type, authorization, x-api-key, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name",
  "Access-Control-Expose-Headers": "Mcp-Session-Id, WWW-Authenticate",
};
const INFO = { serverInfo: { name: "raw", version: "1" }, capabilities: { tools: { listChanged: true } } };
const DISCOVERED = {
  ...INFO,
  supportedVersions: ["2026-07-28"],
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
};

export async function serveRaw(): Promise<Raw> {
  const received: Message[] = [];
  const requests: string[] = [];

  function streamOf(response: ServerResponse, id: unknown): Stream {
    const send = (frame: unknown) =>
      void response.write(`data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`);
    return {
      send,
      result(result) {
        send({ jsonrpc: "2.0", id, result });
        response.end();
      },
      end: () => void response.end(),
      cut: () => void response.destroy(),
    };
  }

  function dispatch({ id, method, params = {} }: Message, stream: Stream): void {
    switch (method) {
      case "initialize":
        return stream.result({ protocolVersion: "2025-11-25", ...INFO });
      case "server/discover":
        if (raw.modern) return stream.result(DISCOVERED);
        break;
      case "ping":
        return stream.result({});
      case "tools/list": {
        const listed = raw.list(params, stream);
        if (listed !== undefined) stream.result(listed);
        return;
      }
      case "tools/call":
        return raw.call({ ...(id === undefined ? {} : { id }), method, params }, stream);
    }
    stream.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    stream.end();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push(`${request.method} ${request.url}`);
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    for (const [name, value] of Object.entries(raw.headers)) response.setHeader(name, value);
    if (raw.onHttp(request, response, body)) return;
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(body) as Message;
    received.push(message);
    if (message.method === undefined || message.id === undefined) return void response.writeHead(202).end();
    const session: Record<string, string> = message.method === "initialize" ? { "Mcp-Session-Id": "s-1" } : {};
    response.writeHead(200, { "Content-Type": "text/event-stream", ...session }).flushHeaders();
    dispatch(message, streamOf(response, message.id));
  }

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const raw: Raw = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    requests,
    modern: false,
    headers: CORS,
    list: () => ({ tools: [{ name: "ask", inputSchema: { type: "object" } }] }),
    call: (_, stream) => stream.result({ content: [{ type: "text", text: "done" }] }),
    onHttp: () => false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return raw;
}
