/**
 * Stands between the wire and the SDK, once per connection. Every frame is checked here first; sampling requests of
 * protocol 2025-11-25 and earlier never reach the SDK, they are answered from here, once each (SPEC W1); answers to
 * our own tool requests are kept as they came, since the SDK's schemas would lose what they do not know.
 */
import { type AnsweringHooks, createAnswering, type Origin } from "./answering";
import {
  deeperThan,
  idKey,
  isMembers,
  isOversized,
  isRequestId,
  MAX_ANSWER_DEPTH,
  MAX_DEPTH,
  type Members,
  OUTLINE_CHARS,
  outlineOf,
  type RequestId,
} from "./frame";
import type { IncomingSampling } from "./incoming";
import { repeatedMember } from "./repeats";

/** Marks an outgoing request of ours; taken off before it leaves. */
export const TICKET_HEADER = "x-purser-ticket";

/** One request of ours on its way. */
export interface Ticket {
  readonly key: string;
  readonly method: string;
  /** The tool run it belongs to; null for requests of our own. */
  readonly runId: string | null;
  readonly label: string;
  /** Something came that shows the server at work on it. */
  readonly heard: () => void;
  state: "open" | "answered" | "given_up";
  /** The result as the server sent it. */
  raw: unknown;
  /** Path of what an `input_required` result names twice; null elsewhere. */
  repeated: string | null;
}

export interface GateHooks extends AnsweringHooks {
  readonly onWarning: (warning: string) => void;
  /** The server answered a request of this run after it had been given up. */
  readonly onLate: (runId: string) => void;
}

export interface Gate {
  readonly tickets: ReadonlyMap<string, Ticket>;
  protocol: string;
  /** 2026-07-28: no requests travel towards the client. */
  modern: boolean;
  /** Takes a frame as text; returns what the SDK should see of it. */
  inbound(text: string, origin: Origin): readonly Members[];
  /** The same for a frame too large to read. */
  oversized(head: string, tail: string, origin: Origin): readonly Members[];
  issue(ticket: Ticket): void;
  /** Learns the id the SDK gave the request that carries `key`. */
  sent(id: RequestId, key: string): void;
  /** The request is over; an answer that still comes is told as a warning. */
  retire(ticket: Ticket): void;
  /** Whether a sampling request of this run, or one that may be of it, is open. */
  isBusy(runId: string): boolean;
  /** The person cancelled a run: what it asked for is aborted, and answered. */
  cancelRun(runId: string): void;
  close(): void;
}

/** Given-up requests whose late answer would still be told. */
const MAX_GIVEN_UP = 200;

