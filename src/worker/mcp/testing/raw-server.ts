/**
 * A server of protocol 2025-11-25 written on bare HTTP and WebSocket, so that a test decides every byte. It answers the
 * handshake and lists the tools it is given; everything else is the test's.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { bodyOf, type Listening, listen } from "./listen";

export type Message = Record<string, unknown> & {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
};

/** Where a handler writes: the stream that answers the request at hand. */
export interface Reply {
  /** Sends a frame as it is given: text stays text. */
  send(frame: unknown, eventId?: string): void;
  /** Ends the stream of this request. */
  end(): void;
  /** Cuts it, as a lost connection would. */
  cut(): void;
  /** Writes raw bytes to the stream (HTTP only). */
  write(bytes: string): void;
}

export interface RawServer {
  readonly url: string;
  /** Every frame the client sent. */
  readonly received: Message[];
  /** HTTP requests, e.g. "GET 200". */
  readonly log: string[];
  tools: unknown[];
  onCall: (message: Message, reply: Reply) => void | Promise<void>;
  /** Answers any other message; true where it did. */
  onOther: (message: Message, reply: Reply) => boolean;
  /** Answers an HTTP request before anything else; true where it did. */
  onHttp: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  /** The standing stream, once the client opened it. */
  standing: Reply | null;
  sessions: Set<string>;
  cut(): void;
  close(): Promise<void>;
  /** Listens again on the same port. */
  restart(): Promise<void>;
}

function base(url: string): RawServer {
  return {
    url,
    received: [],
    log: [],
    tools: [{ name: "ask", inputSchema: { type: "object" } }],
    onCall: (message, reply) => reply.send(resultOf(message, "done")),
    onOther: () => false,
    onHttp: () => false,
    standing: null,
    sessions: new Set(),
    cut: () => undefined,
    close: async () => undefined,
    restart: async () => undefined,
  };
}

export function resultOf(message: Message, text: string): Message {
  return { jsonrpc: "2.0", id: message.id as number, result: { content: [{ type: "text", text }] } };
}

export function samplingOf(id: string | number, text: string, extra: Record<string, unknown> = {}): Message {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { jsonrpc: "2.0", id, method: "sampling/createMessage", params: { maxTokens: 10, messages, ...extra } };
}

function dispatch(raw: RawServer, message: Message, reply: Reply): void {
  if (raw.onOther(message, reply)) return;
  const answer = (result: unknown) => reply.send({ jsonrpc: "2.0", id: message.id, result });
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: "raw", version: "1" };
  if (message.method === "initialize") answer({ protocolVersion: "2025-11-25", capabilities, serverInfo });
  else if (message.method === "ping") answer({});
  else if (message.method === "tools/list") answer({ tools: raw.tools });
  else if (message.method === "tools/call") void raw.onCall(message, reply);
  else if (message.id !== undefined && message.method !== undefined) {
    reply.send({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } });
  }
}

export async function rawHttp(): Promise<RawServer> {
  let listening: Listening;
  const streamReply = (response: ServerResponse, endsWith: string | number | undefined): Reply => ({
    send(frame, eventId) {
      if (eventId !== undefined) response.write(`id: ${eventId}\n`);
      response.write(`data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`);
      const { id, method } = typeof frame === "string" ? {} : (frame as Message);
      if (endsWith !== undefined && id === endsWith && method === undefined) response.end();
    },
    end: () => response.end(),
    cut: () => response.destroy(),
    write: (bytes) => void response.write(bytes),
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("finish", () => raw.log.push(`${request.method} ${response.statusCode}`));
    const body = await bodyOf(request);
    if (raw.onHttp(request, response, body)) return;
    const session = String(request.headers["mcp-session-id"]);
    if (request.method === "DELETE") {
      raw.sessions.delete(session);
      response.writeHead(200).end();
      return;
    }
    if (request.method === "GET") {
      if (!raw.sessions.has(session)) return void response.writeHead(404).end();
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      raw.log.push("GET open");
      raw.standing = streamReply(response, undefined);
      return;
    }
    const message = JSON.parse(body) as Message;
    if (message.method !== "initialize" && message.method !== "server/discover" && !raw.sessions.has(session)) {
      return void response.writeHead(404).end("Session not found");
    }
    raw.received.push(message);
    if (message.id === undefined || message.method === undefined) {
      response.writeHead(202).end();
      dispatch(raw, message, streamReply(response, undefined));
      return;
    }
    const headers: Record<string, string> = { "content-type": "text/event-stream" };
    if (message.method === "initialize") {
      const id = randomUUID();
      raw.sessions.add(id);
      headers["mcp-session-id"] = id;
    }
    response.writeHead(200, headers).flushHeaders();
    dispatch(raw, message, streamReply(response, message.id));
  }

  const handler = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => response.destroy());
  listening = await listen(handler);
  const raw = base(listening.url);
  raw.cut = () => listening.cut();
  raw.close = () => listening.close();
  raw.restart = async () => {
    raw.sessions.clear();
    listening = await listen(handler, listening.port);
  };
  return raw;
}

export async function rawWebSocket(): Promise<RawServer> {
  const open = (port: number) => new WebSocketServer({ host: "127.0.0.1", port, handleProtocols: () => "mcp" });
  let server = open(0);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const raw = base(`ws://127.0.0.1:${port}/`);
  const serve = () =>
    server.on("connection", (socket) => {
      const reply: Reply = {
        send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
        end: () => socket.close(),
        cut: () => socket.terminate(),
        write: (bytes) => socket.send(bytes),
      };
      raw.standing = reply;
      socket.on("message", (data) => {
        const message = JSON.parse(String(data)) as Message;
        raw.received.push(message);
        dispatch(raw, message, reply);
      });
    });
  serve();
  raw.cut = () => {
    for (const socket of server.clients) socket.terminate();
  };
  raw.close = () =>
    new Promise((resolve) => {
      raw.cut();
      server.close(() => resolve());
    });
  raw.restart = async () => {
    server = open(port);
    await new Promise((resolve) => server.once("listening", resolve));
    serve();
  };
  return raw;
}
