/**
 * `fetch` as the HTTP transports get it: no redirects, bounded bodies, and every frame shown to the gate before the SDK
 * reads it, together with the request whose response stream carried it.
 */
import type { Origin } from "./answering";
import type { Evidence } from "./evidence";
import { MAX_FRAME_BYTES, OUTLINE_CHARS } from "./frame";
import { type Gate, TICKET_HEADER } from "./gate";
import type { Lane } from "./lanes";
import type { SpaceHint } from "./local-network";
import { type PacedSink, type StreamEnd, watchedStream } from "./sse";

export interface HttpHooks {
  readonly gate: Gate;
  readonly lane: Lane;
  readonly evidence: Evidence;
  readonly space: SpaceHint;
  /** Counts a standing stream, once there is a connection left for one; null where `signal` aborted first. */
  readonly openStream: (signal: AbortSignal) => Promise<(() => void) | null>;
  /** The response stream of a request ended for good without its answer. */
  readonly onLost: (ticket: string) => void;
  /** The standing stream could not be opened, or not again after it had been; `status` is null where none was read. */
  readonly onNoStanding: (status: number | null, wasOpen: boolean) => void;
}

/** Of an error's body this much is kept. */
const MAX_ERROR_BYTES = 64 * 1024;
/** What is too large is passed over until it ends, or until this much went by. */
const MAX_SKIPPED_BYTES = 64 * 1024 * 1024;
/** Tries of the SDK to resume one stream; after that its request is lost. */
export const RESUME_TRIES = 4;
/** Event ids kept for resuming; one per stream that is open. */
const MAX_RESUMABLE = 256;

const NEVER = new AbortController().signal;

let streams = 0;

