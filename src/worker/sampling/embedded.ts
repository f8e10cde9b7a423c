/**
 * Protocol 2026-07-28: sampling requests embedded in one `input_required` result (SPEC W8). All are decided before any
 * is spent on; if one is refused nothing runs, what the others held is released, and the call ends here.
 */
import type { ExchangeRecord } from "../../policy/record";
import type { IncomingSampling, SamplingAnswer, SamplingHandler } from "../mcp/incoming";
import type { Decided, Live } from "./live";

export interface EmbeddedSteps {
  readonly begin: (incoming: IncomingSampling) => Promise<Decided>;
  readonly finish: (decided: Decided) => Promise<SamplingAnswer | null>;
  /** Decides an admitted exchange again, on its own hold: waiting for its siblings took time. */
  readonly again: (live: Live) => Promise<Decided>;
  /** Gives back slot and money of an exchange whose sibling was refused, and writes its record. */
  readonly letGo: (live: Live) => Promise<ExchangeRecord>;
}

type Outcome = Awaited<ReturnType<SamplingHandler["embedded"]>>;

export async function decideAll(
  incoming: ReadonlyMap<string, IncomingSampling>,
  steps: EmbeddedSteps,
): Promise<Outcome> {
  const keys = [...incoming.keys()];
  const decided = await Promise.all([...incoming.values()].map(steps.begin));
  const refusedAt = decided.findIndex((one) => one.kind === "ended");
  if (refusedAt !== -1) return giveUp(keys, decided, refusedAt, steps);

  const results = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [at, key] of keys.entries()) {
    const one = decided[at];
    if (one === undefined || one.kind !== "admitted") continue;
    // The first one runs on the decision just made; by the time of the next, policy or budget may have changed.
    const current = at === 0 ? one : await steps.again(one.live);
    const answer = await steps.finish(current);
    if (answer !== null && "result" in answer) {
      results.set(key, answer.result);
      continue;
    }
    await Promise.all(decided.slice(at + 1).map((other) => letGo(other, steps)));
    return { ok: false, key, message: messageOf(answer) };
  }
  return { ok: true, results };
}

async function giveUp(
  keys: readonly string[],
  decided: readonly Decided[],
  refusedAt: number,
  steps: EmbeddedSteps,
): Promise<Outcome> {
  await Promise.all(decided.map((one) => letGo(one, steps)));
  const refused = decided[refusedAt];
  const answer = refused?.kind === "ended" ? refused.answer : null;
  return { ok: false, key: keys[refusedAt] ?? "", message: messageOf(answer) };
}

async function letGo(one: Decided, steps: EmbeddedSteps): Promise<void> {
  if (one.kind !== "admitted") return;
  one.live.line.ended(await steps.letGo(one.live));
}

function messageOf(answer: SamplingAnswer | null): string {
  if (answer === null || !("error" in answer)) return "the request was cancelled";
  return answer.error.message;
}
