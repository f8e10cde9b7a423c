/** What a step is doing, in words (R5), and which finished steps share a line. Pure: time is an argument. */
import type { StepPhase, StepView } from "../../../worker/api";
import { count, timeLeft } from "../../parts/words";

/** Whether a consent keeps a step waiting that no dialog of this tab asks for: another tab runs the tool. */
export function askedElsewhere(
  step: StepView,
  dialogs: readonly { readonly exchangeId: string; readonly server: string }[],
): boolean {
  if (step.step.phase === "waiting_for_consent") return !dialogs.some((dialog) => dialog.exchangeId === step.id);
  if (step.step.phase === "waiting_behind_dialog") return !dialogs.some((dialog) => dialog.server === step.server);
  return false;
}

/** First line of the last message that says something, without the marks of a heading or a list. */
export function previewOf(about: string): string {
  const lines = about.split(/[\r\n]+/).map((line) => line.replace(/^[\s#>*=`-]+/, "").trim());
  return lines.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? "";
}

/** "generating on claude-haiku-4-5, 212 tokens, 6 s of 20 s". Never a bare "working". */
export function phaseWords(step: StepPhase, now: number): string {
  switch (step.phase) {
    case "deciding":
      return "checking the policy";
    case "waiting_for_same_request":
      return "waiting for the same request, which is being decided already";
    case "counting_tokens":
      return "counting tokens";
    case "waiting_behind_dialog":
      return "waiting behind another consent of this server";
    case "waiting_for_consent": {
      const left = step.untilAt - now;
      return left > 0 ? `waiting for your consent, ${timeLeft(left)} left` : "waiting for your consent";
    }
    case "generating": {
      const spent = Math.min(seconds(now - step.startedAt), seconds(step.deadlineAt - step.startedAt));
      const tokens = step.outputTokens > 0 ? `, ${count(step.outputTokens)} tokens` : "";
      return `generating on ${step.model}${tokens}, ${spent} s of ${seconds(step.deadlineAt - step.startedAt)} s`;
    }
    case "ended":
      return "ended";
  }
}

const seconds = (ms: number): number => Math.max(0, Math.round(ms / 1000));

/** How far a running call is towards its deadline, 0 to 1; null for steps that have none. */
export function deadlineShare(step: StepPhase, now: number): number | null {
  if (step.phase !== "generating") return null;
  const whole = step.deadlineAt - step.startedAt;
  return whole <= 0 ? 1 : Math.min(1, Math.max(0, (now - step.startedAt) / whole));
}

export type StepLine =
  | { readonly kind: "one"; readonly key: string; readonly step: StepView }
  /** Finished steps that ended alike, as one line. */
  | { readonly kind: "many"; readonly key: string; readonly steps: readonly StepView[] };

/** Up to so many steps stand one by one; more, and neighbours that ended alike share a line. */
export const STEPS_UNFOLDED = 14;
const FOLD_FROM = 3;

export function stepLines(steps: readonly StepView[]): readonly StepLine[] {
  const single = (step: StepView): StepLine => ({ kind: "one", key: step.id, step });
  if (steps.length <= STEPS_UNFOLDED) return steps.map(single);
  const lines: StepLine[] = [];
  let alike: StepView[] = [];
  const close = () => {
    const first = alike[0];
    if (first !== undefined && alike.length >= FOLD_FROM)
      lines.push({ kind: "many", key: `many-${first.id}`, steps: alike });
    else lines.push(...alike.map(single));
    alike = [];
  };
  for (const step of steps) {
    const before = alike[0];
    if (before !== undefined && !endedAlike(before, step)) close();
    alike.push(step);
  }
  close();
  return lines;
}

const endedAlike = (one: StepView, other: StepView): boolean =>
  one.ending !== null && one.ending === other.ending && one.reason === other.reason && one.model === other.model;

/** Sums of a folded line. */
export function sumsOf(steps: readonly StepView[]) {
  const add = (figure: (step: StepView) => number | null) => steps.reduce((sum, step) => sum + (figure(step) ?? 0), 0);
  return {
    tokens: add(tokensOf),
    chargedMicros: add((step) => step.chargedMicros),
    represented: add((step) => step.represented),
    ms: Math.max(0, ...steps.map((step) => step.endedAt ?? 0)) - Math.min(...steps.map((step) => step.receivedAt)),
  };
}

/** Tokens of a step, in and out together; null before they are known. */
export const tokensOf = (step: StepView): number | null =>
  step.inputTokens === null && step.outputTokens === null ? null : (step.inputTokens ?? 0) + (step.outputTokens ?? 0);
