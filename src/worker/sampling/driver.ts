/**
 * One sampling request from arrival to its ending (SPEC A, K, R, W): take in → decide → run → settle, and the same
 * request meanwhile. What is allowed is decided in `src/policy`; how it is asked for, in `decider.ts`.
 */
import { malformedFrame, refusalFrame } from "../../policy/frame";
import type { IncomingSampling, SamplingAnswer, SamplingHandler } from "../mcp/incoming";
import { StorageUnavailable } from "../storage/store";
import { createDecider } from "./decider";
import type { DriverDeps } from "./deps";
import { decideAll } from "./embedded";
import { brokenRecord, malformedRecord, siblingRefusedRecord, unstoredRecord } from "./endings";
import { takeIn } from "./intake";
import { type Decided, type Live, met } from "./live";
import { stepLine } from "./progress";
import { createQueues } from "./queues";
import { runPlan } from "./run";

const INTERNAL_ERROR = { error: { code: -32603, message: "Internal error of the client." } };

export function createDriver(deps: DriverDeps): SamplingHandler {
  const { decideExchange, replay, cancelled, release } = createDecider(deps);
  /** Identities being decided in this tab (A5). */
  const identities = createQueues();

  async function begin(incoming: IncomingSampling, waits: boolean): Promise<Decided> {
    const id = deps.newId();
    const receivedAt = deps.now();
    const { server, runId } = incoming;
    const line = stepLine(deps.watcher, id, server, runId, receivedAt);
    const about = { id, tab: deps.tab, tool: runId === null ? null : deps.toolOf(runId), receivedAt };
    const taken = await takeIn(incoming, about);
    if (!taken.ok) {
      const record = deps.store.rowOf(malformedRecord(taken, deps.now()));
      line.ended(record);
      // Nothing was decided or spent; the row may follow the frame.
      void deps.store.writeRecord(record).catch(() => undefined);
      return { kind: "ended", answer: { error: malformedFrame(server, taken) } };
    }
    line.about(taken.about);
    const fresh = { state: "received", measured: null, tried: [], revision: 0, plan: null, answeredBy: null } as const;
    const live: Live = { exchange: taken, line, waits, ...fresh };
    return guarded(live, () => decideInTurn(live));
  }

  /** A failure to persist is a refusal, not a verdict from memory (D4); a bug of ours still owes one response (W1). */
  async function guarded(live: Live, work: () => Promise<Decided>): Promise<Decided> {
    try {
      return await work();
    } catch (error) {
      return { kind: "ended", answer: broken(live, error) };
    }
  }

  function broken(live: Live, error: unknown): SamplingAnswer {
    if (error instanceof StorageUnavailable) {
      live.line.ended(unstoredRecord(live, deps.now()));
      const refusal = { reason: "storage.unavailable", data: {} } as const;
      return { error: refusalFrame(live.exchange.incoming.server, refusal) };
    }
    deps.onBug(error);
    live.line.ended(brokenRecord(live, deps.now()));
    return INTERNAL_ERROR;
  }

  /** The same request waits while its first exchange is undecided, then is decided itself (A5). */
  async function decideInTurn(live: Live): Promise<Decided> {
    const { identity } = live.exchange;
    const replayed = replayFromMemory(live);
    if (replayed !== null) return replayed;
    const leave = identities.tryEnter(identity) ?? (await waitForSame(live));
    if (leave === null) return cancelled(live, false);
    try {
      // Of many that waited for a refusal each is answered by it.
      const now = replayFromMemory(live);
      if (now !== null) return now;
      met(live, "decide");
      return await decideExchange(live);
    } finally {
      leave();
    }
  }

  /** Null where nobody waits for an answer any more. */
  async function waitForSame(live: Live): Promise<(() => void) | null> {
    const { identity, incoming } = live.exchange;
    met(live, "same_undecided");
    live.line.phase({ phase: "waiting_for_same_request" });
    incoming.turn.giveBack();
    const leave = await identities.enter(identity, incoming.signal);
    if (leave === null) return null;
    await incoming.turn.again();
    if (incoming.signal.aborted) {
      leave();
      return null;
    }
    met(live, "turn_came");
    return leave;
  }

  function replayFromMemory(live: Live): Decided | null {
    const hit = deps.store.replay(live.exchange.identity, deps.now());
    return hit === undefined ? null : replay(live, hit.decision, hit.loopAlert);
  }

  /** An admitted exchange is decided once more, to be started (W8). */
  function again(live: Live): Promise<Decided> {
    live.waits = false;
    met(live, "decide");
    return guarded(live, () => decideExchange(live));
  }

  async function letGo(live: Live): Promise<void> {
    met(live, "cancel");
    const record = siblingRefusedRecord(live, deps.now());
    live.line.ended(record);
    // Where this fails the hold is released when it expires: it was never dispatched.
    await release(live, record).catch(() => undefined);
  }

  async function finish(decided: Decided): Promise<SamplingAnswer | null> {
    let now = decided;
    while (now.kind === "admitted") {
      const { live, plan, decidedAt } = now;
      live.exchange.incoming.turn.giveBack();
      try {
        const ran = await runPlan(deps, live, plan, decidedAt);
        met(live, ran.kind === "fall_back" ? "fall_back" : "finish");
        if (ran.kind === "answer") return ran.answer;
      } catch (error) {
        return broken(live, error);
      }
      live.tried = [...live.tried, plan.model];
      live.measured = null;
      now = await guarded(live, () => decideExchange(live));
    }
    return now.answer;
  }

  return {
    async one(incoming) {
      try {
        return await finish(await begin(incoming, false));
      } catch (error) {
        deps.onBug(error);
        return INTERNAL_ERROR;
      }
    },
    async embedded(incoming) {
      try {
        return await decideAll(incoming, { begin: (one) => begin(one, true), again, finish, letGo });
      } catch (error) {
        deps.onBug(error);
        return { ok: false, key: "", message: INTERNAL_ERROR.error.message };
      }
    },
  };
}
