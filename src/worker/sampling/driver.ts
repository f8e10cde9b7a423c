/**
 * One sampling request from arrival to its ending (SPEC A, K, R, W): take in → decide → (ask → decide) → run → settle.
 * What is allowed is decided in `src/policy`, inside the store's transaction; this file only keeps the order.
 */
import type { Plan } from "../../policy/account";
import { type ConsentAnswer, decide } from "../../policy/decide";
import type { StoredDecision } from "../../policy/decision";
import { malformedFrame, refusalFrame } from "../../policy/frame";
import type { Scope } from "../../policy/policy";
import type { ExchangeRecord } from "../../policy/record";
import { type ExchangeEvent, type ExchangeState, nextExchange } from "../../policy/exchange";
import type { IncomingSampling, SamplingAnswer, SamplingHandler } from "../mcp/incoming";
import { type AdmitAsk, type Admitted, StorageUnavailable } from "../storage/store";
import type { ConsentQuestion, DriverDeps } from "./deps";
import { decideAll } from "./embedded";
import { cancelledRecord, malformedRecord, siblingRefusedRecord, unansweredRecord, unstoredRecord } from "./endings";
import { type Exchange, takeIn } from "./intake";
import { type MeasuredPrompt, measure } from "./measure";
import { type StepLine, stepLine } from "./progress";
import { runPlan } from "./run";

/** Servers built on the SDKs give up after 60 s; they are told to come back before that (K5). */
const CONSENT_MS = 45_000;
const CONSENT_WITH_PROGRESS_MS = 300_000;
const PROGRESS_EVERY_MS = 10_000;
/** A policy edited again and again between counting and deciding must not spin. */
const MAX_MEASURES = 5;

/** An exchange on its way, with what only this process knows of it. */
export interface Live {
  readonly exchange: Exchange;
  readonly line: StepLine;
  state: ExchangeState;
  measured: MeasuredPrompt | null;
  /** Models that were unavailable in this exchange (R2). */
  tried: readonly string[];
  /** The person's yes to this one request, for when it is decided again on the same model. */
  allowed: ConsentAnswer | null;
}

/** Either the exchange has ended, with the answer to send (null: none, W1), or it may run. */
export type Decided =
  | { readonly kind: "ended"; readonly answer: SamplingAnswer | null }
  | { readonly kind: "admitted"; readonly live: Live; readonly plan: Plan; readonly decidedAt: number };

/** Moves the exchange on; a pair the table does not have is a bug of ours and stops here (W1, L1). */
function met(live: Live, event: ExchangeEvent): void {
  live.state = nextExchange(live.state, event);
}

