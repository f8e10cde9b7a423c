/**
 * The verdict on one sampling request, in SPEC A's order, as one column of early returns. Pure and total: it answers
 * every input, throws for none, and what no rule admits is refused.
 */
import {
  type Account,
  closeExpired,
  grantedMicros,
  type Hold,
  heldMicros,
  holdOf,
  noteDenial,
  noteSilence,
  type OrphanedHold,
  type Plan,
  releaseHold,
  resetsAtOf,
} from "./account";
import type { Catalog } from "./catalog";
import { ceilingMicros, ruleOnConsent } from "./consent";
import { narrower } from "./context";
import { decisionFor, type Identity, liveDecision, represent, type StoredDecision } from "./decision";
import { type Ending, endingOf } from "./ending";
import { chooseModel } from "./model-choice";
import { usdOf, wholeUp } from "./money";
import { fitsBudget, planOf } from "./plan";
import type { PolicyRevision, Scope } from "./policy";
import { REASONS, type Refusal } from "./reasons";
import type { ManifestEntry, RecordDraft } from "./record";
import type { Malformed, SamplingRequest } from "./request";
import { takeSlot, takeToken } from "./throttle";
import { isoOf } from "./window";

/** What counting found; holds for one model and one scope only. */
export interface Measured {
  readonly model: string;
  readonly scope: Scope;
  /** Upper bound, tokens, prompt and context together. */
  readonly inputTokens: number;
  readonly manifest: readonly ManifestEntry[];
}

/** The person's answer to this exchange's dialog, or that none came. */
export type ConsentAnswer =
  | {
      readonly answer: "allow_session";
      readonly consentId: string;
      readonly by: string;
      readonly ceilingMicros: number;
    }
  | { readonly answer: "allow_once"; readonly consentId: string; readonly by: string }
  | { readonly answer: "deny" | "deny_and_mute"; readonly by: string }
  /** `shown`: there was a dialog that could have been answered; only such a silence counts towards quiet (K6). */
  | { readonly answer: "unanswered"; readonly shown: boolean };

export interface DecideInput {
  readonly request: { readonly ok: true; readonly value: SamplingRequest } | ({ readonly ok: false } & Malformed);
  /** "" where the request is malformed. */
  readonly identity: Identity;
  readonly draft: RecordDraft;
  readonly policy: PolicyRevision;
  readonly account: Account;
  readonly prior: StoredDecision | null;
  readonly consent: ConsentAnswer | null;
  /** Null before tokens were counted: then the cheap steps answer, or the verdict is `measure`. */
  readonly measured: Measured | null;
  /** Models that failed in this exchange already (R2). */
  readonly tried: readonly string[];
  /** Siblings must be decided before it runs (W8): slot and money are held, the call does not start yet. */
  readonly waits?: boolean;
  readonly catalog: Catalog;
  readonly now: number;
}

/** What the consent dialog must say about money and reach (K3). */
export interface ConsentTerms {
  readonly plan: Plan;
  /** The most this one request can cost, µ$ (the hold). */
  readonly atMostMicros: number;
  /** Ceiling a session consent would have, µ$. */
  readonly ceilingMicros: number;
  /** When a session consent would end. */
  readonly untilAt: number;
}

interface Common {
  /** SPEC rule that decided, e.g. "A4", "P1", "M2". */
  readonly because: string;
}
interface Effects extends Common {
  /** The account after this verdict; write it whole. */
  readonly account: Account;
  /** Holds of dead tabs that this pass closed. */
  readonly orphans: readonly OrphanedHold[];
}

export type Verdict =
  | (Common & { readonly kind: "malformed" } & Malformed)
  /** `decision` has `represented` + 1; `loopAlert` is true on the one replay that makes it a loop (D3). */
  | (Common & { readonly kind: "replay"; readonly decision: StoredDecision; readonly loopAlert: boolean })
  | (Common & { readonly kind: "measure"; readonly model: string; readonly scope: Scope })
  /** `decision` is null where the reason is never stored. */
  | (Effects & {
      readonly kind: "refuse";
      readonly refusal: Refusal;
      readonly ending: Ending;
      readonly decision: StoredDecision | null;
      /** True on the first budget refusal of this server and window (E). */
      readonly firstBudgetNotice: boolean;
      /** What would have run; null where it was refused before that was known. */
      readonly plan: Plan | null;
      /** Models that failed in this exchange before it (R2). */
      readonly tried: readonly string[];
      /** Who denied it, where a person did. */
      readonly answeredBy: string | null;
    })
  /** Slot and money are held; a dialog must be answered (A3). */
  | (Effects & { readonly kind: "ask"; readonly terms: ConsentTerms })
  /** Slot and money are held and, but where it waits, dispatched; the call may start once this is committed (A7). */
  | (Effects & { readonly kind: "admit"; readonly plan: Plan });