export function createGate(hooks: GateHooks): Gate {
  const tickets = new Map<string, Ticket>();
  const byId = new Map<string, Ticket>();
  const answering = createAnswering(hooks, {
    runOf(origin) {
      if (origin.ticket !== null) return tickets.get(origin.ticket)?.runId ?? null;
      const open = [...tickets.values()].filter((one) => one.state === "open" && one.runId !== null);
      return open.length === 1 ? (open[0]?.runId ?? null) : null;
    },
    heard(runId) {
      for (const one of tickets.values()) if (one.runId !== null && (runId ?? one.runId) === one.runId) one.heard();
    },
    protocol: () => gate.protocol,
  });
  const warned = new Set<string>();
  function warnOnce(warning: string): void {
    if (warned.has(warning)) return;
    warned.add(warning);
    hooks.onWarning(warning);
  }

  function answer(message: Members, id: RequestId, text: string): readonly Members[] {
    const ticket = byId.get(idKey(id));
    if (ticket === undefined) return [message];
    if (ticket.state === "given_up") {
      byId.delete(idKey(id));
      if (ticket.runId !== null) hooks.onLate(ticket.runId);
      hooks.onWarning(`${ticket.label} finished after it was given up; whatever it does has probably been done.`);
      return [];
    }
    ticket.state = "answered";
    if (!("result" in message)) return [{ jsonrpc: "2.0", id, error: errorOf(message.error) }];
    // Of a list each tool is looked at by itself, so that one of them cannot take the others away.
    if (ticket.method !== "tools/list" && deeperThan(message.result, MAX_ANSWER_DEPTH)) {
      return [unread(id, `The answer nests deeper than ${MAX_ANSWER_DEPTH} levels and was not read.`)];
    }
    ticket.raw = message.result;
    if (isMembers(message.result) && message.result.resultType === "input_required") {
      ticket.repeated = repeatedMember(text);
    }
    return [{ jsonrpc: "2.0", id, result: SHELLS[ticket.method] ?? { resultType: "complete" } }];
  }

  function one(message: unknown, text: string, origin: Origin): readonly Members[] {
    if (!isMembers(message)) {
      warnOnce("Frames that are no JSON-RPC message were ignored.");
      return [];
    }
    const { id, method } = message;
    if (typeof method !== "string") return isRequestId(id) ? answer(message, id, text) : ignored(message);
    const tooDeep = deeperThan(message.params, MAX_DEPTH);
    if (method === "sampling/createMessage") {
      if (!isRequestId(id)) {
        warnOnce("A sampling request without a usable id was ignored: there is no way to answer it.");
      } else if (gate.modern) {
        warnOnce(
          `A sampling request came as a message of its own, which protocol ${gate.protocol} does not have; it was ignored.`,
        );
      } else answering.take(id, message.params, origin, frameProblem(message, tooDeep, text));
      return [];
    }
    if (method === "notifications/cancelled" && !tooDeep && answering.cancelled(message.params, origin)) return [];
    if (!tooDeep) return [message];
    warnOnce(`A message nested deeper than ${MAX_DEPTH} levels was refused.`);
    if (isRequestId(id)) hooks.send(refusal(id, `params nest deeper than ${MAX_DEPTH} levels`)).catch(() => undefined);
    return [];
  }

  function ignored(message: Members): readonly Members[] {
    if ("error" in message) warnOnce("An error that names no request was ignored.");
    else warnOnce("Frames that are no JSON-RPC message were ignored.");
    return [];
  }

  const gate: Gate = {
    tickets,
    protocol: "",
    modern: false,
    inbound(text, origin) {
      if (isOversized(text)) return gate.oversized(text, text, origin);
      let message: unknown;
      try {
        message = JSON.parse(text);
      } catch {
        warnOnce("Frames that are no JSON were ignored.");
        return [];
      }
      return Array.isArray(message) ? message.flatMap((part) => one(part, text, origin)) : one(message, text, origin);
    },
    oversized(head, tail, origin) {
      const outline = outlineOf(head.slice(0, OUTLINE_CHARS), tail.slice(-OUTLINE_CHARS));
      warnOnce("A frame over 4 MiB was not read.");
      if (outline.id === null) return [];
      if (outline.method === "sampling/createMessage" && !gate.modern) {
        answering.take(outline.id, null, origin, { path: "$", problem: "the frame is larger than 4 MiB" });
      } else if (outline.isAnswer) {
        const known = byId.get(idKey(outline.id));
        if (known === undefined) return [];
        known.state = "answered";
        return [unread(outline.id, "The answer is larger than 4 MiB and was not read.")];
      } else if (outline.method !== null) {
        hooks.send(refusal(outline.id, "the frame is larger than 4 MiB")).catch(() => undefined);
      }
      return [];
    },
    issue: (ticket) => void tickets.set(ticket.key, ticket),
    sent(id, key) {
      const ticket = tickets.get(key);
      if (ticket !== undefined) byId.set(idKey(id), ticket);
    },
    retire(ticket) {
      tickets.delete(ticket.key);
      if (ticket.state === "open") ticket.state = "given_up";
      for (const [id, held] of byId) if (held === ticket && ticket.state === "answered") byId.delete(id);
      if (byId.size <= MAX_GIVEN_UP) return;
      const oldest = [...byId].find(([, held]) => held.state === "given_up");
      if (oldest !== undefined) byId.delete(oldest[0]);
    },
    isBusy: (runId) => answering.isBusy(runId),
    cancelRun: (runId) => answering.cancelRun(runId),
    close: () => answering.close(),
  };
  return gate;
}

const INTERNAL_ERROR = -32603;
const INVALID_PARAMS = -32602;
/** `data` of errors written here in the server's place; callers show them without a code. */
export const UNREAD = "unread by Purser";

/** What the SDK is given for a result kept here: the least its schemas accept. */
const SHELLS: Readonly<Record<string, Members>> = {
  "tools/call": { resultType: "complete", content: [] },
  "tools/list": { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" },
};

export const NAMED_TWICE = "it is there twice";

/** An error the SDK's schema would not accept would leave its request waiting for ever. */
function errorOf(error: unknown): Members {
  const { code, message, data } = isMembers(error) ? error : {};
  return {
    code: typeof code === "number" && Number.isInteger(code) ? code : INTERNAL_ERROR,
    message: typeof message === "string" ? message : "the server answered with an error it did not describe",
    ...(data === undefined ? {} : { data }),
  };
}

function refusal(id: RequestId, message: string): Members {
  return { jsonrpc: "2.0", id, error: { code: INVALID_PARAMS, message } };
}

/** Ends a request of ours whose answer cannot be read. */
function unread(id: RequestId, message: string): Members {
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message, data: UNREAD } };
}

/** @param text the whole frame; of a batch, whatever is wrong with its text is wrong with all its requests */
function frameProblem(message: Members, tooDeep: boolean, text: string): IncomingSampling["frameProblem"] {
  if (tooDeep) return { path: "params", problem: `nests deeper than ${MAX_DEPTH} levels` };
  if (message.jsonrpc !== "2.0") return { path: "jsonrpc", problem: 'must be "2.0"' };
  const repeated = repeatedMember(text);
  return repeated === null ? null : { path: repeated.replace(/^params\./, ""), problem: NAMED_TWICE };
}
