/** Keeps what a connection reports and hands it on: changes of state at once, counters a little later. */
import type { ConnectionHooks, ConnectionReport, ConnectionState, ServerConfig } from "./connection";
import type { Session } from "./session";
import { cut, type ToolList, textOf } from "./tool-list";

const SOON_MS = 100;
const MAX_WARNINGS = 20;
const MAX_CLAIM_CHARS = 200;
const MAX_INSTRUCTIONS_CHARS = 8_000;
const MAX_CAPABILITIES = 32;

export interface Reporter {
  state(state: ConnectionState): void;
  /** What a session says of itself. */
  session(session: Session): void;
  /** `read` differs for each reading. */
  tools(list: ToolList, read: number): void;
  warn(warning: string): void;
  forgetWarnings(): void;
  count(what: "inFlight" | "queued", by: 1 | -1): void;
  silence(): void;
}

export function createReporter(config: ServerConfig, hooks: ConnectionHooks): Reporter {
  let report: ConnectionReport = {
    state: { state: "off" },
    transport: /^wss?:/i.test(config.url) ? "websocket" : "http",
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
  let toolWarnings: readonly string[] = [];
  let warnings: readonly string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silent = false;

  function now(changes: Partial<ConnectionReport>): void {
    report = { ...report, ...changes };
    clearTimeout(timer);
    timer = undefined;
    if (!silent) hooks.onReport(config.name, report);
  }

  function soon(changes: Partial<ConnectionReport>): void {
    report = { ...report, ...changes };
    timer ??= setTimeout(() => now({}), SOON_MS);
  }

  const allWarnings = () => ({ warnings: [...warnings, ...toolWarnings] });

  return {
    state: (state) => now({ state }),
    session({ kind, gate, client }) {
      const claimed = client.getServerVersion();
      report = {
        ...report,
        transport: kind,
        protocol: gate.protocol,
        claimedName: textOf(claimed?.title ?? claimed?.name, MAX_CLAIM_CHARS),
        claimedVersion: textOf(claimed?.version, MAX_CLAIM_CHARS),
        instructions: textOf(client.getInstructions(), MAX_INSTRUCTIONS_CHARS),
        serverCapabilities: Object.keys(client.getServerCapabilities() ?? {})
          .slice(0, MAX_CAPABILITIES)
          .map((name) => cut(name, MAX_CLAIM_CHARS)),
        samplingDeclared: config.declareSampling,
      };
    },
    tools(list, read) {
      toolWarnings = list.warnings;
      const tools = [...list.tools.values()].map((tool) => tool.info);
      hooks.onTools?.(
        config.name,
        [...list.tools.values()].map((tool) => tool.detail),
      );
      soon({ tools, toolsRead: read, ...allWarnings() });
    },
    warn(warning) {
      if (warnings.includes(warning)) return;
      warnings = [...warnings, warning].slice(-MAX_WARNINGS);
      soon(allWarnings());
    },
    forgetWarnings() {
      warnings = [];
      report = { ...report, ...allWarnings() };
    },
    count(what, by) {
      if (what === "inFlight") soon({ callsInFlight: report.callsInFlight + by });
      else soon({ callsQueued: report.callsQueued + by });
    },
    silence() {
      silent = true;
      clearTimeout(timer);
    },
  };
}
