/** What one request would do and cost, and whether the budget holds it (SPEC M1, M2, L1). */
import { type Account, grantedMicros, type Hold, heldMicros, type Plan } from "./account";
import type { Measured } from "./decide";
import type { Chosen } from "./model-choice";
import { wholeUp } from "./money";
import type { Policy } from "./policy";
import { estimateMicros } from "./price";
import type { RecordDraft } from "./record";
import type { SamplingRequest } from "./request";

export interface PlanFacts {
  readonly draft: RecordDraft;
  readonly revision: number;
  readonly policy: Policy;
  readonly request: SamplingRequest;
  readonly choice: Chosen;
  readonly measured: Measured;
  readonly account: Account;
  /** The hold this exchange has from an earlier pass. */
  readonly own: Hold | null;
  readonly tried: readonly string[];
  /** The raise that let it past an empty bucket in this pass. */
  readonly rateGrantId: string | null;
}

/** The plan with its estimate, output clamped; null where the chosen model has no price (M1). */
export function planOf(facts: PlanFacts): Plan | null {
  const { policy, draft, request, measured, choice } = facts;
  const { price, id, provider } = choice.entry;
  if (price === null || price.bands.length === 0) return null;
  const inputTokens = wholeUp(measured.inputTokens);
  const maxTokensGranted = Math.min(wholeUp(request.maxTokens), policy.maxOutputTokens);
  const estimate = estimateMicros(price, inputTokens, maxTokensGranted);
  return {
    exchangeId: draft.id,
    server: draft.server,
    policyRevision: facts.revision,
    model: id,
    provider,
    hints: request.modelPreferences.hints,
    hintIgnored: choice.hintIgnored,
    scopeAsked: request.includeContext,
    scopeGranted: measured.scope,
    maxTokensAsked: request.maxTokens,
    maxTokensGranted,
    manifest: measured.manifest,
    inputTokens,
    estimateMicros: estimate,
    deadlineMs: policy.deadlineMs,
    pricesAsOf: price.asOf,
    grantIds: grantsReliedOn(facts, estimate),
    consentId: null,
    fellBackFrom: facts.tried,
  };
}

/** The raise that let it past the rate, and the dollar raises where it needs more than the cap. */
function grantsReliedOn({ account, own, policy, rateGrantId }: PlanFacts, estimate: number): readonly string[] {
  const idsOf = (kind: "usd" | "requests") => account.grants.filter((one) => one.kind === kind).map((one) => one.id);
  const before = own === null ? [] : idsOf("requests").filter((id) => own.plan.grantIds.includes(id));
  const rate = rateGrantId === null ? before : [rateGrantId];
  const needsMore = account.settledMicros + heldMicros(account) + estimate > policy.budget.capMicros;
  return needsMore ? [...rate, ...idsOf("usd")] : rate;
}

/** `settled + held + estimate ≤ cap + live grants` (M2); written so that a value that is no number refuses. */
export function fitsBudget(account: Account, capMicros: number, plan: Plan): boolean {
  const wanted = account.settledMicros + heldMicros(account) + plan.estimateMicros;
  return wanted <= capMicros + grantedMicros(account);
}
