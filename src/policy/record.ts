/** The row kept for an exchange (SPEC L1). No prompt, no completion. */
import type { Usage } from "./catalog";
import type { Ending } from "./ending";
import type { Scope } from "./policy";
import type { Reason } from "./reasons";

/** One thing attached as context, for the consent and the record (C3). */
export interface ManifestEntry {
  readonly kind: "tool_run";
  readonly server: string;
  readonly tool: string;
  readonly runId: string;
  readonly tokens: number;
}

/** What is known of an exchange when it is decided; a hold carries it so that a dead tab's record can be written. */
export interface RecordDraft {
  readonly id: string;
  readonly server: string;
  /** `name:hex`; "" where the request was malformed. */
  readonly identity: string;
  /** The tool run the request arrived in; null outside any ("ambient"). */
  readonly runId: string | null;
  readonly tool: string | null;
  readonly receivedAt: number;
  readonly hints: readonly string[];
  readonly scopeAsked: Scope;
  readonly maxTokensAsked: number;
  readonly protocol: string;
  readonly transport: "http" | "websocket";
}

export interface ExchangeRecord extends RecordDraft {
  readonly decidedAt: number | null;
  readonly dispatchedAt: number | null;
  readonly endedAt: number;
  readonly ending: Ending;
  /** `malformed` for -32602. */
  readonly reason: Reason | "malformed" | null;
  /** The sentence for the person and the data the frame carried. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** SPEC rule that decided. */
  readonly because: string;
  readonly policyRevision: number;
  readonly modelUsed: string | null;
  readonly provider: string | null;
  readonly scopeGranted: Scope | null;
  readonly maxTokensGranted: number | null;
  readonly manifest: readonly ManifestEntry[];
  readonly estimatedInputTokens: number;
  readonly estimatedOutputTokens: number;
  readonly estimatedMicros: number;
  readonly usage: Usage | null;
  readonly chargedMicros: number;
  /** `reported` by the provider, `estimate` where it said nothing, `none` where nothing ran. */
  readonly chargeBasis: "reported" | "estimate" | "none";
  /** By how much the report exceeded the hold (M6), µ$. */
  readonly overrunMicros: number;
  readonly pricesAsOf: string;
  readonly grantIds: readonly string[];
  readonly consentId: string | null;
  /** Models tried before the one used (R2), in order. */
  readonly fellBackFrom: readonly string[];
  /** Who denied or allowed, where a person did. */
  readonly answeredBy: string | null;
  /** How often the stored decision was replayed. */
  readonly represented: number;
  /** Throttles of one server, reason and minute share a row (SPEC E); 1 elsewhere. */
  readonly count: number;
}
