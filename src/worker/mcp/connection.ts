/** One server's connection as the rest of the worker sees it. Implemented in `connections.ts`. */
import type { SamplingHandler } from "./incoming";
import type { SlotLocks } from "./slot-locks";

export interface ServerConfig {
  /** The local name the user gave. */
  readonly name: string;
  /** http(s): or ws(s): */
  readonly url: string;
  /** Extra request headers; values are secrets. Sent over HTTP only (a browser WebSocket takes none). */
  readonly headers: Readonly<Record<string, string>>;
  /** False: `sampling` is not declared (P1). */
  readonly declareSampling: boolean;
}

export type ConnectionState =
  | { readonly state: "off" }
  | { readonly state: "connecting" }
  | { readonly state: "connected"; readonly since: number }
  | { readonly state: "reconnecting"; readonly attempt: number; readonly nextTryAt: number; readonly problem: string }
  /** It sent more than is answered, and is left alone for a while. */
  | { readonly state: "paused"; readonly nextTryAt: number; readonly problem: string }
  | { readonly state: "failed"; readonly problem: string; readonly hint: string };

/** A tool as a line of a list: reports go out many times a second, and a server may offer a thousand. */
export interface ToolInfo {
  readonly name: string;
  readonly title: string | null;
  /** Its beginning. */
  readonly description: string | null;
  readonly readOnly: boolean;
  readonly destructive: boolean;
}

/** The same with all that its form needs; fetched one at a time. */
export interface ToolDetail extends ToolInfo {
  readonly inputSchema: unknown;
  /** Why no form can be made of its schema, which then stands for any object; null where one can. */
  readonly formProblem: string | null;
}

/** What a connection reports; every text in it but `problem` and `hint` is the server's. */
export interface ConnectionReport {
  readonly state: ConnectionState;
  readonly transport: "http" | "sse" | "websocket";
  /** Negotiated protocol revision, e.g. "2025-11-25"; null before. */
  readonly protocol: string | null;
  readonly claimedName: string | null;
  readonly claimedVersion: string | null;
  readonly instructions: string | null;
  /** What the server declares, by name: tools, resources, prompts, logging, … */
  readonly serverCapabilities: readonly string[];
  readonly samplingDeclared: boolean;
  readonly tools: readonly ToolInfo[];
  /**
   * Which reading of the list this is, 0 before the first; no two are the same, whatever connection made them. What was
   * fetched of a tool under another number may have changed, or not have been there.
   */
  readonly toolsRead: number;
  /** Plain sentences about what was limited or ignored: repeated cursor, page cap, bad tool. */
  readonly warnings: readonly string[];
  readonly callsInFlight: number;
  readonly callsQueued: number;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

export type ToolOutcome =
  | {
      readonly kind: "result";
      readonly isError: boolean;
      /** Content blocks as the server sent them, unknown kinds included. */
      readonly content: readonly Readonly<Record<string, unknown>>[];
      readonly structured: unknown;
      /** E.g. output that does not fit the tool's own schema. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: "error"; readonly code: number | null; readonly message: string }
  /** 2026-07-28: ended here because an embedded request was refused (W8). */
  | { readonly kind: "refused_locally"; readonly message: string }
  | { readonly kind: "cancelled" }
  /** The connection ended while it ran; the server may or may not have finished. */
  | { readonly kind: "outcome_unknown"; readonly message: string };

export interface ToolCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly runId: string;
  readonly signal: AbortSignal;
  /** Called when the call waits for a free slot on its origin, and with null when it has one. */
  readonly onQueued: (reason: string | null) => void;
  readonly onProgress: (progress: ToolProgress) => void;
}

/** All connections of this tab. */
export interface Connections {
  /** Connects, or reconnects when URL, headers or `declareSampling` changed. Returns at once; reports follow. */
  open(config: ServerConfig): void;
  /** Ends the session properly and stops reconnecting. */
  close(name: string): Promise<void>;
  retryNow(name: string): void;
  /** Null where the server lists no such tool. */
  tool(server: string, name: string): ToolDetail | null;
  /** Never throws; ends within the signal's abort. */
  callTool(call: ToolCall): Promise<ToolOutcome>;
}

export interface ConnectionHooks {
  readonly sampling: SamplingHandler;
  readonly onReport: (server: string, report: ConnectionReport) => void;
  /** Protocol era learnt on an earlier connection, so that a server is not asked twice; null where not known. */
  readonly eraOf?: (server: string) => "legacy" | "modern" | null;
  /** A list of tools was read; every text in it is the server's. */
  readonly onTools?: (server: string, tools: readonly ToolDetail[]) => void;
  /** A connection was cut off and paused; `problem` is our own sentence. */
  readonly onPaused?: (server: string, problem: string) => void;
  readonly onEra?: (server: string, era: "legacy" | "modern") => void;
  /** The server answered this run's call after it had been given up. */
  readonly onLate?: (runId: string) => void;
  /** Shared by all tabs; the browser's own where absent. */
  readonly locks?: SlotLocks;
  readonly now: () => number;
  /** A fresh unguessable id. */
  readonly newId: () => string;
}
