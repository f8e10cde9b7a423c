/** What the sampling driver is given; it has no globals of its own but Web Crypto. */
import type { Catalog } from "../../policy/catalog";
import type { ConsentAnswer, ConsentTerms } from "../../policy/decide";
import type { StoredDecision } from "../../policy/decision";
import type { Policy, Scope } from "../../policy/policy";
import type { ExchangeRecord, ManifestEntry, RecordDraft } from "../../policy/record";
import type { Message, SamplingRequest } from "../../policy/request";
import type { StepView } from "../api";
import type { Provider, ProviderFailure } from "../providers/provider";
import type { AdmitAsk, Store } from "../storage/store";

/** Models and providers as the driver needs them; `providers/registry.ts` implements it. */
export interface ModelDesk {
  catalog(): Catalog;
  forModel(model: string): Provider | undefined;
  /** After a 429 or 529, everything on that key backs off (R7). */
  noteFailure(provider: string, failure: ProviderFailure): void;
}

/** Context a scope grants, as messages to put before the server's own, with what they are (C2, C3). */
export interface Context {
  readonly messages: readonly Message[];
  readonly manifest: readonly Omit<ManifestEntry, "tokens">[];
}

/** Where the person follows an exchange (R5, E). */
export interface Watcher {
  step(runId: string | null, step: StepView): void;
  /** Its line is not wanted after all. */
  withdrawn(runId: string | null, stepId: string): void;
  /** A stored decision answered again (A4); `draft` is of the request that was answered. */
  replayed(draft: RecordDraft, decision: StoredDecision): void;
  /** The exchange ended and its record is committed, or will be with the next transaction. */
  ended(record: ExchangeRecord, facts: EndFacts): void;
  loopAlert(server: string, identity: string, represented: number): void;
}

export interface EndFacts {
  /** First budget refusal of this server and window: the notice with the raise (E). */
  readonly firstBudgetNotice: boolean;
}

/** The policy was edited while a dialog was open: what it said no longer holds, so it is decided anew (A3). */
export type TermsChanged = "terms_changed";

/** One dialog per server; see `consent-desk.ts`. */
export interface ConsentDesk {
  /** Resolves with the person's answer, `unanswered` at the time limit, or null when `signal` aborted first (K7). */
  ask(question: ConsentQuestion): Promise<ConsentAnswer | TermsChanged | null>;
  /**
   * Waits for this server's turn to open a dialog, in this tab and across tabs (K2), and behind a late dialog of
   * another request in any of them, which stays until it is answered (K5); null when `untilAt` passed or
   * `signal` aborted first. Call the function it resolves with to give the turn back.
   */
  turn(wanted: ConsentTurn, onWait: () => void): Promise<(() => void) | null>;
}

export interface ConsentTurn {
  readonly server: string;
  readonly identity: string;
  readonly untilAt: number;
  readonly signal: AbortSignal;
}

export interface ConsentQuestion {
  readonly server: string;
  readonly request: SamplingRequest;
  /** What was asked of `admit`; a late denial is decided with it. */
  readonly ask: Omit<AdmitAsk, "consent">;
  readonly terms: ConsentTerms;
  /** Of the policy it was decided under: what is known of it elsewhere in the tab may be older. */
  readonly mode: Policy["consent"];
  /** Asked again, since the policy was edited meanwhile. */
  readonly termsChanged: boolean;
  /** When the server must be answered (K5). */
  readonly answerByAt: number;
  readonly signal: AbortSignal;
}

export interface DriverDeps {
  readonly store: Store;
  readonly models: ModelDesk;
  readonly consent: ConsentDesk;
  readonly watcher: Watcher;
  readonly context: (scope: Scope, server: string, exceptRunId: string | null) => Context;
  readonly toolOf: (runId: string) => string | null;
  /** Something that must not happen did; it is answered -32603 and told here. */
  readonly onBug: (error: unknown) => void;
  /** This tab's id. */
  readonly tab: string;
  readonly now: () => number;
  readonly newId: () => string;
}
