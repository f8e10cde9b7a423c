/**
 * What the worker may ask of storage; this comment is its specification, `contract/` its test suite.
 *
 * - A method that resolved has committed. A method that rejects with `StorageUnavailable` changed nothing.
 * - An `admit` or `settle` is one read-write transaction (A2), which what arrives meanwhile may share (A7).
 *   Between the start and the end of a transaction nothing but its own requests is awaited.
 * - Acts of the person (policy, grant, forget, consent) resolve only after every tab's replay memory was emptied.
 * - Reads see what was committed before they started. Lists are newest first.
 * - Between tabs only ids travel.
 */
import type { Account, Consent, Grant, OrphanedHold } from "../../policy/account";
import type { Usage } from "../../policy/catalog";
import type { DecideInput, Verdict } from "../../policy/decide";
import type { Identity, StoredDecision } from "../../policy/decision";
import type { Ending } from "../../policy/ending";
import type { Policy, PolicyRevision } from "../../policy/policy";
import type { Reason } from "../../policy/reasons";
import type { ExchangeRecord } from "../../policy/record";

/** Storage is refused, full, blocked, lost, or newer than this code; the worker answers `storage.unavailable` (D4). */
export class StorageUnavailable extends Error {
  constructor(
    readonly problem: "refused" | "full" | "blocked" | "lost" | "newer_version" | "failed",
    message: string,
  ) {
    super(message);
    this.name = "StorageUnavailable";
  }
}

/** A registered server as kept. Header values are secrets and never leave the worker. */
export interface ServerRow {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Connect when the page opens. */
  readonly autoConnect: boolean;
  readonly addedAt: number;
  /** Protocol era learnt last time, so that a probe is not repeated; null before. */
  readonly era: "legacy" | "modern" | null;
}

/** The setting that keeps what is known of a server's tools; it goes with the server. */
export function toolsKeyOf(server: string): string {
  return `tools:${server}`;
}

export type AdmitAsk = Omit<DecideInput, "policy" | "account" | "prior">;

/** A verdict that has been committed, with what it was decided on. */
export interface Admitted {
  readonly verdict: Verdict;
  readonly policy: PolicyRevision;
  /** The record written with a refusal; null for other verdicts (those are written by `settle`). */
  readonly record: ExchangeRecord | null;
}

/** How one exchange that held money ended. */
export interface Settlement {
  readonly server: string;
  readonly exchangeId: string;
  readonly charge:
    | { readonly basis: "reported"; readonly micros: number; readonly usage: Usage }
    | { readonly basis: "estimate"; readonly micros: number }
    | { readonly basis: "none" };
  /** Everything of the record but what `settle` knows itself: charge, overrun. */
  readonly record: ExchangeRecord;
  /** A refusal to remember with it: deadline, provider reasons. */
  readonly decision: StoredDecision | null;
  /** The consent this exchange used up by its charge; counted in `settle`. */
  readonly consentId: string | null;
  readonly now: number;
}

export type Settled =
  | { readonly outcome: "settled"; readonly record: ExchangeRecord }
  /** The hold was closed before (by recovery or an earlier settle); nothing was charged again (M4). */
  | { readonly outcome: "already_closed" };

export interface RecordFilter {
  readonly server: string | null;
  readonly endings: readonly Ending[];
  readonly model: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** Cursor of a page: the last row's `endedAt` and id; null for the newest page. */
export interface RecordCursor {
  readonly endedAt: number;
  readonly id: string;
}

export interface RecordPage {
  readonly rows: readonly ExchangeRecord[];
  readonly next: RecordCursor | null;
}

/** Cursor of a page of events: the last row's instant and id; null for the newest page. */
export interface EventCursor {
  readonly at: number;
  readonly id: string;
}

/** A day's sums per server, model and ending; kept for good (L4). */
export interface DayRow {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly server: string;
  readonly model: string;
  readonly ending: Ending;
  readonly count: number;
  readonly represented: number;
  readonly estimatedMicros: number;
  readonly chargedMicros: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A line of the log that is not an exchange: edits, grants, connections, storage, loop alerts. */
export interface LogEvent {
  readonly id: string;
  readonly at: number;
  readonly server: string | null;
  readonly kind:
    | "policy_saved"
    | "policy_imported"
    | "grant"
    | "consent_given"
    | "consent_revoked"
    | "forgotten"
    | "loop_alert"
    | "quiet"
    | "muted"
    | "server_added"
    | "server_removed"
    | "storage"
    | "decisions_dropped"
    | "overrun"
    | "paused"
    | "tools_changed"
    | "price_edited"
    | "provider_edited";
  /** Our own sentence, never server text. */
  readonly text: string;
  readonly by: string;
}

/** One tool run with its nested steps and notices, as the transcript keeps it (E1). Shape owned by `api.ts`. */
export interface RunRow {
  readonly id: string;
  readonly server: string;
  readonly startedAt: number;
  readonly run: unknown;
}

/** One change that was committed, here or in another tab; carries ids, never data. */
export type Change =
  | { readonly kind: "account"; readonly server: string }
  | { readonly kind: "policy"; readonly server: string }
  | { readonly kind: "servers" }
  | { readonly kind: "records"; readonly ids: readonly string[] }
  | { readonly kind: "events" }
  | { readonly kind: "runs"; readonly id: string }
  | { readonly kind: "settings" };

export interface StorageHealth {
  readonly state: "ok" | "unavailable" | "amnesia";
  /** Answer of `navigator.storage.persist()`; null where it was not asked or is unknown. */
  readonly persisted: boolean | null;
  readonly usageBytes: number | null;
  readonly quotaBytes: number | null;
  readonly problem: string | null;
  /** D7: what the witness knew that the store no longer holds. */
  readonly lost: {
    readonly servers: readonly string[];
    readonly since: number;
    /** In our words, where something is left; empty where nothing is. */
    readonly missing: readonly string[];
  } | null;
}

export interface Store {
  health(): StorageHealth;
  /** D7: the person has seen the loss; servers may be enabled again. */
  confirmLoss(by: string, now: number): Promise<void>;

