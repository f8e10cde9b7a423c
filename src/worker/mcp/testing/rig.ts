/** Connections as a worker would make them, with a handler the test scripts and every report kept. */
import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import type { ConnectionReport, Connections, ServerConfig, ToolCall, ToolOutcome } from "../connection";
import { createConnections } from "../connections";
import type { IncomingSampling, SamplingAnswer, SamplingHandler } from "../incoming";
import { type SlotLocks, tabLocks } from "../slot-locks";

export interface Rig {
  readonly connections: Connections;
  readonly incoming: IncomingSampling[];
  readonly embedded: ReadonlyMap<string, IncomingSampling>[];
  /** Runs whose call was answered after it had been given up. */
  readonly late: string[];
  readonly eras: Map<string, "legacy" | "modern">;
  report(server: string): ConnectionReport | undefined;
  states(server: string): readonly string[];
  /** Opens and waits until it is connected or failed. */
  open(url: string, changes?: Partial<ServerConfig>): Promise<ConnectionReport>;
  /** Waits for a report that satisfies `test`. */
  until(server: string, test: (report: ConnectionReport) => boolean): Promise<ConnectionReport>;
  call(tool: string, changes?: Partial<ToolCall>): Promise<ToolOutcome>;
  close(): Promise<void>;
}

export const COMPLETION: SamplingAnswer = {
  result: { role: "assistant", content: { type: "text", text: "completed" }, model: "test-1", stopReason: "endTurn" },
};

export function createRig(
  one: SamplingHandler["one"] = async () => COMPLETION,
  embeddedHandler: SamplingHandler["embedded"] = async (requests) => ({
    ok: true,
    results: new Map([...requests.keys()].map((key) => [key, "result" in COMPLETION ? COMPLETION.result : {}])),
  }),
  /** Shared by the rigs that stand for tabs of one browser. */
  locks: SlotLocks = tabLocks(),
): Rig {
  (globalThis as { WebSocket?: unknown }).WebSocket ??= WebSocket;
  const incoming: IncomingSampling[] = [];
  const embedded: ReadonlyMap<string, IncomingSampling>[] = [];
  const late: string[] = [];
  const reports = new Map<string, ConnectionReport[]>();
  const waiting = new Set<() => void>();
  const eras = new Map<string, "legacy" | "modern">();
  const opened = new Set<string>();
  const connections = createConnections({
    sampling: {
      one(request) {
        incoming.push(request);
        return one(request);
      },
      embedded(requests) {
        embedded.push(requests);
        return embeddedHandler(requests);
      },
    },
    onReport(server, report) {
      reports.set(server, [...(reports.get(server) ?? []), report]);
      for (const look of [...waiting]) look();
    },
    eraOf: (server) => eras.get(server) ?? null,
    onLate: (runId) => void late.push(runId),
    onEra: (server, era) => void eras.set(server, era),
    locks,
    now: () => Date.now(),
    newId: () => randomUUID(),
  });
  const report = (server: string) => reports.get(server)?.at(-1);
  const until: Rig["until"] = (server, test) =>
    new Promise((resolve) => {
      const look = () => {
        const last = report(server);
        if (last === undefined || !test(last)) return;
        waiting.delete(look);
        resolve(last);
      };
      waiting.add(look);
      look();
    });
  return {
    connections,
    incoming,
    embedded,
    late,
    eras,
    report,
    until,
    states: (server) =>
      (reports.get(server) ?? []).map((one) => one.state.state).filter((state, at, all) => state !== all[at - 1]),
    async open(url, changes = {}) {
      const config = { name: "s", url, headers: {}, declareSampling: true, ...changes };
      opened.add(config.name);
      connections.open(config);
      return until(config.name, ({ state }) => state.state === "connected" || state.state === "failed");
    },
    call: (tool, changes = {}) =>
      connections.callTool({
        server: "s",
        tool,
        args: {},
        runId: randomUUID(),
        signal: new AbortController().signal,
        onQueued: () => undefined,
        onProgress: () => undefined,
        ...changes,
      }),
    async close() {
      await Promise.all([...opened].map((name) => connections.close(name)));
    },
  };
}

/** Waits until `test` gives something, without a guess at how long it takes. */
export async function eventually<T>(test: () => T | undefined | false | null): Promise<T> {
  for (;;) {
    const value = test();
    if (value !== undefined && value !== false && value !== null) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