/** A call that streams past its deadline is aborted by its tab; this much later the tab must be dead (M4). */
const GRACE_MS = 30_000;
/** Longer than the longest wait for a person (K5). */
const CONSENT_HOLD_MS = 360_000;

export function decide(input: DecideInput): Verdict {
  if (!input.request.ok) return malformed(input.request);
  const request = input.request.value;
  const the = caseOf(input);
  const { policy, now, tried, catalog, measured } = the;
  const denial = denialIn(input);

  const prior = liveDecision(input.prior, input.policy.revision, now);
  // A person's no is kept over a throttle that came in between; else a retry could bypass it.
  if (prior !== null && !(denial !== null && REASONS[prior.refusal.reason].retryable)) return replay(the, prior);
  if (!policy.allowSampling) return refuse(the, the.account, { reason: "policy.sampling_disabled", data: {} }, "P1");
  if (denial !== null) return deny(the, denial);

  const slot = takeSlot(the.account, policy.maxConcurrent, now);
  if (!slot.ok) return refuse(the, slot.account, slot.refusal, "A8");
  const paid = the.own !== null || tried.length > 0;
  const token = paid ? { ...slot, grantId: null } : takeToken(slot.account, policy.rateLimit, now);
  if (!token.ok) return refuse(the, token.account, token.refusal, "A8");
  const { account } = token;

  const scope = grantedScope(the, request);
  const choice = chooseModel(request, policy.models, catalog, tried, now);
  if (!choice.ok) return refuse(the, account, choice.refusal, "R1");
  const model = choice.entry.id;
  if (measured === null || measured.model !== model || measured.scope !== scope) {
    return { kind: "measure", model, scope, because: "A1" };
  }
  const observed = wholeUp(measured.inputTokens);
  const limit = policy.maxInputTokens;
  if (!(observed <= limit)) return refuse(the, account, tooLarge(observed, limit), "P6");
  const plan = planOf({ ...the, account, request, choice, measured, rateGrantId: token.grantId });
  if (plan === null) return refuse(the, account, { reason: "policy.model_unpriced", data: { model } }, "M1");
  if (!fitsBudget(account, policy.budget.capMicros, plan)) return refuseForBudget(the, account, plan);
  return ruled(the, account, plan);
}

/** One request on its way through the column: the input, and the account as it stands now. */
interface Case extends Omit<DecideInput, "policy" | "account"> {
  readonly revision: number;
  readonly policy: PolicyRevision["policy"];
  /** Turned, dead holds closed, without the exchange's own hold: that one is replaced or given back (A3, R2). */
  readonly account: Account;
  readonly own: Hold | null;
  readonly orphans: readonly OrphanedHold[];
}

function caseOf(input: DecideInput): Case {
  const { revision, policy } = input.policy;
  const now = Number.isFinite(input.now) ? input.now : input.account.latestAt;
  const own = holdOf(input.account, input.draft.id);
  const others = releaseHold(input.account, input.draft.id)?.account ?? input.account;
  const { account, orphans } = closeExpired(others, policy, now);
  return { ...input, now, revision, policy, account, own, orphans };
}

function malformed({ path, problem }: Malformed): Verdict {
  return { kind: "malformed", path, problem, because: "W9" };
}

/** Answers as stored. An exchange that already held slot and money gives them back, so it ends in a record (A4). */
function replay(the: Case, prior: StoredDecision): Verdict {
  if (the.own === null) return { kind: "replay", ...represent(prior, the.now), because: "A4" };
  return { ...refuse(the, the.account, prior.refusal, "A4"), decision: null };
}

type Denial = Extract<ConsentAnswer, { answer: "deny" | "deny_and_mute" }>;

