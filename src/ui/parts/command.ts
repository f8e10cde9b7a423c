/**
 * createCommand(): runs one command of the worker at a time and keeps what the screen needs to say about it.
 *   busy()          while it runs
 *   problems()      of the last answer, empty after a success
 *   at(where)       the message for one field, undefined where there is none
 *   elsewhere(…)    problems that belong to none of the named fields
 *   run(() => …)    answers the result on success, null on problems; ignored while busy
 */
import { createSignal } from "solid-js";
import type { Answer, Problem } from "../../worker/api";

export interface Command {
  readonly busy: () => boolean;
  readonly problems: () => readonly Problem[];
  readonly at: (where: string) => string | undefined;
  readonly elsewhere: (...fields: readonly string[]) => readonly Problem[];
  readonly report: (problems: readonly Problem[]) => void;
  readonly run: <T extends object>(act: () => Promise<Answer<T>>) => Promise<({ readonly ok: true } & T) | null>;
}

export function createCommand(): Command {
  const [busy, setBusy] = createSignal(false);
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  return {
    busy,
    problems,
    at: (where) => problems().find((problem) => problem.where === where)?.message,
    elsewhere: (...fields) => problems().filter((problem) => !fields.includes(problem.where)),
    report: setProblems,
    run: async (act) => {
      if (busy()) return null;
      setBusy(true);
      try {
        const answer = await act();
        setProblems(answer.ok ? [] : answer.problems);
        return answer.ok ? answer : null;
      } catch (error) {
        // Only a read throws, when the worker is gone.
        setProblems([{ where: "worker", message: error instanceof Error ? error.message : String(error) }]);
        return null;
      } finally {
        setBusy(false);
      }
    },
  };
}
