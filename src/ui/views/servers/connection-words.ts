/** A connection's state in one word and one sentence. */
import type { ConnectionReport } from "../../../worker/api";

export type StateWord = ConnectionReport["state"]["state"];

/** Is this revision one where sampling travels inside results (2026-07-28 and later)? Dates compare as text. */
export function isModern(protocol: string): boolean {
  return protocol >= "2026-07-28";
}

const TRANSPORTS: Readonly<Record<ConnectionReport["transport"], string>> = {
  http: "HTTP",
  sse: "HTTP with server-sent events",
  websocket: "WebSocket",
};

export function protocolWords(report: ConnectionReport): string {
  if (report.protocol === null) return `not negotiated yet, over ${TRANSPORTS[report.transport]}`;
  const era = isModern(report.protocol) ? "stateless" : "with sessions";
  return `MCP ${report.protocol}, ${era}, over ${TRANSPORTS[report.transport]}`;
}
