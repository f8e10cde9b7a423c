/** The replay memory (A7): decisions this tab saw committed, and the replays it answered but has not yet counted. */
import { type Identity, liveDecision, represent, type StoredDecision } from "../../policy/decision";
import type { Changes } from "./changes";
import { createLease, type Session } from "./lease";
import { createTally, type Tally } from "./tally";

/** Decisions kept in memory; the oldest is forgotten first, and found in the database when it is asked again. */
const MAX_REMEMBERED = 10_000;

type Memory = Map<Identity, StoredDecision>;
export type ReplaySession = Session<Memory>;

export interface Replays {
  /** Take before a transaction; what it decided may be learnt only if this is still the session afterwards. */
  session(): ReplaySession | null;
  learn(session: ReplaySession | null, decision: StoredDecision): void;
  /** @param revisionOf the policy revision in force as far as this tab knows */
  answer(
    identity: Identity,
    revisionOf: (server: string) => number | undefined,
    now: number,
  ): { readonly decision: StoredDecision; readonly loopAlert: boolean } | undefined;
  /** A replay that a transaction answered; counted like those from memory. */
  count(decision: StoredDecision, now: number): void;
  /** Forgets what this tab knows. */
  empty(): void;
  emptyEverywhere(): Promise<void>;
  readonly tally: Tally;
}

export interface ReplayDeps {
  readonly locks: LockManager | null;
  readonly name: string;
  readonly changes: Changes;
  readonly ticks: () => number;
  /** Decisions to begin a session with, so that what was refused before a reload is not counted anew (A1). */
  readonly recall: () => Promise<readonly StoredDecision[]>;
}

export function createReplays({ locks, name, changes, ticks, recall }: ReplayDeps): Replays {
  const lease = createLease<Memory>({
    locks,
    name: `${name}:replay`,
    fresh: () => new Map(),
    onSession: (session) => void remember(session),
    ticks,
  });
  const tally = createTally();
  changes.onWord("empty", lease.empty);

  /** What was read is of this session or later: whatever ends a decision empties the session first. */
  async function remember(session: ReplaySession): Promise<void> {
    const decisions = await recall().catch(() => []);
    // What was learnt meanwhile is newer.
    for (const decision of decisions) if (!session.memory.has(decision.identity)) learn(session, decision);
  }

  function learn(session: ReplaySession | null, decision: StoredDecision): void {
    if (session === null || lease.session() !== session) return;
    const { memory } = session;
    memory.set(decision.identity, decision);
    if (memory.size <= MAX_REMEMBERED) return;
    for (const oldest of memory.keys()) {
      memory.delete(oldest);
      break;
    }
  }

  return {
    session: lease.session,
    learn,
    answer(identity, revisionOf, now) {
      const memory = lease.session()?.memory;
      const known = memory?.get(identity);
      if (memory === undefined || known === undefined) return undefined;
      const live = liveDecision(known, revisionOf(known.server) ?? known.policyRevision, now);
      if (live === null) {
        memory.delete(identity);
        return undefined;
      }
      const answer = represent(live, now);
      memory.set(identity, answer.decision);
      tally.add(known, now);
      return answer;
    },
    count: tally.add,
    empty: lease.empty,
    emptyEverywhere: () => lease.emptyEverywhere(() => changes.say("empty")),
    tally,
  };
}
