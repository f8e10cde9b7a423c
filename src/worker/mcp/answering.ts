/** The sampling requests of one connection that are not answered yet (SPEC W1, K7). */
import { idKey, isMembers, isRequestId, type Members, type RequestId } from "./frame";
import type { AbortCause, IncomingSampling, SamplingAnswer, SamplingHandler } from "./incoming";
import { type Lane, NO_TURN, type Turn } from "./lanes";

/** Where a frame came from. */
export interface Origin {
  /** Number of the stream that carried it. */
  readonly stream: number;
  /** Ticket of the request whose response stream it was; null on a standing stream or a WebSocket. */
  readonly ticket: string | null;
}

export interface AnsweringHooks {
  readonly server: string;
  readonly transport: "http" | "websocket";
  readonly sampling: SamplingHandler;
  /** Where this server's requests wait for their turn. */
  readonly lane: Lane;
  readonly send: (message: Members) => Promise<void>;
  readonly onWarning: (warning: string) => void;
}

interface Attribution {
  /** The tool run a frame belongs to, or null. */
  runOf(origin: Origin): string | null;
  /** A request of this run, or one that may be of any, came or was answered. */
  heard(runId: string | null): void;
  protocol(): string;
}

interface Pending {
  readonly id: RequestId;
  readonly stream: number;
  readonly runId: string | null;
  readonly controller: AbortController;
  /** False once nobody waits for a response: the server took the request back, or is gone. */
  wanted: boolean;
  /** Its turn, once it has begun. */
  turn: Turn;
}

export interface Answering {
  take(id: RequestId, params: unknown, origin: Origin, frameProblem: IncomingSampling["frameProblem"]): void;
  /** Whether a `notifications/cancelled` was about a request held here. */
  cancelled(params: unknown, origin: Origin): boolean;
  /** Whether a request of this run, or one that may be of it, is open. */
  isBusy(runId: string): boolean;
  /** The person cancelled a run. The server goes on waiting for its responses, and gets what the handler answers. */
  cancelRun(runId: string): void;
  close(): void;
}

export function createAnswering(hooks: AnsweringHooks, attribution: Attribution): Answering {
  const pending = new Set<Pending>();
  let closed = false;

  function drop(one: Pending, cause: AbortCause): void {
    pending.delete(one);
    one.wanted = false;
    one.controller.abort(cause);
    // Whatever the handler still does about it, nobody's request waits for that.
    one.turn.giveBack();
  }

  async function answer(one: Pending, incoming: IncomingSampling): Promise<void> {
    await respond(one, incoming);
    // Over HTTP a response is a request of its own: no more of them at once than there are turns.
    incoming.turn.giveBack();
  }

  async function respond(one: Pending, incoming: IncomingSampling): Promise<void> {
    let given: SamplingAnswer | null = null;
    try {
      given = await hooks.sampling.one(incoming);
    } catch {
      // The handler promises not to throw; if it does, the server still gets its one response.
    }
    pending.delete(one);
    attribution.heard(one.runId);
    if (!one.wanted) return;
    const body = given ?? UNANSWERABLE;
    // A second try could reach the server twice, so a response that is lost on its way stays lost.
    await hooks
      .send({ jsonrpc: "2.0", id: one.id, ...body })
      .catch(() => hooks.onWarning("The answer to a sampling request could not be delivered."));
  }

  return {
    take(id, params, origin, frameProblem) {
      if (closed) return;
      const runId = attribution.runOf(origin);
      const controller = new AbortController();
      const one: Pending = { id, stream: origin.stream, runId, controller, wanted: true, turn: NO_TURN };
      pending.add(one);
      attribution.heard(runId);
      const incoming = (turn: Turn): IncomingSampling => ({
        turn,
        server: hooks.server,
        params,
        frameProblem,
        runId: one.runId,
        protocol: attribution.protocol(),
        transport: hooks.transport,
        signal: controller.signal,
        progress: progressOf(params, (message) => {
          if (pending.has(one)) hooks.send(message).catch(() => undefined);
        }),
      });
      hooks.lane.begin((turn) => {
        one.turn = turn;
        void answer(one, incoming(turn));
      });
    },
    cancelled(params, origin) {
      const id = isMembers(params) ? params.requestId : undefined;
      if (!isRequestId(id)) return false;
      const named = [...pending].filter((one) => idKey(one.id) === idKey(id));
      // An id used twice at once names, first, the older request on the stream the cancellation came by.
      const meant = named.find((one) => one.stream === origin.stream) ?? named[0];
      if (meant === undefined) return false;
      drop(meant, "cancelled_by_server");
      return true;
    },
    isBusy(runId) {
      for (const one of pending) if (one.runId === runId || one.runId === null) return true;
      return false;
    },
    cancelRun(runId) {
      const cause: AbortCause = "cancelled_by_person";
      for (const one of pending) if (one.runId === runId) one.controller.abort(cause);
    },
    close() {
      closed = true;
      for (const one of [...pending]) drop(one, "connection_lost");
    },
  };
}

function progressOf(params: unknown, send: (message: Members) => void): IncomingSampling["progress"] {
  const meta = isMembers(params) ? params._meta : undefined;
  const progressToken = isMembers(meta) ? meta.progressToken : undefined;
  if (!isRequestId(progressToken)) return null;
  return (progress, message) =>
    send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress, message } });
}

const UNANSWERABLE = { error: { code: -32603, message: "Purser could not answer this request." } };
