/** Which transport and which protocol era to try, in which order, until one connects. */
import type { ServerConfig } from "./connection";
import type { Evidence } from "./evidence";
import { type Era, type Kind, NoSession, openSession, type Session, type SessionHooks } from "./session";

/** @param known era learnt on an earlier connection, so that no question is asked twice */
export async function dial(config: ServerConfig, known: Era | null, hooks: SessionHooks): Promise<Session> {
  const kind: Kind = /^wss?:/i.test(config.url) ? "websocket" : "http";
  const modes = known === "legacy" ? (["legacy", "auto"] as const) : (["auto", "legacy"] as const);
  let first: unknown = null;
  let last: Evidence | null = null;
  for (const mode of modes) {
    try {
      return await openSession(config, kind, mode, hooks);
    } catch (error) {
      if (!(error instanceof NoSession)) throw error;
      // Of two failures the plainer one is told: that of the handshake every server knows.
      if (first === null || mode === "legacy") first = error;
      last = error.evidence;
      if (isFinal(last)) throw error;
      if (known === "legacy" && last.last.kind === "network") break;
    }
  }
  if (kind === "http" && last !== null && mayBeOlder(last)) {
    const session = await openSession(config, "sse", "legacy", hooks).catch(() => null);
    if (session !== null) return session;
  }
  throw first;
}

/** Another protocol version would be answered the same. */
function isFinal({ last }: Evidence): boolean {
  if (last.kind === "status") return last.status === 401 || last.status === 403;
  return last.kind === "redirect" || last.kind === "html";
}

/** What servers answer to a POST that know only the HTTP+SSE transport of 2024-11-05. */
function mayBeOlder({ last }: Evidence): boolean {
  return last.kind === "status" && [400, 404, 405, 406, 501].includes(last.status);
}