function denialIn({ consent }: DecideInput): Denial | null {
  return consent?.answer === "deny" || consent?.answer === "deny_and_mute" ? consent : null;
}

/** A no needs no slot, no token and no count; nothing that could refuse it otherwise may lose it. */
function deny(the: Case, denial: Denial): Verdict {
  const account = noteDenial(the.account, denial.answer === "deny_and_mute", the.now);
  return { ...refuse(the, account, { reason: "user.denied", data: {} }, "K4"), answeredBy: denial.by };
}

/** The narrower of asked and ceiling; within one exchange never wider than before (C1). */
function grantedScope(the: Case, request: SamplingRequest): Scope {
  const scope = narrower(request.includeContext, the.policy.maxContextScope);
  return the.own === null ? scope : narrower(scope, the.own.plan.scopeGranted);
}

function tooLarge(observed: number, limit: number): Refusal {
  return { reason: "policy.input_too_large", data: { observed, limit } };
}

function refuseForBudget(the: Case, account: Account, plan: Plan): Verdict {
  const refusal: Refusal = {
    reason: "policy.budget_exhausted",
    data: {
      spentUsd: usdOf(account.settledMicros + heldMicros(account)),
      capUsd: usdOf(the.policy.budget.capMicros + grantedMicros(account)),
      resetsAt: isoOf(resetsAtOf(account)),
    },
  };
  // Outside any tool run there is no output to say it on: the full notice is kept for the first that has one.
  const firstBudgetNotice = the.draft.runId !== null && account.budgetNoticedWindowAt !== account.windowStartAt;
  const noticed = firstBudgetNotice ? { ...account, budgetNoticedWindowAt: account.windowStartAt } : account;
  return { ...refuse(the, noticed, refusal, "M2"), plan, firstBudgetNotice };
}

/** Step 10 and 11: agreed, not agreed, or to be asked. */
function ruled(the: Case, account: Account, plan: Plan): Verdict {
  const { policy, identity, own, consent: answer, now, orphans } = the;
  const ruling = ruleOnConsent({ plan, identity, policy, account, own, answer, now });
  if (ruling.kind === "refused") {
    const silent = ruling.because === "K5" && answer?.answer === "unanswered" && answer.shown;
    const refused = refuse(the, silent ? noteSilence(account, now) : account, ruling.refusal, ruling.because);
    // Mute and quiet end with the window, or when the person listens again: no decision may outlast them.
    return { ...refused, plan, decision: null };
  }
  if (ruling.kind === "ask") {
    const terms = {
      plan,
      atMostMicros: plan.estimateMicros,
      ceilingMicros: ceilingMicros(policy, account, plan),
      untilAt: resetsAtOf(account),
    };
    const held = withHold(account, holdFor(the, plan, null, now + CONSENT_HOLD_MS));
    return { kind: "ask", terms, account: held, orphans, because: ruling.because };
  }
  const agreed = { ...plan, consentId: ruling.consentId };
  const hold =
    the.waits === true
      ? holdFor(the, agreed, null, now + CONSENT_HOLD_MS)
      : holdFor(the, agreed, now, now + plan.deadlineMs + GRACE_MS);
  const held = withHold(ruling.account, hold);
  return { kind: "admit", plan: agreed, account: held, orphans, because: ruling.because };
}

function holdFor(the: Case, plan: Plan, dispatchedAt: number | null, expiresAt: number): Hold {
  const { draft, now } = the;
  return { exchangeId: draft.id, amountMicros: plan.estimateMicros, heldAt: now, dispatchedAt, expiresAt, plan, draft };
}

function withHold(account: Account, hold: Hold): Account {
  return { ...account, holds: [...account.holds, hold] };
}

type Refused = Extract<Verdict, { kind: "refuse" }>;

function refuse(the: Case, account: Account, refusal: Refusal, because: string): Refused {
  const { draft, revision, now, orphans } = the;
  return {
    kind: "refuse",
    refusal,
    ending: endingOf(refusal.reason),
    decision: decisionFor({
      draft: { ...draft, identity: the.identity },
      refusal,
      because,
      policyRevision: revision,
      now,
    }),
    account,
    orphans,
    firstBudgetNotice: false,
    plan: null,
    tried: the.tried,
    answeredBy: null,
    because,
  };
}
