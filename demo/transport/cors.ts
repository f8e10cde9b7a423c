import type { IncomingMessage, ServerResponse } from "node:http";
import { isLoopbackHost, isLoopbackOrigin } from "../../scripts/listen";

/** Whether a request comes from a page of this machine and is addressed to it; any other is answered 403. */
export const isFromHere = ({ headers }: IncomingMessage): boolean =>
  isLoopbackHost(headers.host) && isLoopbackOrigin(headers.origin);

/** What a client in a browser needs to be let in and to read: sessions, versions, resumption, and the newer headers. */
export function allowOrigin(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Vary", "Origin");
  response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
  response.setHeader(
    "Access-Control-Allow-Headers",
    "content-type, authorization, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name",
  );
  response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
  response.setHeader("Access-Control-Max-Age", "600");
}
