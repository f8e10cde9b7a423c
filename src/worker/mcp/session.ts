/** One connection that stands: the SDK's client behind the gate. It ends once; a new try is a new session. */
import {
  Client,
  type JSONRPCMessage,
  SSEClientTransport,
  SseError,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import type { ConnectionReport, ServerConfig } from "./connection";
import { type Evidence, noEvidence } from "./evidence";
import { createGate, type Gate, TICKET_HEADER, type Ticket } from "./gate";
import { gatedTransport } from "./gated";
import { RESUME_TRIES, watchedFetch } from "./http";
import type { SamplingHandler } from "./incoming";
import type { Lane } from "./lanes";
import { spaceHint } from "./local-network";
import { createSilence } from "./silence";
import { webSocketTransport } from "./websocket";

export type Kind = ConnectionReport["transport"];
export type Era = "legacy" | "modern";

/** Counts a standing stream: waits where no connection is left for one; null where `signal` aborted first. */
export type OpenStream = (signal: AbortSignal, onWait: () => void) => Promise<(() => void) | null>;

export interface SessionHooks {
  readonly sampling: SamplingHandler;
  readonly lane: Lane;
  readonly newId: () => string;
  /** Address of the page, or null where there is none. */
  readonly pageUrl: string | null;
  readonly openStream: OpenStream;
  readonly onWarning: (warning: string) => void;
  /** A call of this run finished after it had been given up. */
  readonly onLate: (runId: string) => void;
  readonly onToolsChanged: () => void;
  /** The connection is over. */
  readonly onEnd: () => void;
  /** It sent more than is answered, or took less than it asked for, and was cut off. */
  readonly onFlood: (what: string) => void;
  /** Something broke; whether the server still answers is not known. */
  readonly onSuspect: () => void;
}

export interface Ask {
  readonly method: "tools/call" | "tools/list";
  readonly params: Readonly<Record<string, unknown>>;
  readonly runId: string | null;
  /** How warnings name it. */
  readonly label: string;
  readonly signal?: AbortSignal;
  /** After this long without answer, progress or sampling it is given up. */
  readonly silenceMs: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

export interface Answered {
  /** The result as the server sent it, unchecked. */
  readonly raw: unknown;
  /** Path of what an `input_required` result names twice; null elsewhere. */
  readonly repeated: string | null;
}

export interface Session {
  readonly kind: Kind;
  readonly era: Era;
  readonly client: Client;
  readonly gate: Gate;
  readonly evidence: Evidence;
  /** Rejects as the SDK does, or with `StreamLost`. */
  ask(ask: Ask): Promise<Answered>;
  /** Whether the server still answers on this connection. */
  alive(): Promise<boolean>;
  /** `politely` tells the server that the session is over. */
  close(politely: boolean): Promise<void>;
}

/** The response stream of a request broke off before its answer. */
export class StreamLost extends Error {
  constructor() {
    super("the response stream broke off");
    this.name = "StreamLost";
  }
}

/** Nothing was heard for too long; the server was told that nobody waits any more. */
export class NoAnswer extends Error {
  constructor() {
    super("no answer came in time");
    this.name = "NoAnswer";
  }
}

/** A connection could not be made. */
export class NoSession extends Error {
  constructor(
    readonly evidence: Evidence,
    options: { cause: unknown },
  ) {
    super("no connection", options);
    this.name = "NoSession";
  }
}

const CLIENT_INFO = { name: "purser", title: "Purser", version: "0.1.0" };
const CONNECT_TIMEOUT_MS = 20_000;
/** A server of an earlier protocol may leave the version question unanswered. */
const PROBE_TIMEOUT_MS = 8_000;
const ALIVE_TIMEOUT_MS = 10_000;
const GOODBYE_TIMEOUT_MS = 3_000;
/** The SDK's own timer knows nothing of sampling, so it is set as late as timers go; ours is `createSilence`. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const NO_STANDING =
  "The server has no standing stream a browser can read; what it sends outside of a call may not arrive.";
const NO_CONNECTION_LEFT =
  "Other servers or tabs hold all the connections a browser opens to this address; what this one sends outside of a call arrives once one of them is free.";

/** Results are read by us, not by a schema that drops what it does not know. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "purser", validate: (value) => ({ value }) },
};

/** One try over one transport. `mode` "auto" asks for the newest protocol first. */
export async function openSession(
  config: ServerConfig,
  kind: Kind,
  mode: "auto" | "legacy",
  hooks: SessionHooks,
): Promise<Session> {
  const evidence = noEvidence();
  const broken = new Map<string, AbortController>();
  let standing = false;
  const gate = createGate({
    server: config.name,
    transport: kind === "websocket" ? "websocket" : "http",
    sampling: hooks.sampling,
    lane: hooks.lane,
    send: (message) => inner.send(message as unknown as JSONRPCMessage),
    onWarning: hooks.onWarning,
    onLate: hooks.onLate,
  });
  const inner = transportOf(config, kind, gate, evidence, hooks, (ticket) =>
    broken.get(ticket)?.abort(new StreamLost()),
  );
  const client = clientOf(config, mode);
  client.onclose = () => {
    if (standing) hooks.onEnd();
  };
  client.onerror = (error) => {
    // The event source would connect again by itself, to a session that was never initialised.
    if (standing && kind === "sse" && error instanceof SseError) hooks.onEnd();
  };
  client.setNotificationHandler("notifications/tools/list_changed", () => hooks.onToolsChanged());
  try {
    await within(CONNECT_TIMEOUT_MS, client.connect(gatedTransport(inner, gate), { timeout: CONNECT_TIMEOUT_MS }));
  } catch (cause) {
    gate.close();
    await client.close().catch(() => undefined);
    await inner.close().catch(() => undefined);
    throw new NoSession(evidence, { cause });
  }
  standing = true;
  const era = client.getProtocolEra() ?? "legacy";
  gate.protocol = client.getNegotiatedProtocolVersion() ?? gate.protocol;
  gate.modern = era === "modern";
  return {
    kind,
    era,
    client,
    gate,
    evidence,
    ask: (ask) => askWith(client, gate, broken, hooks.newId(), ask),
    async alive() {
      try {
        const options = { timeout: ALIVE_TIMEOUT_MS };
        await (era === "modern" ? client.discover(options) : client.ping(options));
        return true;
      } catch (error) {
        // An error frame is an answer too.
        return error instanceof Error && error.name === "ProtocolError";
      }
    },
    async close(politely) {
      standing = false;
      gate.close();
      if (politely && inner instanceof StreamableHTTPClientTransport) {
        await within(GOODBYE_TIMEOUT_MS, inner.terminateSession()).catch(() => undefined);
      }
      await client.close().catch(() => undefined);
    },
  };
}

function clientOf(config: ServerConfig, mode: "auto" | "legacy"): Client {
  return new Client(CLIENT_INFO, {
    capabilities: config.declareSampling ? { sampling: {} } : {},
    versionNegotiation: mode === "auto" ? { mode, probe: { timeoutMs: PROBE_TIMEOUT_MS } } : { mode },
    inputRequired: { autoFulfill: false },
    // The default compiles schemas with `eval` where it can.
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
  });
}

function transportOf(
  config: ServerConfig,
  kind: Kind,
  gate: Gate,
  evidence: Evidence,
  hooks: SessionHooks,
  onLost: (ticket: string) => void,
): Transport {
  if (kind === "websocket") return webSocketTransport(config.url, { gate, lane: hooks.lane, onFlood: hooks.onFlood });
  const onNoStanding = (status: number | null, wasOpen: boolean) => {
    if (wasOpen) hooks.onSuspect();
    else if (kind === "http" && status !== 405) hooks.onWarning(NO_STANDING);
  };
  const openStream = (signal: AbortSignal) => hooks.openStream(signal, () => hooks.onWarning(NO_CONNECTION_LEFT));
  const options = {
    fetch: watchedFetch({
      gate,
      lane: hooks.lane,
      evidence,
      space: spaceHint(config.url, hooks.pageUrl),
      openStream,
      onLost,
      onNoStanding,
    }),
    requestInit: { headers: { ...config.headers } },
  };
  if (kind === "sse") return new SSEClientTransport(new URL(config.url), options);
  return new StreamableHTTPClientTransport(new URL(config.url), {
    ...options,
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: RESUME_TRIES,
    },
  });
}

async function askWith(
  client: Client,
  gate: Gate,
  broken: Map<string, AbortController>,
  key: string,
  ask: Ask,
): Promise<Answered> {
  const { method, runId, label } = ask;
  const onProgress: Ask["onProgress"] =
    ask.onProgress &&
    ((progress) => {
      silence.broken();
      ask.onProgress?.(progress);
    });
  const stop = new AbortController();
  const silence = createSilence(
    ask.silenceMs,
    () => runId !== null && gate.isBusy(runId),
    () => stop.abort(new NoAnswer()),
  );
  const ticket: Ticket = {
    key,
    method,
    runId,
    label,
    heard: silence.broken,
    state: "open",
    raw: undefined,
    repeated: null,
  };
  broken.set(key, stop);
  gate.issue(ticket);
  try {
    await client.request({ method, params: { ...ask.params } }, ANYTHING, {
      signal: ask.signal === undefined ? stop.signal : AbortSignal.any([ask.signal, stop.signal]),
      timeout: LONGEST_TIMER_MS,
      headers: { ...ask.headers, [TICKET_HEADER]: key },
      ...(onProgress === undefined ? {} : { onprogress: onProgress }),
    });
    return { raw: ticket.raw, repeated: ticket.repeated };
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    silence.stop();
    broken.delete(key);
    gate.retire(ticket);
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
