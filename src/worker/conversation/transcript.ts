/**
 * The tool runs of this conversation with their nested steps and notices: in memory for the feed, in storage so that
 * they are still there after a reload (SPEC E1). Completions and prompts never enter it (C2, R6).
 */
import type { Grant } from "../../policy/account";
import type { NoticeView, RunView, StepView } from "../api";
import type { Store } from "../storage/store";

/** Steps kept in one card; older ended ones fold into a count, so that a flood stays one line. */
const MAX_STEPS = 200;
const MAX_AMBIENT = 50;
const MAX_RUNS = 500;
/** How long a change may wait to be kept; what ends is kept at once. */
const KEEP_AFTER_MS = 400;

/** A kept run, with the tab that runs it, so that another tab can tell an interrupted one. */
interface KeptRun {
  readonly tab: string;
  readonly run: RunView;
}

export interface TranscriptDeps {
  readonly store: Store;
  readonly tab: string;
  readonly now: () => number;
  /** Ids of the tabs that are open now. */
  readonly liveTabs: () => Promise<ReadonlySet<string>>;
  readonly onRun: (run: RunView) => void;
  readonly onAmbient: (steps: readonly StepView[]) => void;
}

export interface Transcript {
  /** Reads what was kept; runs whose tab is gone become `interrupted`. */
  load(): Promise<void>;
  /** Oldest first. */
  runs(): readonly RunView[];
  run(id: string): RunView | undefined;
  ambient(): readonly StepView[];
  add(run: RunView): void;
  change(id: string, change: Partial<RunView>): void;
  /** The server answered after the call was given up: whoever would run it again is told on the card (case K8-20). */
  finishedLate(id: string): void;
  step(runId: string | null, step: StepView): void;
  withdraw(runId: string | null, stepId: string): void;
  /** Adds one to the count of the newest step with this record in the run; false where none stands there. */
  represented(runId: string, recordId: string): boolean;
  /** One notice per run and reason: a later one of the same reason replaces it in place. */
  notice(runId: string, notice: NoticeView): void;
  /** A grant answers the offers of its kind: they are taken back, and what was granted is said in their place. */
  raised(grant: Grant): void;
  /** Another tab changed this run. */
  reload(id: string): Promise<void>;
  clear(): Promise<void>;
  /** Writes what still waits; for the moment before the page goes away. */
  flush(): Promise<void>;
}

const FINISHED_LATE =
  "The server finished this call after it was given up. Whatever it does has probably been done; look before you run it again.";

