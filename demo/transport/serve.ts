/** Serves one MCP server on loopback, over Streamable HTTP at `/mcp` and over WebSocket at `/ws`. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { WebSocketServer } from "ws";
import { listen } from "../../scripts/listen";
import { allowOrigin, isFromHere } from "./cors";
import { webSocketTransport } from "./websocket";

export interface Served {
  /** `http://127.0.0.1:…/mcp` */
  readonly url: string;
  /** `ws://127.0.0.1:…/ws` */
  readonly wsUrl: string;
  close(): Promise<void>;
}

/** Listens at `port`, or at any free one when that is taken. Each session gets a server of its own from `create`. */
export async function serveMcp(create: () => McpServer, port: number): Promise<Served> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer((request, response) => {
    void route(request, response).catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 4 * 1024 * 1024,
    handleProtocols: (offered) => (offered.has("mcp") ? "mcp" : false),
  });
  http.on("upgrade", (request, socket, head) => {
    if (!isFromHere(request) || pathOf(request) !== "/ws") return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (accepted) => void create().connect(webSocketTransport(accepted)));
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isFromHere(request)) return void response.writeHead(403).end();
    allowOrigin(request, response);
    if (pathOf(request) !== "/mcp") return void response.writeHead(404).end();
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    const id = request.headers["mcp-session-id"];
    const known = sessions.get(String(id));
    if (id !== undefined && known === undefined) return void response.writeHead(404).end();
    await (known ?? (await openSession())).handleRequest(request, response);
  }

  /** A request without a session may only be the one that opens it; the transport itself refuses any other. */
  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    // The SDK's own types disagree about `undefined` under exactOptionalPropertyTypes.
    await create().connect(transport as Transport);
    return transport;
  }

  const origin = await listen(http, port);
  return {
    url: `${origin}/mcp`,
    wsUrl: `${origin.replace("http", "ws")}/ws`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

const pathOf = (request: IncomingMessage): string => new URL(request.url ?? "/", "http://localhost").pathname;
