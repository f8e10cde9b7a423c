/** Puts what happens to an exchange where the person looks: the run's steps, its notices, the server's marks (SPEC E). */
import { noticesFor } from "../../policy/notice";
import type { Roster } from "../roster";
import type { Watcher } from "../sampling/deps";
import type { Transcript } from "./transcript";

export interface WatcherDeps {
  readonly transcript: Transcript;
  readonly roster: Roster;
  readonly now: () => number;
}

export function createWatcher(deps: WatcherDeps): Watcher {
  const { transcript } = deps;
  return {
    step: (runId, step) => transcript.step(runId, step),
    replayed: (runId, recordId) => transcript.replayed(runId, recordId),
    ended(record, facts) {
      if (record.runId === null) return;
      const view = deps.roster.view(record.server);
      if (view === undefined) return;
      for (const notice of noticesFor(record, view.policy, view, facts, deps.now())) transcript.notice(record.runId, notice);
    },
    loopAlert(server, identity, represented) {
      deps.roster.noteLoop(server, { identity, since: deps.now(), represented });
    },
  };
}
