/** Which card should take the focus once it stands in the transcript: the one the person just started. */
import { createSignal } from "solid-js";

const [wanted, setWanted] = createSignal<string | null>(null);

export const wantedRun = wanted;

export function focusRun(runId: string): void {
  setWanted(runId);
}

export function runFocused(): void {
  setWanted(null);
}
