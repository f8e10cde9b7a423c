/**
 * A probe on protocol 2026-07-28, built on `@modelcontextprotocol/server`: sampling is embedded in an `input_required`
 * result and the client repeats its call with the answers. Keeps every request body the client sent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";

export interface ModernProbe {
  readonly url: string;
  /** The requests the `ask` tool embeds, by key; the same until changed. */
  embed: Readonly<Record<string, unknown>>;
  /** Takes no answer for enough: what it embeds after the n-th; null where one is. */
  more: ((answered: number) => Readonly<Record<string, unknown>>) | null;
  /** Every POST body as it came. */
  readonly bodies: readonly string[];
  /** `inputResponses` of repeated calls, in order. */
  readonly responses: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
  "Access-Control-Expose-Headers": "Mcp-Session-Id, WWW-Authenticate",
};
const STATE = "state-\u00e9-1";

export async function serveModern(): Promise<ModernProbe> {
  const bodies: string[] = [];
  const responses: Record<string, unknown>[] = [];
  const probe = { embed: {} as Readonly<Record<string, unknown>>, more: null as ModernProbe["more"] };
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "modern-probe", version: "1.0.0" });
    server.registerTool("ask", { description: "Embeds what the test set." }, async (context) => {
      const given = context.mcpReq.inputResponses;
      if (given !== undefined && Object.keys(given).length > 0) {
        responses.push(given as Record<string, unknown>);
        if (probe.more === null) return { content: [{ type: "text", text: JSON.stringify(given) }] };
      }
      const inputRequests = Object.fromEntries(
        Object.entries(probe.more?.(responses.length) ?? probe.embed).map(([key, params]) => [
          key,
          inputRequired.createMessage(params as never),
        ]),
      );
      return inputRequired({ inputRequests, requestState: STATE });
    });
    return server;
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    const asked = request.headers["access-control-request-headers"];
    if (asked !== undefined) response.setHeader("Access-Control-Allow-Headers", asked);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (body !== "") bodies.push(body);
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const url = `http://${request.headers.host}${request.url}`;
    const init = { method: request.method ?? "GET", headers, ...(body === "" ? {} : { body }) };
    const answer = await handler.fetch(new Request(url, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  }

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(probe, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    bodies,
    responses,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