export function watchedFetch(hooks: HttpHooks): typeof fetch {
  const { gate, evidence } = hooks;
  /** Last event id of a request's stream → its ticket. */
  const resumable = new Map<string, string>();
  const failedTries = new Map<string, number>();
  let standingWasOpen = false;

  return async (input, init) => {
    const headers = new Headers(init?.headers);
    const method = init?.method ?? "GET";
    const resumed = method === "GET" ? headers.get("last-event-id") : null;
    const ticket = headers.get(TICKET_HEADER) ?? (resumed === null ? null : (resumable.get(resumed) ?? null));
    headers.delete(TICKET_HEADER);
    const standing = method === "GET" && ticket === null;
    const release = standing ? await hooks.openStream(init?.signal ?? NEVER) : () => undefined;
    // Nobody waits for the stream any more; this is what a server without one would say.
    if (release === null) return new Response(null, { status: 405 });
    try {
      const response = await bounded(
        await fetch(input, { ...init, ...hooks.space, headers, redirect: "manual" }),
        method,
      );
      if (method === "GET") noteStream(response, ticket, standing);
      return await watched(response, { ticket, release });
    } catch (error) {
      release();
      if (init?.signal?.aborted === true) throw error;
      if (method === "POST" && error instanceof TypeError) evidence.last = { kind: "network" };
      if (method === "GET") noteStream(null, ticket, standing);
      throw error;
    }
  };

  /** Notes what an answer shows, and cuts the body of one that is an error. */
  async function bounded(response: Response, method: string): Promise<Response> {
    const { status, headers } = response;
    const isPost = method === "POST";
    if (response.type === "opaqueredirect") {
      if (isPost) evidence.last = { kind: "redirect", location: null };
      return response;
    }
    if (response.ok) {
      if (isPost) noteSuccess(response);
      return response;
    }
    const { head } = await readText(response.body, MAX_ERROR_BYTES, 0);
    const location = status >= 300 && status < 400 ? headers.get("location") : null;
    if (isPost)
      evidence.last = location === null ? { kind: "status", status, text: head } : { kind: "redirect", location };
    return copyOf(response, head);
  }

  function noteSuccess(response: Response): void {
    if (typeOf(response) === "text/html") {
      evidence.last = { kind: "html", status: response.status };
      return;
    }
    evidence.last = { kind: "ok" };
    evidence.answered = true;
    evidence.session ||= response.headers.has("mcp-session-id");
  }

  function noteStream(response: Response | null, ticket: string | null, standing: boolean): void {
    const ok = response?.ok === true;
    if (standing) {
      if (!ok) hooks.onNoStanding(response?.status ?? null, standingWasOpen);
      standingWasOpen ||= ok;
      return;
    }
    if (ticket === null) return;
    const tries = ok ? 0 : (failedTries.get(ticket) ?? 0) + 1;
    failedTries.set(ticket, tries);
    if (tries >= RESUME_TRIES || response?.status === 405) lost(ticket);
  }

  function lost(ticket: string): void {
    failedTries.delete(ticket);
    for (const [id, held] of resumable) if (held === ticket) resumable.delete(id);
    if (gate.tickets.get(ticket)?.state === "open") hooks.onLost(ticket);
  }

  async function watched(response: Response, request: Carrier): Promise<Response> {
    const origin: Origin = { stream: ++streams, ticket: request.ticket };
    const { body } = response;
    if (body === null || !response.ok) {
      request.release();
      return response;
    }
    if (typeOf(response) === "text/event-stream") {
      let lastId: string | null = null;
      const sink: PacedSink = {
        event: ({ id, data }) => {
          if (id !== null && request.ticket !== null) {
            if (lastId !== null) resumable.delete(lastId);
            lastId = id;
            remember(resumable, id, request.ticket);
          }
          return gate.inbound(data, origin).map((message) => JSON.stringify(message));
        },
        oversized: (head, tail) => gate.oversized(head, tail, origin).map((message) => JSON.stringify(message)),
        turn: () => new Promise((resolve) => hooks.lane.read(resolve)),
      };
      const onEnd = (end: StreamEnd) => {
        request.release();
        // With an event id the SDK asks for the rest; without one nothing more can come.
        if (request.ticket !== null && end !== "stopped" && lastId === null) lost(request.ticket);
      };
      return copyOf(response, watchedStream(body, sink, onEnd));
    }
    request.release();
    if (typeOf(response) !== "application/json") return response;
    const { head, tail, whole } = await readText(body, MAX_FRAME_BYTES, MAX_SKIPPED_BYTES);
    const seen = whole ? gate.inbound(head, origin) : gate.oversized(head, tail, origin);
    if (request.ticket !== null) lost(request.ticket);
    return copyOf(response, JSON.stringify(seen.length === 1 ? seen[0] : seen));
  }
}

interface Carrier {
  readonly ticket: string | null;
  readonly release: () => void;
}

function remember(resumable: Map<string, string>, id: string, ticket: string): void {
  resumable.set(id, ticket);
  const oldest = resumable.keys().next().value;
  if (resumable.size > MAX_RESUMABLE && oldest !== undefined) resumable.delete(oldest);
}

function typeOf(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function copyOf(response: Response, body: BodyInit): Response {
  const { status, statusText } = response;
  // The decoded body is handed on, so its encoding and length no longer hold.
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const copy = new Response(body, { status, statusText, headers });
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}

/** Reads at most `maxBytes`; of what goes beyond only the two ends are kept, and after `maxSkipped` reading stops. */
async function readText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  maxSkipped: number,
): Promise<{ head: string; tail: string; whole: boolean }> {
  if (body === null) return { head: "", tail: "", whole: true };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let head = "";
  let tail = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { head, tail, whole: bytes <= maxBytes };
    bytes += value.length;
    const text = decoder.decode(value, { stream: true });
    if (bytes <= maxBytes) head += text;
    else tail = ((tail || head.slice(-OUTLINE_CHARS)) + text).slice(-OUTLINE_CHARS);
    if (bytes <= maxBytes + maxSkipped) continue;
    await reader.cancel().catch(() => undefined);
    return { head, tail, whole: false };
  }
}
