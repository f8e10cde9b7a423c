/** The row kept for an exchange (SPEC L1). No prompt, no completion. */
import type { OrphanedHold } from "./account";
import type { Usage } from "./catalog";
import { narrower } from "./context";
import type { Verdict } from "./decide";
import type { Ending } from "./ending";
import type { PolicyRevision, Scope } from "./policy";
import type { Reason } from "./reasons";
import { sentenceFor } from "./wording";

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
  /** The tab it runs in, so that others can tell when it is gone (M4). */
  readonly tab?: string;
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

/** Reasons that answer before context is looked at (A1): of those it cannot be said what would have been granted. */
const BEFORE_CONTEXT: ReadonlySet<Reason> = new Set([
  "policy.sampling_disabled",
  "policy.concurrency",
  "policy.rate_limit",
  "storage.unavailable",
]);

/** What a record says where nothing ran and nothing was charged. */
export const NOTHING_RAN = {
  decidedAt: null,
  dispatchedAt: null,
  modelUsed: null,
  provider: null,
  scopeGranted: null,
  maxTokensGranted: null,
  manifest: [],
  estimatedInputTokens: 0,
  estimatedOutputTokens: 0,
  estimatedMicros: 0,
  usage: null,
  chargedMicros: 0,
  chargeBasis: "none",
  overrunMicros: 0,
  pricesAsOf: "",
  grantIds: [],
  consentId: null,
  fellBackFrom: [],
  answeredBy: null,
  represented: 0,
  count: 1,
} as const satisfies Partial<ExchangeRecord>;

/** The record of an exchange that was refused: what it asked, what it would have been given, and why not. */
export function recordFor(
  draft: RecordDraft,
  verdict: Extract<Verdict, { kind: "refuse" | "malformed" }>,
  { policy, revision }: PolicyRevision,
  now: number,
): ExchangeRecord {
  const common = { ...draft, ...NOTHING_RAN, decidedAt: now, endedAt: now, policyRevision: revision };
  const { because } = verdict;
  if (verdict.kind === "malformed") {
    const { path, problem } = verdict;
    return { ...common, ending: "refused", reason: "malformed", because, detail: { path, problem } };
  }
  const { reason, data } = verdict.refusal;
  const estimatedMicros = verdict.plan?.estimateMicros ?? 0;
  const told = {
    server: draft.server,
    because,
    detail: { ...data },
    endedAt: now,
    estimatedMicros,
    chargedMicros: 0,
  };
  return {
    ...common,
    ...(BEFORE_CONTEXT.has(reason) ? {} : { scopeGranted: narrower(draft.scopeAsked, policy.maxContextScope) }),
    ...(verdict.plan === null ? {} : planned(verdict.plan)),
    ending: verdict.ending,
    reason,
    because,
    detail: { ...data, sentence: sentenceFor(reason, told, policy) },
    fellBackFrom: verdict.tried,
    answeredBy: verdict.answeredBy,
  };
}

/** The record of a hold whose holder died: its outcome is unknown, its money is charged if the call had left (M4). */
export function lostRecord({ hold, chargedMicros }: OrphanedHold, now: number): ExchangeRecord {
  return {
    ...hold.draft,
    ...NOTHING_RAN,
    ...planned(hold.plan),
    decidedAt: hold.heldAt,
    dispatchedAt: hold.dispatchedAt,
    endedAt: now,
    ending: "lost",
    reason: null,
    because: "M4",
    detail: {},
    policyRevision: hold.plan.policyRevision,
    modelUsed: hold.dispatchedAt === null ? null : hold.plan.model,
    chargedMicros,
    chargeBasis: hold.dispatchedAt === null ? "none" : "estimate",
  };
}

/** What a plan says of an exchange, for its record. */
export function planned(plan: OrphanedHold["hold"]["plan"]): Partial<ExchangeRecord> {
  return {
    provider: plan.provider,
    scopeGranted: plan.scopeGranted,
    maxTokensGranted: plan.maxTokensGranted,
    manifest: plan.manifest,
    estimatedInputTokens: plan.inputTokens,
    estimatedOutputTokens: plan.maxTokensGranted,
    estimatedMicros: plan.estimateMicros,
    pricesAsOf: plan.pricesAsOf,
    grantIds: plan.grantIds,
    consentId: plan.consentId,
    fellBackFrom: plan.fellBackFrom,
  };
}
