/**
 * Protocol 2026-07-28: sampling requests embedded in one `input_required` result (SPEC W8). All are decided before any
 * is spent on; if one is refused nothing runs, what the others held is released, and the call ends here.
 */
import type { IncomingSampling, SamplingAnswer, SamplingHandler } from "../mcp/incoming";
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
  const decided = await Promise.all([...incoming.values()].map(steps.begin));
  const refused = await giveUp(keys, decided, steps);
  if (refused !== null) return refused;
  const started = await Promise.all(decided.map((one) => (one.kind === "admitted" ? steps.again(one.live) : one)));
  const changed = await giveUp(keys, started, steps);
  if (changed !== null) return changed;

  const answers = await Promise.all(started.map(steps.finish));
  const results = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [at, key] of keys.entries()) {
    const answer = answers[at] ?? null;
    if (answer === null || !("result" in answer)) return { ok: false, key, message: messageOf(answer) };
    results.set(key, answer.result);
  }
  return { ok: true, results };
}

/** Null where all were admitted; else the first refusal, after the others were let go. */
async function giveUp(
  keys: readonly string[],
  decided: readonly Decided[],
  steps: EmbeddedSteps,
): Promise<Outcome | null> {
  const at = decided.findIndex((one) => one.kind === "ended");
  const refused = decided[at];
  if (refused === undefined || refused.kind !== "ended") return null;
  await Promise.all(decided.map((one) => (one.kind === "admitted" ? steps.letGo(one.live) : undefined)));
  return { ok: false, key: keys[at] ?? "", message: messageOf(refused.answer) };
}

function messageOf(answer: SamplingAnswer | null): string {
  if (answer === null || !("error" in answer)) return "the request was cancelled";
  return answer.error.message;
}
