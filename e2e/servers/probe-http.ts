/** A probe over Streamable HTTP on loopback, written on `node:http` alone so that nothing sits between test and wire. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Probe, Wire } from "./probe";

export interface HttpProbe {
  readonly url: string;
  readonly port: number;
  /** Sessions are unknown from now on: the next POST is answered 404. */
  dropSessions(): void;
  /** Cuts every open connection, streams included. */
  cut(): void;
  /** Stops listening; `listen` starts again on the same port, as a restarted server would. */
  close(): Promise<void>;
  listen(): Promise<void>;
}

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "content-type, authorization, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name",
  "Access-Control-Expose-Headers": "Mcp-Session-Id, WWW-Authenticate",
};

export async function serveHttp(probe: Probe, port = 0): Promise<HttpProbe> {
  const sessions = new Set<string>();
  const streams = new Map<string | number, ServerResponse>();
  let standalone: ServerResponse | null = null;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    handle(request, response).catch(() => response.destroy());
  });

  const wire: Wire = {
    send(text, stream) {
      const target = (stream === null ? standalone : streams.get(stream)) ?? standalone;
      if (target === null || target === undefined) return;
      target.write(`event: message\ndata: ${text}\n\n`);
      const json = JSON.parse(safeJson(text)) as Record<string, unknown>;
      if (stream !== null && json.id === stream && json.method === undefined) {
        target.end();
        streams.delete(stream);
      }
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (new URL(request.url ?? "/", "http://x").pathname !== "/mcp") return void response.writeHead(404).end();
    const session = request.headers["mcp-session-id"];
    if (request.method === "DELETE") {
      sessions.delete(String(session));
      return void response.writeHead(200).end();
    }
    if (request.method === "GET") {
      if (!sessions.has(String(session))) return void response.writeHead(404).end();
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
      response.write(": open\n\n");
      standalone = response;
      response.on("close", () => {
        if (standalone === response) standalone = null;
      });
      return;
    }
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const json = JSON.parse(body) as Record<string, unknown>;
    if (json.method !== "initialize" && !sessions.has(String(session))) {
      response.writeHead(404, { "Content-Type": "application/json" });
      return void response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    }
    const id = json.id as string | number | undefined;
    if (json.method === undefined || id === undefined) {
      response.writeHead(202).end();
      probe.receive(body, wire);
      return;
    }
    const headers: Record<string, string> = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" };
    if (json.method === "initialize") {
      const fresh = randomUUID();
      sessions.add(fresh);
      headers["Mcp-Session-Id"] = fresh;
    }
    response.writeHead(200, headers);
    streams.set(id, response);
    probe.receive(body, wire);
  }

  const listen = (on: number) =>
    new Promise<void>((resolve, reject) => server.once("error", reject).listen(on, "127.0.0.1", resolve));
  await listen(port);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    port: bound,
    dropSessions: () => sessions.clear(),
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        sessions.clear();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    listen: () => listen(bound),
  };
}

/** A raw frame may be no JSON at all; then it ends no stream. */
function safeJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return "{}";
  }
}
