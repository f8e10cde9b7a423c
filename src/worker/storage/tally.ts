/** Replays that were answered and wait to be counted, a batch within a second (A4, A7). */
import { represent, type StoredDecision } from "../../policy/decision";

/** A loop is seen from the times of its newest replays; of more than these only the number matters (D3). */
const MAX_TIMES = 40;

export interface Counted {
  readonly decision: StoredDecision;
  count: number;
  /** When the newest came, oldest first. */
  times: number[];
}

export interface Tally {
  add(decision: StoredDecision, now: number): void;
  /** Hands over what waits; from then on it is the caller's to write or to give back. */
  take(): readonly Counted[];
  giveBack(counted: readonly Counted[]): void;
  /** Called when something waits again. */
  onFirst(listener: () => void): void;
}

export function createTally(): Tally {
  // A decision that was made anew has a record of its own to be counted on.
  const waiting = new Map<string, Counted>();
  let first: () => void = () => undefined;

  function put(decision: StoredDecision, count: number, times: readonly number[]): void {
    const wasEmpty = waiting.size === 0;
    const key = `${decision.identity} ${decision.recordId}`;
    const counted = waiting.get(key) ?? { decision, count: 0, times: [] };
    counted.count += count;
    counted.times = [...counted.times, ...times].slice(-MAX_TIMES);
    waiting.set(key, counted);
    if (wasEmpty) first();
  }

  return {
    add: (decision, now) => put(decision, 1, [now]),
    take() {
      const taken = [...waiting.values()];
      waiting.clear();
      return taken;
    },
    giveBack(counted) {
      for (const { decision, count, times } of counted) put(decision, count, times);
    },
    onFirst: (listener) => {
      first = listener;
    },
  };
}

/** The stored decision with these replays added; `loopAlert` on the one flush that makes it a loop, in all tabs. */
export function withCounted(
  stored: StoredDecision,
  { count, times }: Pick<Counted, "count" | "times">,
): { readonly decision: StoredDecision; readonly loopAlert: boolean } {
  let decision: StoredDecision = { ...stored, represented: stored.represented + count - times.length };
  let loopAlert = false;
  for (const at of times) {
    const next = represent(decision, at);
    decision = next.decision;
    loopAlert ||= next.loopAlert;
  }
  return { decision, loopAlert };
}
