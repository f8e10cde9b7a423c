/** What a consent says in our words (K3): reach, money, and why a dialog went away. Pure. */
import type { DialogView, Scope, StepView } from "../../../worker/api";
import { count, dollars, scopeWords } from "../../parts/words";

/** "It asked for the whole conversation and gets nothing." */
export function reachWords(asked: Scope, granted: Scope): string {
  if (asked === granted) return granted === "none" ? "nothing, as it asked" : `${scopeWords(granted)}, as it asked`;
  return `it asked for ${scopeWords(asked)} and gets ${scopeWords(granted)}`;
}

export function answerWords(asked: number, granted: number): string {
  const limit = `up to ${count(granted)} tokens`;
  return asked === granted ? limit : `${limit} (it asked for ${count(asked)})`;
}

export function costWords(estimatedMicros: number, atMostMicros: number): string {
  if (atMostMicros === 0) return "free on this model";
  return estimatedMicros === atMostMicros
    ? `at most ${dollars(atMostMicros)}`
    : `about ${dollars(estimatedMicros)}, at most ${dollars(atMostMicros)}`;
}

/** Why it is asked about again: its policy was edited meanwhile, or another model takes it. */
export function againWords(dialog: Pick<DialogView, "fellBackFrom" | "model" | "termsChanged">): string | null {
  if (dialog.termsChanged) return "The policy was edited while you were asked; this is what holds now.";
  if (dialog.fellBackFrom.length === 0) return null;
  return `${dialog.fellBackFrom.join(" and ")} could not be reached; this asks for ${dialog.model} instead.`;
}

/** What makes this another question than before, so that allow must arm again: all that our words say of it. */
export const termsKey = (dialog: DialogView): string =>
  JSON.stringify([
    [dialog.id, dialog.exchangeId, dialog.host, dialog.tool, dialog.mode],
    [dialog.model, dialog.provider, dialog.scopeGranted, dialog.manifest],
    [dialog.inputTokens, dialog.maxTokensGranted],
    [dialog.estimatedMicros, dialog.atMostMicros, dialog.ceilingMicros, dialog.untilAt],
  ]);

/** Why a dialog that nobody answered here is gone. */
export function closedWords(server: string, step: StepView | undefined): string {
  switch (step?.ending) {
    case "cancelled":
      return `${server} took its request back; the consent is closed.`;
    case "lost":
      return `The connection to ${server} ended; the consent is closed.`;
    case "denied":
      return `The request of ${server} was denied; the consent is closed.`;
    case "refused":
    case "throttled":
      return `The policy refused the request of ${server}; the consent is closed.`;
    default:
      return `The consent for ${server} is closed.`;
  }
}
