/** The provider call of one admitted exchange: under its deadline, settled to what was reported (SPEC R, M3). */
import type { Plan } from "../../policy/account";
import type { Usage } from "../../policy/catalog";
import { decisionFor } from "../../policy/decision";
import { refusalFrame, resultMeta } from "../../policy/frame";
import { resolveModel } from "../../policy/model-choice";
import { costMicros } from "../../policy/price";
import { REASONS, type Refusal } from "../../policy/reasons";
import type { ExchangeRecord } from "../../policy/record";
import type { Block } from "../../policy/request";
import { isoOf } from "../../policy/window";
import type { SamplingAnswer } from "../mcp/incoming";
import type { ProviderFailure, ProviderOutcome } from "../providers/provider";
import { type Settlement, StorageUnavailable } from "../storage/store";
import { answerAfterAbort } from "./after-abort";
import { startDeadline } from "./deadline";
import type { DriverDeps } from "./deps";
import { recordOfLive } from "./endings";
import type { Live } from "./live";

/** First revision in which a result may hold a list of blocks; older ones know one block only. */
const LISTS_SINCE = "2025-11-25";

/** A provider cannot switch a request off for longer than this by a header. */
const LONGEST_BACKOFF_MS = 600_000;

export type Ran =
  | { readonly kind: "answer"; readonly answer: SamplingAnswer | null }
  /** The provider is unavailable and nothing was spent: another allowlisted model may be tried (R2). */
  | { readonly kind: "fall_back" };

export async function runPlan(deps: DriverDeps, live: Live, plan: Plan, decidedAt: number): Promise<Ran> {
  const { exchange, line, measured } = live;
  const provider = deps.models.forModel(plan.model);
  if (provider === undefined || measured === null) throw new Error(`nothing to run for ${plan.model}`);
  const startedAt = deps.now();
  const deadline = startDeadline(plan.deadlineMs, deps.now);
  const generating = { phase: "generating", model: plan.model, startedAt, deadlineAt: deadline.at } as const;
  line.phase({ ...generating, outputTokens: 0 });
  const outcome = await provider
    .run(
      {
        ...measured.prompt,
        model: plan.model,
        maxTokens: plan.maxTokensGranted,
        temperature: exchange.request.temperature,
        stopSequences: exchange.request.stopSequences,
      },
      (outputTokens) => {
        line.phase({ ...generating, outputTokens });
        deadline.look();
      },
      AbortSignal.any([deadline.signal, exchange.incoming.signal]),
    )
    .finally(deadline.stop);
  if (!outcome.ok) deps.models.noteFailure(plan.provider, outcome.failure);
  if (mayFallBack(outcome)) return { kind: "fall_back" };
  const usageCounted = !outcome.ok && outcome.usageCounted === true;
  const run = { deps, live, plan, decidedAt, startedAt, usage: outcome.usage, usageCounted };
  if (outcome.ok) return { kind: "answer", answer: completed(run, outcome) };
  return { kind: "answer", answer: await failed(run, outcome) };
}

interface Run {
  readonly deps: DriverDeps;
  readonly live: Live;
  readonly plan: Plan;
  readonly decidedAt: number;
  readonly startedAt: number;
  readonly usage: Usage | null;
  /** Part of the usage was counted here, not reported (K4-03). */
  readonly usageCounted: boolean;
}

function mayFallBack(outcome: ProviderOutcome): boolean {
  return !outcome.ok && outcome.failure.kind === "unavailable" && !outcome.mayHaveCost;
}

/** The reply goes out first: the hold covers the charge until it is settled (A7). */
function completed(run: Run, outcome: Extract<ProviderOutcome, { ok: true }>): SamplingAnswer | null {
  const { plan, live, deps } = run;
  const meta = resultMeta(plan);
  const other = outcome.model !== plan.model && resolveModel(deps.models.catalog(), outcome.model) !== plan.model;
  const trimmed = meta !== undefined || plan.fellBackFrom.length > 0 || other;
  const charge = chargeOf(run, outcome.model, true);
  const cancelled = live.exchange.incoming.signal.aborted;
  const record = recordFields(run, charge, {
    ending: cancelled ? "cancelled" : trimmed ? "trimmed" : "completed",
    because: "A",
    modelUsed: outcome.model,
    detail: { stopReason: outcome.stopReason },
  });
  live.line.ended(record);
  // Where this fails the hold stays and is charged in full when it expires: late, never too little.
  deps.store.settle(settlementOf(run, charge, record, null)).catch(() => undefined);
  if (cancelled) return answerAfterAbort(live.exchange.incoming, deps.now());
  const content = contentFor(live.exchange.incoming.protocol, outcome.content);
  const result = { role: "assistant", content, model: outcome.model, stopReason: outcome.stopReason };
  return { result: meta === undefined ? result : { ...result, _meta: meta } };
}

