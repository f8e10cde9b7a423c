/** The verdict on one sampling request, in SPEC A's order, as one column of early returns. */
import type { Account, OrphanedHold, Plan } from "./account";
import type { Catalog } from "./catalog";
import type { Identity, StoredDecision } from "./decision";
import type { Ending } from "./ending";
import type { PolicyRevision, Scope } from "./policy";
import type { Refusal } from "./reasons";
import type { ManifestEntry, RecordDraft } from "./record";
import type { Malformed, SamplingRequest } from "./request";

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
  | { readonly answer: "allow_session"; readonly consentId: string; readonly by: string; readonly ceilingMicros: number }
  | { readonly answer: "allow_once"; readonly consentId: string; readonly by: string }
  | { readonly answer: "deny" | "deny_and_mute"; readonly by: string }
  | { readonly answer: "unanswered" };

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
    })
  /** Slot and money are held; a dialog must be answered (A3). */
  | (Effects & { readonly kind: "ask"; readonly terms: ConsentTerms })
  /** Slot and money are held and dispatched; the call may start once this is committed (A7). */
  | (Effects & { readonly kind: "admit"; readonly plan: Plan });