export function createTranscript(deps: TranscriptDeps): Transcript {
  const runs = new Map<string, RunView>();
  const foreign = new Set<string>();
  const unkept = new Set<string>();
  let ambient: readonly StepView[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function set(run: RunView): void {
    const before = runs.get(run.id);
    runs.set(run.id, run);
    unkept.add(run.id);
    deps.onRun(run);
    if (before !== undefined && before.endedAt === null && run.endedAt !== null) void flush();
    else timer ??= setTimeout(() => void flush(), KEEP_AFTER_MS);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const due = [...unkept];
    unkept.clear();
    for (const id of due) {
      const run = runs.get(id);
      if (run === undefined) continue;
      const kept: KeptRun = { tab: deps.tab, run };
      try {
        await deps.store.putRun({ id, server: run.server, startedAt: run.startedAt, run: kept });
      } catch {
        // Storage says itself that it is unavailable; the run stays on the screen and waits for the next change.
        unkept.add(id);
      }
    }
  }

  function take(kept: KeptRun, live: ReadonlySet<string>): void {
    const dead = kept.run.endedAt === null && !live.has(kept.tab);
    if (kept.tab !== deps.tab && !dead) foreign.add(kept.run.id);
    if (dead) set(interrupted(kept.run, deps.now()));
    else {
      runs.set(kept.run.id, kept.run);
      deps.onRun(kept.run);
    }
  }

  return {
    async load() {
      const [rows, live] = await Promise.all([deps.store.runs(MAX_RUNS), deps.liveTabs()]);
      for (const row of [...rows].reverse()) take(row.run as KeptRun, live);
    },
    // Runs read late, because storage was, began before the ones that are here already.
    runs: () => [...runs.values()].sort((a, b) => a.startedAt - b.startedAt),
    run: (id) => runs.get(id),
    ambient: () => ambient,
    add: set,
    change(id, change) {
      const run = runs.get(id);
      if (run !== undefined) set({ ...run, ...change });
    },
    finishedLate(id) {
      const run = runs.get(id);
      if (run !== undefined) set({ ...run, warnings: [...run.warnings, FINISHED_LATE] });
    },
    step(runId, step) {
      const run = runId === null ? undefined : runs.get(runId);
      if (run === undefined) {
        ambient = placed(ambient, step, MAX_AMBIENT).steps;
        deps.onAmbient(ambient);
        return;
      }
      const { steps, folded } = placed(run.steps, step, MAX_STEPS);
      const before = run.steps.find((one) => one.id === step.id)?.chargedMicros ?? 0;
      const chargedMicros = run.chargedMicros + (step.chargedMicros ?? 0) - before;
      set({ ...run, steps, foldedSteps: run.foldedSteps + folded, chargedMicros });
    },
    withdraw(runId, stepId) {
      const run = runId === null ? undefined : runs.get(runId);
      if (run !== undefined) return set({ ...run, steps: run.steps.filter((step) => step.id !== stepId) });
      ambient = ambient.filter((step) => step.id !== stepId);
      deps.onAmbient(ambient);
    },
    represented(runId, recordId) {
      const step = runs.get(runId)?.steps.findLast((one) => one.recordId === recordId);
      if (step === undefined) return false;
      this.step(runId, { ...step, represented: step.represented + 1 });
      return true;
    },
    notice(runId, notice) {
      const run = runs.get(runId);
      if (run === undefined) return;
      const at = run.notices.findIndex((one) => one.reason === notice.reason);
      // The full statement with its raise stands; a later short one of the same limit adds nothing to it (E).
      if (notice.short && run.notices[at]?.short === false) return;
      const notices = at === -1 ? [...run.notices, notice] : run.notices.with(at, notice);
      set({ ...run, notices });
    },
    raised(grant) {
      for (const run of runs.values()) {
        const answered = (one: NoticeView) => one.server === grant.server && one.raise?.kind === grant.kind;
        if (!run.notices.some(answered)) continue;
        const changed = { ...run, notices: run.notices.map((one) => (answered(one) ? { ...one, raise: null } : one)) };
        // Another tab's run is that tab's to keep: here it is only shown.
        if (!foreign.has(run.id)) set(changed);
        else {
          runs.set(run.id, changed);
          deps.onRun(changed);
        }
      }
    },
    async reload(id) {
      const own = runs.get(id);
      if (own !== undefined && !foreign.has(id)) return;
      const row = await deps.store.run(id);
      if (row !== undefined) take(row.run as KeptRun, await deps.liveTabs());
    },
    async clear() {
      runs.clear();
      unkept.clear();
      await deps.store.clearRuns();
    },
    flush,
  };
}

/** Puts a step where its id already is, or at the end; past `limit` the oldest ended step folds. */
function placed(
  steps: readonly StepView[],
  step: StepView,
  limit: number,
): { readonly steps: readonly StepView[]; readonly folded: number } {
  const at = steps.findLastIndex((one) => one.id === step.id);
  if (at !== -1) return { steps: steps.with(at, step), folded: 0 };
  if (steps.length < limit) return { steps: [...steps, step], folded: 0 };
  const oldest = steps.findIndex((one) => one.ending !== null);
  return { steps: [...steps.toSpliced(Math.max(0, oldest), 1), step], folded: 1 };
}

function interrupted(run: RunView, now: number): RunView {
  return {
    ...run,
    state: "interrupted",
    endedAt: now,
    queuedReason: null,
    progress: null,
    problem: "The tab was closed while this ran. The server may or may not have finished.",
    problemFrom: "purser",
    steps: run.steps.map((step) =>
      step.ending === null ? { ...step, step: { phase: "ended" }, ending: "lost", endedAt: now } : step,
    ),
  };
}
