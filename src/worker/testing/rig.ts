/** A roster on a store in memory, with connections that only note what is asked of them. */
import type { Grant } from "../../policy/account";
import { NOW } from "../../policy/cases/given";
import type { ConnectionReport, Connections, ServerConfig } from "../mcp/connection";
import { createRoster, type Roster } from "../roster";
import type { ServerRow } from "../storage/store";
import { type MemoryStore, memoryStore } from "./memory-store";

export interface RosterRig {
  readonly roster: Roster;
  readonly store: MemoryStore;
  readonly opened: ServerConfig[];
  readonly retried: string[];
  readonly closed: string[];
  readonly moved: string[];
  /** Names, as often as one was shown. */
  readonly shown: string[];
  readonly foreignGrants: Grant[];
  readonly connections: Connections;
}

export function rosterRig(store = memoryStore(() => NOW)): RosterRig {
  const rig = { opened: [] as ServerConfig[], retried: [] as string[], closed: [] as string[] };
  const [moved, shown, foreignGrants]: [string[], string[], Grant[]] = [[], [], []];
  const connections: Connections = {
    open: (config) => void rig.opened.push(config),
    close: async (name) => void rig.closed.push(name),
    tool: () => null,
    retryNow: (name) => void rig.retried.push(name),
    callTool: async () => ({ kind: "cancelled" }),
  };
  const roster = createRoster({
    store,
    connections: () => connections,
    now: () => NOW,
    onView: ({ name }) => void shown.push(name),
    onRemoved: () => undefined,
    onMoved: (name) => void moved.push(name),
    onForeignGrant: (grant) => void foreignGrants.push(grant),
    toolNews: () => [],
  });
  return { ...rig, roster, store, moved, shown, foreignGrants, connections };
}

export function aRow(over: Partial<ServerRow> = {}): ServerRow {
  const url = "http://127.0.0.1:1/mcp";
  return { name: "ci-triage", url, headers: {}, autoConnect: true, addedAt: NOW, era: null, ...over };
}

export function aReport(state: ConnectionReport["state"]): ConnectionReport {
  return {
    state,
    transport: "http",
    protocol: null,
    claimedName: null,
    claimedVersion: null,
    instructions: null,
    serverCapabilities: [],
    samplingDeclared: false,
    tools: [],
    toolsRead: 0,
    warnings: [],
    callsInFlight: 0,
    callsQueued: 0,
  };
}
