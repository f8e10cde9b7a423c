/** What an output lacks: the model that was refused while it was made, or anything to show at all (SPEC E2). */
import type { NoticeView, RunView } from "../../../worker/api";
import { type ReasonCode, reasonShort } from "./reason-words";

/**
 * The label of an output that a server returned although a model was refused it; null where none was. A page cannot see
 * what the server did instead, only that it was not this.
 */
export function labelOf(notices: readonly NoticeView[]): string | null {
  const refused = refusalAmong(notices);
  if (refused === null) return null;
  return `Sampling was not fully served in this run (${reasonShort(refused.reason, refused.because)}): this may be incomplete, or made elsewhere.`;
}

/** A reason and the rule that decided: only both tell whether a person said no, or a quiet server was answered unasked. */
export interface Refused {
  readonly reason: ReasonCode;
  readonly because: string;
}

/**
 * Why a run that shows nothing has nothing, where sampling in it was refused. A "come back later" before a request that
 * was served is none: the server came back.
 */
export function refusedIn(run: Pick<RunView, "steps" | "notices">): Refused | null {
  const servedAt = run.steps.findLastIndex(({ ending }) => ending === "completed" || ending === "trimmed");
  const step = run.steps.find(({ reason, ending }, at) => {
    const later = ending === "throttled" || ending === "unanswered";
    return reason !== null && ending !== "trimmed" && !(later && at < servedAt);
  });
  if (step === undefined || step.reason === null) return refusalAmong(run.notices);
  return { reason: step.reason, because: step.because };
}

/** Blank text is nothing: a server that lost its answer often wraps the loss in an empty block. */
export function nothingIn({ content, structured }: Pick<RunView, "content" | "structured">): boolean {
  const blank = (block: RunView["content"][number]) =>
    block.type === "text" && typeof block.text === "string" && block.text.trim() === "";
  return (structured ?? null) === null && content.every(blank);
}

/** A notice explains a refusal, or something that a completion was given less of. */
function refusalAmong(notices: readonly NoticeView[]): Refused | null {
  for (const { reason, because = "" } of notices) {
    switch (reason) {
      case "policy.max_scope":
      case "policy.max_output_tokens":
      case "policy.models":
      case "fallback":
        continue;
      default:
        return { reason, because };
    }
  }
  return null;
}
