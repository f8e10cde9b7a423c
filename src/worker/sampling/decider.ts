/**
 * Deciding one exchange until there is something to run or to answer: cheap pass, count, admit, and where a person must
 * be asked, their answer and the decision again (SPEC A1 to A3, K). The verdicts are the policy's.
 */
import { decide } from "../../policy/decide";
import type { StoredDecision } from "../../policy/decision";
import { refusalFrame } from "../../policy/frame";
import type { Scope } from "../../policy/policy";
import type { ExchangeRecord } from "../../policy/record";
import type { IncomingSampling } from "../mcp/incoming";
import { type AdmitAsk, type Admitted, StorageUnavailable } from "../storage/store";
import { answerAfterAbort } from "./after-abort";
import type { ConsentQuestion, DriverDeps } from "./deps";
import { cancelledRecord } from "./endings";
import { type Decided, type Live, met } from "./live";
import { measure } from "./measure";

/** Servers built on the SDKs give up after 60 s; they are told to come back before that (K5). */
const CONSENT_MS = 45_000;
const CONSENT_WITH_PROGRESS_MS = 300_000;
/** A dialog that nobody could read and answer in time is not opened, and its silence is nobody's. */
const SHORTEST_DIALOG_MS = 10_000;
const PROGRESS_EVERY_MS = 10_000;
/** A policy edited again and again between counting and deciding must not spin. */
const MAX_MEASURES = 5;

export interface Decider {
  /** Decides from the start; used again after a fallback (R2) and for embedded siblings (W8). */
  decideExchange(live: Live): Promise<Decided>;
  /** A stored decision answers (A4). */
  replay(live: Live, decision: StoredDecision, loopAlert: boolean): Decided;
  /** `held`: it may hold slot and money, which are given back. */
  cancelled(live: Live, held: boolean): Promise<Decided>;
  /** Gives back slot and money and writes how it ended. */
  release(live: Live, record: ExchangeRecord): Promise<void>;
}

export function createDecider(deps: DriverDeps): Decider {
  async function decideExchange(live: Live): Promise<Decided> {
    await cheapPass(live);
    const admitted = await admit(live, null);
    return admitted.verdict.kind === "ask" ? askAndDecide(live, admitted) : conclude(live, admitted);
  }

  /** Slot and money are held: the person is asked, and it is decided again from the start (A3). */
  async function askAndDecide(live: Live, first: Admitted): Promise<Decided> {
    const { incoming, draft, identity } = live.exchange;
    // A server that is kept informed, or that is not waiting for a frame at all (W8), gives the person longer.
    const waitMs = incoming.progress === null && !live.waits ? CONSENT_MS : CONSENT_WITH_PROGRESS_MS;
    const answerByAt = draft.receivedAt + waitMs;
    const heartbeat = keepAlive(incoming);
    const turn = {
      server: incoming.server,
      identity,
      untilAt: answerByAt - SHORTEST_DIALOG_MS,
      signal: incoming.signal,
    };
    let admitted = first;
    let waited = false;
    let termsChanged = false;
    incoming.turn.giveBack();
    const release = await deps.consent.turn(turn, () => {
      waited = true;
      met(live, "queue");
      live.line.phase({ phase: "waiting_behind_dialog" });
    });
    try {
      // Whoever held the turn may have answered for this request too: decide again before asking.
      if (waited) {
        if (incoming.signal.aborted) return cancelled(live, true);
        met(live, "turn_came");
        admitted = await admit(live, release === null ? { answer: "unanswered", shown: false } : null);
      }
      while (admitted.verdict.kind === "ask") {
        // After a fallback, or where an answer came late for a plan that had changed, too little may be left.
        if (deps.now() > turn.untilAt) {
          admitted = await admit(live, { answer: "unanswered", shown: false });
          break;
        }
        met(live, "ask");
        live.line.phase({ phase: "waiting_for_consent", untilAt: answerByAt });
        const answer = await deps.consent.ask({
          ...question(live, admitted.verdict.terms, answerByAt),
          mode: admitted.policy.policy.consent,
          termsChanged,
        });
        if (answer === null) return cancelled(live, true);
        met(live, "answer");
        termsChanged = answer === "terms_changed";
        if (answer !== "terms_changed" && "by" in answer) live.answeredBy = answer.by;
        admitted = await admit(live, answer === "terms_changed" ? null : answer);
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
      const { verdict, policy } = admitted;
      live.revision = policy.revision;
      if (verdict.kind === "ask") live.plan = verdict.terms.plan;
      if (verdict.kind === "admit") live.plan = verdict.plan;
      if (verdict.kind !== "measure") return admitted;
      await count(live, verdict.model, verdict.scope);
    }
    throw new StorageUnavailable("failed", "the policy kept changing while this request was counted");
  }

  async function count(live: Live, model: string, scope: Scope): Promise<void> {
    met(live, "measure");
    live.line.phase({ phase: "counting_tokens" });
    const limit = deps.store.latest(live.exchange.incoming.server)?.policy.policy.maxInputTokens ?? null;
    live.measured = await measure(deps, live.exchange, { model, scope, limitTokens: limit });
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
      waits: live.waits,
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
        if (record !== null) live.line.ended(record, verdict.firstBudgetNotice);
        return { kind: "ended", answer: { error: refusalFrame(incoming.server, verdict.refusal) } };
      case "admit":
        if (incoming.signal.aborted) return cancelled(live, true);
        met(live, "admit");
        return { kind: "admitted", live, plan: verdict.plan, decidedAt: deps.now() };
      default:
        throw new Error(`a ${verdict.kind} verdict concludes nothing`);
    }
  }

  type Question = Omit<ConsentQuestion, "mode" | "termsChanged">;
  function question(live: Live, terms: ConsentQuestion["terms"], answerByAt: number): Question {
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

  /** The server cancelled, the connection closed, or the person stopped the run (K7). */
  async function cancelled(live: Live, held: boolean): Promise<Decided> {
    met(live, "cancel");
    const ended = cancelledRecord(live, deps.now());
    const record = held ? ended : deps.store.rowOf(ended);
    live.line.ended(record);
    if (held) await release(live, record);
    else await deps.store.writeRecord(record);
    return { kind: "ended", answer: answerAfterAbort(live.exchange.incoming, deps.now()) };
  }

  async function release(live: Live, record: ExchangeRecord): Promise<void> {
    const { server, id } = live.exchange.draft;
    const charge = { basis: "none" } as const;
    const common = { server, exchangeId: id, charge, record, decision: null, consentId: null };
    await deps.store.settle({ ...common, now: deps.now() });
  }

  function replay(live: Live, decision: StoredDecision, loopAlert: boolean): Decided {
    met(live, "replay");
    const { incoming } = live.exchange;
    live.line.replayed();
    deps.watcher.replayed(live.exchange.draft, decision);
    if (loopAlert) deps.watcher.loopAlert(incoming.server, decision.identity, decision.represented);
    return { kind: "ended", answer: { error: refusalFrame(incoming.server, decision.refusal) } };
  }

  return { decideExchange, replay, cancelled, release };
}

/** Sends progress while a person thinks, where the server can take it (K5). */
function keepAlive(incoming: IncomingSampling): ReturnType<typeof setInterval> | undefined {
  const { progress } = incoming;
  if (progress === null) return undefined;
  let beats = 0;
  return setInterval(() => progress(++beats, "waiting for the person's consent"), PROGRESS_EVERY_MS);
}
