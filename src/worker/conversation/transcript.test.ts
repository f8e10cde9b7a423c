import { expect, test } from "vitest";
import type { NoticeView, RunView, StepView } from "../api";
import { stepLine } from "../sampling/progress";
import type { RunRow, Store } from "../storage/store";
import { createTranscript } from "./transcript";

const RUN: RunView = {
  id: "run",
  server: "ci-triage",
  tool: "triage",
  args: {},
  startedAt: 0,
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

function transcriptOn(kept: Map<string, RunRow>, tab: string, liveTabs: readonly string[]) {
  const store = {
    putRun: async (row: RunRow) => void kept.set(row.id, row),
    runs: async () => [...kept.values()],
    run: async (id: string) => kept.get(id),
    clearRuns: async () => kept.clear(),
  } as unknown as Store;
  return createTranscript({
    store,
    tab,
    now: () => 1_000,
    liveTabs: async () => new Set(liveTabs),
    onRun: () => undefined,
    onAmbient: () => undefined,
  });
}

const notice = (id: string, short: boolean): NoticeView => ({
  id,
  recordId: id,
  server: "ci-triage",
  tone: "limit",
  reason: "policy.budget_exhausted",
  text: id,
  changesAt: null,
  raise: short ? null : { kind: "usd", amount: 1, buysAbout: null, expiresAt: 9 },
  short,
});

test("[E] a later short notice of the same limit never takes the raise away", () => {
  const transcript = transcriptOn(new Map(), "a", ["a"]);
  transcript.add(RUN);
  transcript.notice("run", notice("first", false));
  transcript.notice("run", notice("later", true));
  expect(transcript.run("run")?.notices.map((one) => one.id)).toEqual(["first"]);
});

test("[A4] a line that was shown before a stored decision answered is taken back", () => {
  const transcript = transcriptOn(new Map(), "a", ["a"]);
  transcript.add(RUN);
  const watcher = {
    step: (runId: string | null, step: StepView) => transcript.step(runId, step),
    withdrawn: (runId: string | null, id: string) => transcript.withdraw(runId, id),
    replayed: () => undefined,
    ended: () => undefined,
    loopAlert: () => undefined,
  };
  const line = stepLine(watcher, "exchange", "ci-triage", "run", 0);
  line.phase({ phase: "counting_tokens" });
  expect(transcript.run("run")?.steps).toHaveLength(1);
  line.replayed();
  expect(transcript.run("run")?.steps).toEqual([]);
});

test("[E1] a run is there after a reload; one whose tab is gone says so, and so do its open steps", async () => {
  const kept = new Map<string, RunRow>();
  const before = transcriptOn(kept, "a", ["a"]);
  before.add(RUN);
  const watcher = { step: (runId: string | null, step: StepView) => before.step(runId, step) } as never;
  stepLine(watcher, "exchange", "ci-triage", "run", 0).phase({ phase: "counting_tokens" });
  await before.flush();

  const beside = transcriptOn(kept, "b", ["a", "b"]);
  await beside.load();
  expect(beside.run("run")?.state).toBe("running");

  const after = transcriptOn(kept, "c", ["c"]);
  await after.load();
  expect(after.run("run")?.state).toBe("interrupted");
  expect(after.run("run")?.steps.map((step) => step.ending)).toEqual(["lost"]);
});

test("[E] a flood of steps folds its oldest ended ones into a count", () => {
  const transcript = transcriptOn(new Map(), "a", ["a"]);
  transcript.add(RUN);
  const watcher = {
    step: (runId: string | null, step: StepView) => transcript.step(runId, step),
    ended: () => undefined,
  } as never;
  for (let at = 0; at < 250; at += 1) {
    const line = stepLine(watcher, `exchange-${at}`, "ci-triage", "run", at);
    line.ended({ id: `exchange-${at}`, ending: "throttled", reason: "policy.rate_limit", usage: null } as never);
  }
  const run = transcript.run("run");
  expect(run?.steps).toHaveLength(200);
  expect(run?.foldedSteps).toBe(50);
  expect(run?.steps.at(-1)?.id).toBe("exchange-249");
});