/** A refusal's decision is committed before its frame leaves (A7). */
async function failed(run: Run, outcome: Extract<ProviderOutcome, { ok: false }>): Promise<SamplingAnswer | null> {
  const { deps, live, plan } = run;
  const { incoming, draft } = live.exchange;
  const charge = chargeOf(run, plan.model, outcome.mayHaveCost);
  const now = deps.now();
  if (outcome.failure.kind === "aborted" && incoming.signal.aborted) {
    const record = recordFields(run, charge, {
      ending: "cancelled",
      because: "K7",
      detail: { cause: incoming.signal.reason },
    });
    live.line.ended(record);
    await deps.store.settle(settlementOf(run, charge, record, null)).catch(() => undefined);
    return answerAfterAbort(incoming, now);
  }
  const refusal = refusalOf(outcome.failure, now);
  const record = recordFields(run, charge, {
    ending: refusal.reason === "policy.deadline" ? "timed_out" : "failed",
    reason: refusal.reason,
    because: refusal.reason === "policy.deadline" ? "R4" : "R2",
    detail: { ...refusal.data, ...providerDetail(outcome.failure) },
  });
  const decision = decisionFor({ draft, refusal, because: record.because, policyRevision: plan.policyRevision, now });
  try {
    await deps.store.settle(settlementOf(run, charge, record, decision));
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    live.line.ended(record);
    return { error: refusalFrame(incoming.server, { reason: "storage.unavailable", data: {} }) };
  }
  live.line.ended(record);
  return { error: refusalFrame(incoming.server, refusal) };
}

function refusalOf(failure: ProviderFailure, now: number): Refusal {
  switch (failure.kind) {
    case "aborted":
      return { reason: "policy.deadline", data: { retryAt: isoOf(now + REASONS["policy.deadline"].retryAfterMs) } };
    case "unavailable": {
      const asked = Math.min(failure.retryAfterMs ?? 0, LONGEST_BACKOFF_MS);
      const waitMs = Math.max(asked, REASONS["provider.unavailable"].retryAfterMs);
      return { reason: "provider.unavailable", data: { retryAt: isoOf(now + waitMs) } };
    }
    case "rejected":
      return { reason: "provider.rejected", data: { status: failure.status } };
    case "unsupported_content":
      return { reason: "provider.unsupported_content", data: { block: failure.block } };
  }
}

function providerDetail(failure: ProviderFailure): Record<string, unknown> {
  return failure.kind === "unavailable" || failure.kind === "rejected" ? { providerSays: failure.detail } : {};
}

/** Reported usage at the price of the model that ran (K4-11); else the estimate, marked so; nothing where nothing left. */
function chargeOf(run: Run, modelRan: string, mayHaveCost: boolean): Settlement["charge"] {
  const { plan, usage, deps } = run;
  if (usage === null) return mayHaveCost ? { basis: "estimate", micros: plan.estimateMicros } : { basis: "none" };
  const catalog = deps.models.catalog();
  const ran = resolveModel(catalog, modelRan) ?? plan.model;
  const price = catalog.models.find((model) => model.id === ran)?.price;
  const planned = catalog.models.find((model) => model.id === plan.model)?.price;
  const known = price ?? planned;
  if (known === null || known === undefined) return { basis: "estimate", micros: plan.estimateMicros };
  if (run.usageCounted) return { basis: "estimate", micros: costMicros(known, usage) };
  return { basis: "reported", micros: costMicros(known, usage), usage };
}

function recordFields(run: Run, charge: Settlement["charge"], outcome: Partial<ExchangeRecord>): ExchangeRecord {
  const { plan, live, deps } = run;
  return recordOfLive(
    live,
    {
      decidedAt: run.decidedAt,
      dispatchedAt: run.startedAt,
      modelUsed: plan.model,
      usage: run.usage,
      chargedMicros: charge.basis === "none" ? 0 : charge.micros,
      chargeBasis: charge.basis,
      ...outcome,
    },
    deps.now(),
  );
}

function settlementOf(
  run: Run,
  charge: Settlement["charge"],
  record: ExchangeRecord,
  decision: Settlement["decision"],
): Settlement {
  const { server, id } = run.live.exchange.draft;
  const { consentId } = run.plan;
  return { server, exchangeId: id, charge, record, decision, consentId, now: run.deps.now() };
}

/** One block alone where a list is not yet known to the protocol revision: texts are joined, nothing is dropped. */
function contentFor(protocol: string, content: readonly Block[]): unknown {
  if (content.length === 1) return content[0];
  if (protocol >= LISTS_SINCE) return content;
  const texts = content.map((block) => (block.type === "text" ? block.text : JSON.stringify(block)));
  return { type: "text", text: texts.join("") };
}