export function createDriver(deps: DriverDeps): SamplingHandler {
  /** Identities being decided in this tab (A5); the promise ends with the decision, whatever it was. */
  const undecided = new Map<string, Promise<Decided>>();

  async function begin(incoming: IncomingSampling): Promise<Decided> {
    const id = deps.newId();
    const receivedAt = deps.now();
    const { server, runId } = incoming;
    const line = stepLine(deps.watcher, id, server, runId, receivedAt);
    const tools = deps.store.latest(server)?.policy.policy.samplingTools ?? false;
    const taken = await takeIn(incoming, id, runId === null ? null : deps.toolOf(runId), tools, receivedAt);
    if (!taken.ok) {
      const record = malformedRecord(taken, deps.now());
      line.ended(record);
      // Nothing was decided or spent; the row may follow the frame.
      void deps.store.writeRecord(record).catch(() => undefined);
      return { kind: "ended", answer: { error: malformedFrame(server, taken) } };
    }
    const live: Live = { exchange: taken, line, state: "received", measured: null, tried: [], allowed: null };
    line.about(taken.about);
    return guarded(live, () => decideInTurn(live));
  }

  /** A failure to persist is a refusal, not a verdict from memory (D4). */
  async function guarded(live: Live, work: () => Promise<Decided>): Promise<Decided> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      return { kind: "ended", answer: storageUnavailable(live) };
    }
  }

  function storageUnavailable(live: Live): SamplingAnswer {
    live.line.ended(unstoredRecord(live.exchange, deps.now()));
    const refusal = { reason: "storage.unavailable", data: {} } as const;
    return { error: refusalFrame(live.exchange.incoming.server, refusal) };
  }

  /** The same request waits while its first exchange is undecided, then is decided itself (A5). */
  async function decideInTurn(live: Live): Promise<Decided> {
    const { identity, incoming } = live.exchange;
    for (;;) {
      const replayed = replayFromMemory(live);
      if (replayed !== null) return replayed;
      const first = undecided.get(identity);
      if (first === undefined) break;
      met(live, "same_undecided");
      live.line.phase({ phase: "waiting_for_same_request" });
      await Promise.race([first.catch(() => undefined), aborted(incoming.signal)]);
      if (incoming.signal.aborted) return cancelled(live, false);
      met(live, "turn_came");
    }
    met(live, "decide");
    const deciding = decideExchange(live);
    undecided.set(identity, deciding);
    try {
      return await deciding;
    } finally {
      undecided.delete(identity);
    }
  }

  function replayFromMemory(live: Live): Decided | null {
    const hit = deps.store.replay(live.exchange.identity, deps.now());
    return hit === undefined ? null : replay(live, hit.decision, hit.loopAlert);
  }

  function replay(live: Live, decision: StoredDecision, loopAlert: boolean): Decided {
    met(live, "replay");
    const { incoming } = live.exchange;
    deps.watcher.replayed(live.exchange.draft, decision);
    if (loopAlert) deps.watcher.loopAlert(incoming.server, decision.identity, decision.represented);
    return { kind: "ended", answer: { error: refusalFrame(incoming.server, decision.refusal) } };
  }

  /** Decides until there is something to run or to answer; also used again after a fallback (R2). */
  async function decideExchange(live: Live): Promise<Decided> {
    await cheapPass(live);
    let admitted = await admit(live, live.allowed);
    if (admitted.verdict.kind !== "ask") return conclude(live, admitted);

    const { incoming, draft } = live.exchange;
    const waitMs = incoming.progress === null ? CONSENT_MS : CONSENT_WITH_PROGRESS_MS;
    const answerByAt = draft.receivedAt + waitMs;
    const heartbeat = keepAlive(incoming);
    let waited = false;
    const release = await deps.consent.turn(incoming.server, answerByAt, incoming.signal, () => {
      waited = true;
      met(live, "queue");
      live.line.phase({ phase: "waiting_behind_dialog" });
    });
    try {
      if (release === null) return incoming.signal.aborted ? cancelled(live, true) : unanswered(live, false, admitted);
      // Whoever held the turn may have answered for this request too: decide again before asking.
      if (waited) {
        met(live, "turn_came");
        admitted = await admit(live, null);
      }
      while (admitted.verdict.kind === "ask") {
        met(live, "ask");
        live.line.phase({ phase: "waiting_for_consent", untilAt: answerByAt });
        const answer = await deps.consent.ask(question(live, admitted.verdict.terms, answerByAt));
        if (answer === null) return cancelled(live, true);
        if (answer.answer === "unanswered") return unanswered(live, true, admitted);
        met(live, "answer");
        if (answer.answer === "allow_once") live.allowed = answer;
        admitted = await admit(live, answer);
      }
      return conclude(live, admitted);
    } finally {
      clearInterval(heartbeat);
      release?.();
    }
  }

  /** Steps 1 to 5 on the latest known state, so that nothing is counted for what they refuse already (A1). */
  async function cheapPass(live: Live): Promise<void> {
    const known = deps.store.latest(live.exchange.incoming.server);
    if (known === undefined || live.measured !== null) return;
    const verdict = decide({ ...ask(live), ...known, prior: null, consent: null });
    if (verdict.kind === "measure") await count(live, verdict.model, verdict.scope);
  }

  /** The binding decision, in one transaction with its effects (A2); counts and comes back while it has to. */
  async function admit(live: Live, consent: AdmitAsk["consent"]): Promise<Admitted> {
    for (let round = 0; round < MAX_MEASURES; round += 1) {
      const admitted = await deps.store.admit({ ...ask(live), consent });
      if (admitted.verdict.kind !== "measure") return admitted;
      await count(live, admitted.verdict.model, admitted.verdict.scope);
    }
    throw new StorageUnavailable("failed", "the policy kept changing while this request was counted");
  }

  async function count(live: Live, model: string, scope: Scope): Promise<void> {
    met(live, "measure");
    live.line.phase({ phase: "counting_tokens" });
    live.measured = await measure(deps, live.exchange, model, scope);
    met(live, "measured");
  }

  function ask(live: Live): Omit<AdmitAsk, "consent"> {
    const { request, identity, draft } = live.exchange;
    return {
      request: { ok: true, value: request },
      identity,
      draft,
      measured: live.measured?.measured ?? null,
      tried: live.tried,
      catalog: deps.models.catalog(),
      now: deps.now(),
    };
  }

  async function conclude(live: Live, admitted: Admitted): Promise<Decided> {
    const { verdict, record } = admitted;
    const { incoming } = live.exchange;
    switch (verdict.kind) {
      case "replay":
        return replay(live, verdict.decision, verdict.loopAlert);
      case "refuse":
        met(live, "refuse");
        if (record !== null) live.line.ended({ ...record, id: live.exchange.draft.id }, verdict.firstBudgetNotice);
        return { kind: "ended", answer: { error: refusalFrame(incoming.server, verdict.refusal) } };
      case "admit":
        if (incoming.signal.aborted) return cancelled(live, true);
        met(live, "admit");
        return { kind: "admitted", live, plan: verdict.plan, decidedAt: deps.now() };
      default:
        throw new Error(`a ${verdict.kind} verdict concludes nothing`);
    }
  }

  function question(live: Live, terms: ConsentQuestion["terms"], answerByAt: number): ConsentQuestion {
    const { incoming, request } = live.exchange;
    return {
      server: incoming.server,
      request,
      ask: ask(live),
      terms,
      answerByAt,
      signal: incoming.signal,
    };
  }

  /** The server cancelled, the connection closed, or the person stopped the run: nothing is sent (K7, W1). */
  async function cancelled(live: Live, held: boolean): Promise<Decided> {
    met(live, "cancel");
    const record = cancelledRecord(live.exchange, deps.now());
    live.line.ended(record);
    if (held) await release(live, record, false);
    else await deps.store.writeRecord(record);
    return { kind: "ended", answer: null };
  }

  async function unanswered(live: Live, shown: boolean, admitted: Admitted): Promise<Decided> {
    met(live, "silence");
    const { server } = live.exchange.incoming;
    const { record, refusal } = unansweredRecord(live.exchange, admitted.policy, deps.now());
    live.line.ended(record);
    await release(live, record, shown);
    return { kind: "ended", answer: { error: refusalFrame(server, refusal) } };
  }

  async function release(live: Live, record: ExchangeRecord, silence: boolean): Promise<void> {
    const { server, id } = live.exchange.draft;
    const charge = { basis: "none" } as const;
    const common = { server, exchangeId: id, charge, record, decision: null, consentId: null };
    await deps.store.settle({ ...common, silence, now: deps.now() });
  }

  async function letGo(live: Live): Promise<ExchangeRecord> {
    met(live, "cancel");
    const record = siblingRefusedRecord(live.exchange, deps.now());
    await release(live, record, false);
    return record;
  }

  async function finish(decided: Decided): Promise<SamplingAnswer | null> {
    let now = decided;
    while (now.kind === "admitted") {
      const { live, plan, decidedAt } = now;
      const ran = await runPlan(deps, live, plan, decidedAt);
      met(live, ran.kind === "fall_back" ? "fall_back" : "finish");
      if (ran.kind === "answer") return ran.answer;
      live.tried = [...live.tried, plan.model];
      live.measured = null;
      live.allowed = null;
      now = await guarded(live, () => decideExchange(live));
    }
    return now.answer;
  }

  return {
    async one(incoming) {
      return finish(await begin(incoming));
    },
    async embedded(incoming) {
      return decideAll(incoming, { begin, finish, again: (live) => guarded(live, () => decideExchange(live)), letGo });
    },
  };
}

/** Sends progress while a person thinks, where the server can take it (K5). */
function keepAlive(incoming: IncomingSampling): ReturnType<typeof setInterval> | undefined {
  const { progress } = incoming;
  if (progress === null) return undefined;
  let beats = 0;
  return setInterval(() => progress(++beats, "waiting for the person's consent"), PROGRESS_EVERY_MS);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
