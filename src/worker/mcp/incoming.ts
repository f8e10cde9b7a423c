/** How the MCP side hands sampling requests to whoever governs them, and gets their answers. */
import type { Turn } from "./lanes";

/** The answer to one request: exactly one of result or error goes out (W1). */
export type SamplingAnswer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly error: {
        readonly code: number;
        readonly message: string;
        readonly data?: Readonly<Record<string, unknown>>;
      };
    };

/** Why the signal of an incoming request aborted. The last only among requests of one call (W8). */
export type AbortCause =
  | "cancelled_by_server"
  | "connection_lost"
  | "cancelled_by_person"
  | "another_request_of_this_call_was_refused";

export interface IncomingSampling {
  readonly server: string;
  /** Unchecked `params` as they came, parsed once. */
  readonly params: unknown;
  /** Set where the frame itself was unacceptable (over 4 MiB, too deep): answered -32602 with it. */
  readonly frameProblem: { readonly path: string; readonly problem: string } | null;
  /** The tool run whose response stream carried it, or the only one in flight; null when unknown or ambient. */
  readonly runId: string | null;
  readonly protocol: string;
  readonly transport: "http" | "websocket";
  /**
   * Aborts with an `AbortCause` as its reason. What the handler answers after that is not sent, except after
   * `cancelled_by_person`: there the server's request is still open and is owed its one response (W1).
   */
  readonly signal: AbortSignal;
  /** Held while it is being decided; given back wherever it waits for long. */
  readonly turn: Turn;
  /** Sends `notifications/progress`; null where the server sent no progress token. */
  readonly progress: ((progress: number, message: string) => void) | null;
}

export interface SamplingHandler {
  /**
   * 2025-11-25 and earlier: one request, one answer. Null only where none is owed, after `cancelled_by_server` or
   * `connection_lost`; elsewhere a null is sent as an internal error. Never throws.
   */
  one(incoming: IncomingSampling): Promise<SamplingAnswer | null>;
  /**
   * 2026-07-28: all requests embedded in one `input_required` result, decided before any is spent on (W8).
   * Either every answer is a result, or `refused` names the first one that was not.
   */
  embedded(
    incoming: ReadonlyMap<string, IncomingSampling>,
  ): Promise<
    | { readonly ok: true; readonly results: ReadonlyMap<string, Readonly<Record<string, unknown>>> }
    | { readonly ok: false; readonly key: string; readonly message: string }
  >;
}
