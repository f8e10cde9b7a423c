/** Running tools: one run per call, kept in the transcript with everything that happened inside it. */
import type { Answer, PurserApi, RunView } from "../api";
import type { Transcript } from "../conversation/transcript";
import type { Connections, ToolOutcome } from "../mcp/connection";
import type { AbortCause } from "../mcp/incoming";
import type { Roster } from "../roster";
import { answering, done, refuse } from "./answers";

type ToolCommands = Pick<PurserApi, "tool" | "toolOpened" | "runTool" | "cancelRun" | "clearRuns">;

export interface ToolCommandDeps {
  readonly roster: Roster;
  readonly transcript: Transcript;
  readonly connections: () => Connections;
  readonly toolOpened: (server: string, tool: string) => Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
  /** The call of a run is over, well or not; told before the run's end is shown. */
  readonly onEnded: (runId: string, well: boolean) => void;
  readonly onCleared: () => void;
}

export function toolCommands(deps: ToolCommandDeps): ToolCommands {
  const { transcript } = deps;
  const running = new Map<string, AbortController>();

  async function call(run: RunView, signal: AbortSignal): Promise<void> {
    const outcome = await deps.connections().callTool({
      server: run.server,
      tool: run.tool,
      args: run.args,
      runId: run.id,
      signal,
      onQueued: (reason) =>
        transcript.change(run.id, { queuedReason: reason, state: reason === null ? "running" : "queued" }),
      onProgress: (progress) => transcript.change(run.id, { progress }),
    });
    running.delete(run.id);
    const refused = transcript.run(run.id)?.steps.some((step) => step.ending === "refused") ?? false;
    deps.onEnded(run.id, outcome.kind === "result" && !outcome.isError);
    transcript.change(run.id, { ...endOf(outcome, refused), endedAt: deps.now(), progress: null, queuedReason: null });
  }

  return {
    tool: async (server, tool) => deps.connections().tool(server, tool),
    toolOpened: async (server, tool) => {
      await deps.toolOpened(server, tool);
      return done;
    },
    runTool: async (server, tool, args) => {
      const view = deps.roster.view(server);
      if (view === undefined) return refuse("server", `No server named ${server} is registered`);
      if (view.connection.state.state !== "connected") return refuse("server", `${server} is not connected`);
      if (!view.connection.tools.some((one) => one.name === tool)) {
        return refuse("tool", `${server} lists no tool of that name`);
      }
      const run: RunView = {
        id: deps.newId(),
        server,
        tool,
        args,
        startedAt: deps.now(),
        endedAt: null,
        state: "running",
        queuedReason: null,
        progress: null,
        content: [],
        structured: undefined,
        problem: null,
        problemFrom: null,
        warnings: [],
        steps: [],
        foldedSteps: 0,
        notices: [],
        chargedMicros: 0,
      };
      const controller = new AbortController();
      running.set(run.id, controller);
      transcript.add(run);
      void call(run, controller.signal);
      return { ok: true, runId: run.id };
    },
    cancelRun: async (runId): Promise<Answer> => {
      const controller = running.get(runId);
      if (controller === undefined) return refuse("run", "This run has ended already");
      controller.abort("cancelled_by_person" satisfies AbortCause);
      return done;
    },
    clearRuns: () =>
      answering(async () => {
        if (running.size > 0) return refuse("runs", "Some runs are still going; cancel them first");
        await transcript.clear();
        deps.onCleared();
        return done;
      }),
  };
}

function endOf(outcome: ToolOutcome, refused: boolean): Partial<RunView> {
  switch (outcome.kind) {
    case "result": {
      const { content, structured, warnings } = outcome;
      const shown = { content, structured, warnings };
      if (!outcome.isError) return { ...shown, state: "succeeded" };
      return {
        ...shown,
        state: refused ? "refused" : "failed",
        problem: "The tool reports an error.",
        problemFrom: "purser",
      };
    }
    case "error": {
      const code = outcome.code === null ? "" : ` (${outcome.code})`;
      return { state: refused ? "refused" : "failed", problem: `${outcome.message}${code}`, problemFrom: "server" };
    }
    case "refused_locally":
      return { state: "refused", problem: outcome.message, problemFrom: "purser" };
    case "cancelled":
      return { state: "cancelled" };
    case "outcome_unknown":
      return { state: "unknown", problem: outcome.message, problemFrom: "purser" };
  }
}
