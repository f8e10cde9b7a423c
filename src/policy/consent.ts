/** Whether a person agreed to this request, must be asked, or will not be (SPEC K). */
import {
  type Account,
  addConsent,
  type Consent,
  grantedMicros,
  type Hold,
  heldMicros,
  type Plan,
  quietOf,
  resetsAtOf,
} from "./account";
import { isWider } from "./context";
import type { ConsentAnswer } from "./decide";
import { wholeUp } from "./money";
import type { Policy } from "./policy";
import { REASONS, type Refusal } from "./reasons";
import { isoOf } from "./window";

/** What a plan needs agreement to, and on what ground it may stand. */
export interface ConsentCase {
  readonly plan: Plan;
  readonly identity: string;
  readonly policy: Policy;
  /** Turned, without the exchange's own hold. */
  readonly account: Account;
  /** The hold this exchange has from an earlier pass; null on the first. */
  readonly own: Hold | null;
  readonly answer: ConsentAnswer | null;
  readonly now: number;
}

export type ConsentRuling =
  | { readonly kind: "covered"; readonly consentId: string | null; readonly account: Account; readonly because: string }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly because: string }
  | { readonly kind: "ask"; readonly because: string };

export function ruleOnConsent(the: ConsentCase): ConsentRuling {
  const { plan, account, own, answer, now } = the;
  const standing = coveringConsent(the);
  if (standing !== undefined) return relyOn(standing, account);
  if (own !== null && wasAdmitted(own, plan)) {
    return { kind: "covered", consentId: own.plan.consentId, account, because: "K1" };
  }
  // A yes counts for what the dialog showed; where the plan has changed since, the person is asked anew (A3).
  if (answer !== null && isAllow(answer) && own !== null && servesAs(own.plan, plan)) return allowed(the, answer);
  if (account.mutedUntilAt !== null) return { kind: "refused", refusal: DENIED, because: "K6" };
  const quiet = quietOf(account, now);
  if (quiet === "denials") return { kind: "refused", refusal: DENIED, because: "K6" };
  if (quiet === "silence") return { kind: "refused", refusal: pending(now), because: "K6" };
  if (answer?.answer === "unanswered") return { kind: "refused", refusal: pending(now), because: "K5" };
  return { kind: "ask", because: "K1" };
}

const DENIED: Refusal = { reason: "user.denied", data: {} };

function pending(now: number): Refusal {
  const { retryAfterMs } = REASONS["consent.pending"];
  return { reason: "consent.pending", data: { retryAt: isoOf(now + retryAfterMs) } };
}

type Allow = Extract<ConsentAnswer, { answer: "allow_session" | "allow_once" }>;

function isAllow(answer: ConsentAnswer): answer is Allow {
  return answer.answer === "allow_session" || answer.answer === "allow_once";
}

/** Whether agreement to `shown` is agreement to `plan`: the same model, no more context, no more money. */
function servesAs(shown: Plan, plan: Plan): boolean {
  return (
    shown.model === plan.model &&
    !isWider(plan.scopeGranted, shown.scopeGranted) &&
    plan.estimateMicros <= shown.estimateMicros
  );
}

/** Admitted before and not started yet (W8): under the same policy, the yes it was admitted on is still its own. */
function wasAdmitted({ plan: admitted }: Hold, plan: Plan): boolean {
  return admitted.consentId !== null && admitted.policyRevision === plan.policyRevision && servesAs(admitted, plan);
}

/** A stored consent that covers the plan: a late yes to this very request first, then the session's (K1, K5). */
function coveringConsent({ plan, identity, policy, account }: ConsentCase): Consent | undefined {
  const fits = (consent: Consent) =>
    consent.policyRevision === plan.policyRevision &&
    consent.model === plan.model &&
    !isWider(plan.scopeGranted, consent.scope) &&
    consent.usedMicros + reliedOn(account, consent.id) + plan.estimateMicros <= consent.ceilingMicros;
  const once = account.consents.find((one) => one.kind === "once" && one.identity === identity && fits(one));
  if (once !== undefined || policy.consent === "per_request") return once;
  return account.consents.find((one) => one.kind === "session" && fits(one));
}

/** What open holds will still use of a consent. */
function reliedOn(account: Account, consentId: string): number {
  const relying = account.holds.filter((hold) => hold.plan.consentId === consentId);
  return relying.reduce((sum, hold) => wholeUp(sum + hold.amountMicros), 0);
}

function relyOn(consent: Consent, account: Account): ConsentRuling {
  if (consent.kind === "session") return { kind: "covered", consentId: consent.id, account, because: "K1" };
  const consents = account.consents.filter((one) => one !== consent);
  return { kind: "covered", consentId: consent.id, account: { ...account, consents }, because: "K5" };
}

function allowed({ plan, policy, account, now }: ConsentCase, answer: Allow): ConsentRuling {
  if (answer.answer === "allow_once" || policy.consent === "per_request") {
    return { kind: "covered", consentId: answer.consentId, account, because: "K4" };
  }
  const consent: Consent = {
    id: answer.consentId,
    kind: "session",
    identity: null,
    model: plan.model,
    scope: plan.scopeGranted,
    // Never more than the dialog said, nor than the policy says by now; never less than this request needs.
    ceilingMicros: Math.max(plan.estimateMicros, Math.min(answer.ceilingMicros, ceilingMicros(policy, account, plan))),
    usedMicros: 0,
    policyRevision: plan.policyRevision,
    givenAt: now,
    expiresAt: resetsAtOf(account),
    givenBy: answer.by,
  };
  return { kind: "covered", consentId: consent.id, account: addConsent(account, consent), because: "K4" };
}

/**
 * What a session consent given now would cover, µ$: the policy's ceiling or what is left, at least this request. What
 * waits behind the question holds money too, but it is this very answer that it waits for.
 */
export function ceilingMicros(policy: Policy, account: Account, plan: Plan): number {
  const limit = policy.budget.capMicros + grantedMicros(account);
  const left = limit - account.settledMicros - agreedMicros(account);
  return Math.max(plan.estimateMicros, policy.consentCeilingMicros ?? left);
}

/** What open holds will spend on a yes they have. */
function agreedMicros(account: Account): number {
  return heldMicros({ ...account, holds: account.holds.filter((hold) => hold.plan.consentId !== null) });
}