  admit(ask: AdmitAsk): Promise<Admitted>;
  settle(settlement: Settlement): Promise<Settled>;
  /**
   * The record as it will be kept: one that costs nothing to cause shares a row with others, after the first few of its
   * minute (E). To be called once for each, before it is shown or written.
   */
  rowOf(record: ExchangeRecord): ExchangeRecord;
  /** Writes a record with no hold behind it (malformed, cancelled before a decision). */
  writeRecord(record: ExchangeRecord): Promise<void>;
  /**
   * A live decision from the replay memory; undefined when memory does not know. A hit is counted (A4) and flushed
   * within a second. Synchronous, no transaction.
   */
  replay(
    identity: Identity,
    now: number,
  ): { readonly decision: StoredDecision; readonly loopAlert: boolean } | undefined;
  /** Latest known account and policy, from memory; for the cheap first pass (A1). */
  latest(server: string): { readonly account: Account; readonly policy: PolicyRevision } | undefined;
  /** Closes the holds of dead tabs, everywhere (M4). Called at start and when a hold's time is up. */
  recover(now: number, liveTabs?: ReadonlySet<string>): Promise<readonly OrphanedHold[]>;

  servers(): Promise<readonly ServerRow[]>;
  putServer(row: ServerRow): Promise<void>;
  /** Removes the server, its policy stays in the revisions; account, decisions and what is known of its tools go. */
  removeServer(name: string, by: string, now: number): Promise<void>;

  account(server: string, now: number): Promise<Account>;
  policy(server: string): Promise<PolicyRevision>;
  revisions(server: string): Promise<readonly PolicyRevision[]>;
  /** One transaction for all of them (P2: whole or not at all). Same values make no revision (P3). Returns what changed. */
  savePolicies(edits: ReadonlyMap<string, Policy>, by: string, now: number): Promise<readonly PolicyRevision[]>;
  /** As `savePolicies`, for all there are: a server that is not among `all` may not sample any more (P1, P2). */
  replacePolicies(all: ReadonlyMap<string, Policy>, by: string, now: number): Promise<readonly PolicyRevision[]>;
  /** The last imported file text, so that comments survive an export; null before. */
  policyFileText(): Promise<string | null>;
  putPolicyFileText(text: string): Promise<void>;

  /**
   * Writes grant, drops that server's budget (or rate) decisions and nothing else (G4). False where one was given on
   * this record before, in whichever tab; nothing changes then.
   */
  addGrant(grant: Grant, now: number): Promise<boolean>;
  /** This and the two below do nothing for a server that may not sample and has no account, as one that was removed. */
  addConsent(server: string, consent: Consent, now: number): Promise<void>;
  revokeConsents(server: string, by: string, now: number): Promise<void>;
  /** Lifts quiet and mute of a server (the chip, K6). */
  listenAgain(server: string, by: string, now: number): Promise<void>;
  /** G5: grants of the last `days` days, newest first. */
  grants(server: string | null, since: number): Promise<readonly Grant[]>;

  decisions(server: string): Promise<readonly StoredDecision[]>;
  forgetDecision(identity: Identity, by: string, now: number): Promise<void>;
  /** A price or provider edit: drops decisions whose reason ends with it. */
  dropDecisions(reasons: readonly Reason[]): Promise<void>;

  records(filter: RecordFilter, before: RecordCursor | null, limit: number): Promise<RecordPage>;
  record(id: string): Promise<ExchangeRecord | undefined>;
  days(from: string, to: string): Promise<readonly DayRow[]>;
  events(before: EventCursor | null, limit: number): Promise<readonly LogEvent[]>;
  addEvent(event: LogEvent): Promise<void>;

  runs(limit: number): Promise<readonly RunRow[]>;
  run(id: string): Promise<RunRow | undefined>;
  putRun(row: RunRow): Promise<void>;
  clearRuns(): Promise<void>;

  /** Small settings by key: profile name, price overrides, provider settings, wrapped keys. Structured-clonable. */
  setting<T>(key: string): Promise<T | undefined>;
  putSetting(key: string, value: unknown): Promise<void>;

  /** Writes what waits in memory to be counted; for the moment before the page goes away. Never rejects. */
  flush(): Promise<void>;
  onChange(listener: (change: Change, origin: "here" | "another_tab") => void): () => void;
}
