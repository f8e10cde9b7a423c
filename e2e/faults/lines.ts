/**
 * A server over WebSocket that asks on any of its connections, outside of tool calls too, and counts what comes back:
 * a response too many is a fault like one too few (W1).
 */
import { createProbe, type Frame, type Probe, type Wire } from "../servers/probe";
import { serveWs } from "../servers/probe-ws";

/** One tab's connection. */
export interface Line {
  /** Sends a sampling request without waiting; answers its id. */
  post(params: unknown): number;
  ask(params: unknown): Promise<Frame>;
  cancel(id: number): void;
}

export interface Lines {
  readonly url: string;
  readonly probe: Probe;
  /** The connection that was made last. */
  newest(): Line;
  /** How often one was made. */
  readonly connections: number;
  /** Everything that was asked, by id: what came back, in order. */
  readonly answers: ReadonlyMap<number, readonly Frame[]>;
  answerTo(id: number): Promise<Frame>;
  close(): Promise<void>;
}

/** Over all servers of a test. */
let lastId = 5_000_000;

export async function startLines(): Promise<Lines> {
  const probe = createProbe();
  const answers = new Map<number, Frame[]>();
  const waiting = new Map<number, (frame: Frame) => void>();
  let newest: Wire | null = null;
  let connections = 0;

  probe.intercept = (json, wire) => {
    if (json.method === "notifications/initialized") {
      newest = wire;
      connections += 1;
    }
    const known = json.method === undefined ? answers.get(json.id as number) : undefined;
    if (known === undefined) return false;
    const frame = { text: JSON.stringify(json), json };
    known.push(frame);
    waiting.get(json.id as number)?.(frame);
    return true;
  };

  function answerTo(id: number): Promise<Frame> {
    const there = answers.get(id)?.[0];
    return there === undefined ? new Promise((resolve) => waiting.set(id, resolve)) : Promise.resolve(there);
  }

  function lineOn(wire: Wire): Line {
    const post = (params: unknown) => {
      lastId += 1;
      answers.set(lastId, []);
      wire.send(JSON.stringify({ jsonrpc: "2.0", id: lastId, method: "sampling/createMessage", params }), null);
      return lastId;
    };
    const cancelled = (requestId: number) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId },
    });
    return {
      post,
      ask: (params) => answerTo(post(params)),
      cancel: (id) => wire.send(JSON.stringify(cancelled(id)), null),
    };
  }

  const served = await serveWs(probe);
  return {
    url: served.url,
    probe,
    newest() {
      if (newest === null) throw new Error("no tab has connected");
      return lineOn(newest);
    },
    get connections() {
      return connections;
    },
    answers,
    answerTo,
    close: served.close,
  };
}

/** The error of a refusal as it came, which two answers to one request must share. */
export function errorOf(frame: Frame): { readonly code: number; readonly data: Readonly<Record<string, unknown>> } {
  return frame.json.error as ReturnType<typeof errorOf>;
}

export function reasonOf(frame: Frame): unknown {
  return "error" in frame.json ? errorOf(frame).data.reason : null;
}
