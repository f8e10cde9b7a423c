/** Puts what happens to an exchange where the person looks: the run's steps, its notices, the server's marks (SPEC E). */
import { endingOf } from "../../policy/ending";
import { type NoticeFacts, noticesFor } from "../../policy/notice";
import type { ExchangeRecord } from "../../policy/record";
import type { Roster } from "../roster";
import type { Watcher } from "../sampling/deps";
import { recordOf } from "../sampling/endings";
import type { Transcript } from "./transcript";

export interface WatcherDeps {
  readonly transcript: Transcript;
  readonly roster: Roster;
  readonly now: () => number;
}

export interface RunWatcher extends Watcher {
  /** The tool call of a run is over: a throttle is said inline only where it ended the call (E). */
  callEnded(runId: string, well: boolean): void;
}

export function createWatcher(deps: WatcherDeps): RunWatcher {
  const { transcript } = deps;
  /** The newest throttle of each open run. */
  const throttled = new Map<string, ExchangeRecord>();

  function explain(record: ExchangeRecord, facts: NoticeFacts): void {
    if (record.runId !== null && record.ending === "throttled") throttled.set(record.runId, record);
    const view = deps.roster.view(record.server);
    if (record.runId === null || view === undefined) return;
    for (const notice of noticesFor(record, view, facts, deps.now())) transcript.notice(record.runId, notice);
  }

  return {
    step: (runId, step) => transcript.step(runId, step),
    withdrawn: (runId, stepId) => transcript.withdraw(runId, stepId),
    ended: explain,
    replayed(draft, decision) {
      if (draft.runId === null || transcript.represented(draft.runId, decision.recordId)) return;
      // A run that meets an old refusal shows it as its own: what could not be done, and why (E2).
      const { reason, data } = decision.refusal;
      const known = { ...draft, id: decision.recordId };
      const outcome = { ending: endingOf(reason), reason, because: decision.because, detail: { ...data } } as const;
      const record = recordOf(known, { ...outcome, policyRevision: decision.policyRevision }, deps.now());
      transcript.step(draft.runId, {
        id: draft.id,
        recordId: record.id,
        server: record.server,
        receivedAt: draft.receivedAt,
        about: "",
        step: { phase: "ended" },
        ending: record.ending,
        reason: record.reason,
        because: record.because,
        model: null,
        inputTokens: null,
        outputTokens: null,
        chargedMicros: null,
        endedAt: record.endedAt,
        represented: 1,
      });
      explain(record, { firstBudgetNotice: false });
    },
    callEnded(runId, well) {
      const record = throttled.get(runId);
      throttled.delete(runId);
      if (record !== undefined && !well) explain(record, { firstBudgetNotice: false, endedCall: true });
    },
    loopAlert(server, identity, represented) {
      deps.roster.noteLoop(server, { identity, since: deps.now(), represented });
    },
  };
}
