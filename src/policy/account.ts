/**
 * One server's mutable state and the arithmetic on it: reserve, settle, release, expire, on values.
 * Time is an argument everywhere; nothing here reads a clock (SPEC M, G, K, R).
 */
import type { BudgetWindow, Scope } from "./policy";
import type { ManifestEntry, RecordDraft } from "./record";

/** What one admitted request will do, fixed when it was decided. */
export interface Plan {
  readonly exchangeId: string;
  readonly server: string;
  readonly policyRevision: number;
  readonly model: string;
  readonly provider: string;
  readonly hints: readonly string[];
  /** True where a hint named something and the model that runs does not match the first hint's wish (W6). */
  readonly hintIgnored: boolean;
  readonly scopeAsked: Scope;
  readonly scopeGranted: Scope;
  readonly maxTokensAsked: number;
  readonly maxTokensGranted: number;
  readonly manifest: readonly ManifestEntry[];
  readonly inputTokens: number;
  readonly estimateMicros: number;
  readonly deadlineMs: number;
  readonly pricesAsOf: string;
  readonly grantIds: readonly string[];
  readonly consentId: string | null;
  readonly fellBackFrom: readonly string[];
}

/** Money and one concurrency slot reserved for one exchange; closed once (M3, M4). */
export interface Hold {
  readonly exchangeId: string;
  readonly amountMicros: number;
  readonly heldAt: number;
  /** When the provider call was allowed to start; null while it waits for consent. */
  readonly dispatchedAt: number | null;
  /** Past this the holder is dead: charged if dispatched, else released. */
  readonly expiresAt: number;
  readonly plan: Plan;
  readonly draft: RecordDraft;
}

/** A hold that was closed without its holder, to be written as a `lost` record. */
export interface OrphanedHold {
  readonly hold: Hold;
  readonly chargedMicros: number;
}

export type GrantKind = "usd" | "requests";

export interface Grant {
  readonly id: string;
  readonly server: string;
  readonly kind: GrantKind;
  /** µ$ for `usd`; requests for `requests`. */
  readonly amount: number;
  /** Of a `requests` grant: how many are left. Equals `amount` for `usd`. */
  readonly left: number;
  readonly grantedAt: number;
  readonly expiresAt: number;
  readonly grantedBy: string;
  /** Record the raise was offered on. */
  readonly recordId: string;
}

/** What a person agreed to (K1). */
export interface Consent {
  readonly id: string;
  readonly kind: "session" | "once";
  /** Of a `once`: the identity it serves. */
  readonly identity: string | null;
  readonly model: string;
  readonly scope: Scope;
  readonly ceilingMicros: number;
  readonly usedMicros: number;
  readonly policyRevision: number;
  readonly givenAt: number;
  readonly expiresAt: number;
  readonly givenBy: string;
}

export interface Account {
  readonly server: string;
  readonly window: BudgetWindow;
  readonly windowStartAt: number;
  readonly settledMicros: number;
  /** Requests settled in this window, for the mean cost (G2). */
  readonly settledCount: number;
  readonly holds: readonly Hold[];
  readonly bucket: { readonly tokens: number; readonly refilledAt: number };
  /** Slots already promised to throttled requests (A8), epoch ms of the last one; 0 for none. */
  readonly ratePromisedAt: number;
  readonly concurrencyPromisedAt: number;
  readonly grants: readonly Grant[];
  readonly consents: readonly Consent[];
  /** Denied and unanswered dialogs of this window (K6). */
  readonly denials: number;
  readonly silences: number;
  readonly mutedUntilAt: number | null;
  /** Window in which the budget notice with its raise was already shown (E); null for none. */
  readonly budgetNoticedWindowAt: number | null;
  /** The latest instant this account has seen; a clock set back does not go before it (M5). */
  readonly latestAt: number;
}
