/** Taking a raise (G2, G3): the name is asked for once, before the first; then the worker grants what the record offers. */
import { createSignal } from "solid-js";
import type { Problem } from "../../../worker/api";
import { state } from "../../projection";
import { purser } from "../../worker-client";
import { announce } from "../consent/announcer";
import { focusRun } from "./run-focus";

export interface Raise {
  readonly recordId: string;
  readonly runAgain: boolean;
}

const [unnamed, setUnnamed] = createSignal<Raise | null>(null);
const [busyWith, setBusyWith] = createSignal<string | null>(null);
const [failed, setFailed] = createSignal<{ readonly recordId: string; readonly problems: readonly Problem[] } | null>(
  null,
);

/** The raise that waits for a name; null while none does. */
export const raiseWithoutName = unnamed;
export const raising = (recordId: string): boolean => busyWith() === recordId;

export function raiseProblems(recordId: string): readonly Problem[] {
  const last = failed();
  return last?.recordId === recordId ? last.problems : [];
}

export function raise(wish: Raise): void {
  if (busyWith() !== null) return;
  if ((state.settings?.profileName ?? "") === "") setUnnamed(wish);
  else void grant(wish);
}

export function forgetUnnamedRaise(): void {
  setUnnamed(null);
}

/** Keeps the name, then does what waited for it. Answers with what is wrong with the name. */
export async function nameAndRaise(name: string): Promise<readonly Problem[]> {
  const wish = unnamed();
  const answer = await purser.setProfileName(name);
  if (!answer.ok) return answer.problems;
  setUnnamed(null);
  if (wish !== null) await grant(wish);
  return [];
}

async function grant({ recordId, runAgain }: Raise): Promise<void> {
  setBusyWith(recordId);
  setFailed(null);
  const answer = await purser.raise(recordId, runAgain);
  setBusyWith(null);
  if (!answer.ok) {
    setFailed({ recordId, problems: answer.problems });
    return;
  }
  announce(runAgain ? "Raised. The tool runs again." : "Raised.");
  if (answer.runId !== null) focusRun(answer.runId);
}
