/**
 * Protocol 2026-07-28: sampling requests embedded in one `input_required` result (SPEC W8). All are decided before any
 * is spent on; if one is refused nothing runs, what the others held is released, and the call ends here.
 */
import type { AbortCause, IncomingSampling, SamplingAnswer, SamplingHandler } from "../mcp/incoming";
import type { Decided, Live } from "./live";

export interface EmbeddedSteps {
  /** Decides; what is admitted is held but not started. */
  readonly begin: (incoming: IncomingSampling) => Promise<Decided>;
  /** Decides an admitted exchange again on its own hold, now to be started: its siblings took time. */
  readonly again: (live: Live) => Promise<Decided>;
  readonly finish: (decided: Decided) => Promise<SamplingAnswer | null>;
  /** Gives back slot and money of an exchange whose sibling was refused. */
  readonly letGo: (live: Live) => Promise<void>;
}

type Outcome = Awaited<ReturnType<SamplingHandler["embedded"]>>;

export async function decideAll(
  incoming: ReadonlyMap<string, IncomingSampling>,
  steps: EmbeddedSteps,
): Promise<Outcome> {
  const keys = [...incoming.keys()];
  const lost = new AbortController();
  /** Which were refused, in the order they were. */
  const refused: number[] = [];
  /** A refusal settles the call: nobody is asked, nor waited for, on behalf of its siblings any more. */
  async function watched(deciding: Promise<Decided>, at: number): Promise<Decided> {
    const decided = await deciding;
    if (decided.kind === "admitted") return decided;
    refused.push(at);
    if (!isPending(decided.answer)) lost.abort("another_request_of_this_call_was_refused" satisfies AbortCause);
    return decided;
  }
  const begun = [...incoming.values()].map((one, at) =>
    watched(steps.begin({ ...one, signal: AbortSignal.any([one.signal, lost.signal]) }), at),
  );
  const decided = await Promise.all(begun);
  if (refused[0] !== undefined) return giveUp(keys, decided, refused[0], steps);
  const again = decided.map((one, at) => (one.kind === "admitted" ? watched(steps.again(one.live), at) : one));
  const started = await Promise.all(again);
  if (refused[0] !== undefined) return giveUp(keys, started, refused[0], steps);

  const answers = await Promise.all(started.map(steps.finish));
  const results = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [at, key] of keys.entries()) {
    const answer = answers[at] ?? null;
    if (answer === null || !("result" in answer)) return { ok: false, key, message: messageOf(answer) };
    results.set(key, answer.result);
  }
  return { ok: true, results };
}

/** The first refusal, after the others were let go. */
async function giveUp(
  keys: readonly string[],
  decided: readonly Decided[],
  at: number,
  steps: EmbeddedSteps,
): Promise<Outcome> {
  const refused = decided[at];
  await Promise.all(decided.map((one) => (one.kind === "admitted" ? steps.letGo(one.live) : undefined)));
  return { ok: false, key: keys[at] ?? "", message: messageOf(refused?.kind === "ended" ? refused.answer : null) };
}

/** A sibling's open dialog outlives a silence: a late yes serves the next try of the call (K5). */
function isPending(answer: SamplingAnswer | null): boolean {
  return answer !== null && "error" in answer && answer.error.data?.reason === "consent.pending";
}

function messageOf(answer: SamplingAnswer | null): string {
  if (answer === null || !("error" in answer)) return "the request was cancelled";
  return answer.error.message;
}
