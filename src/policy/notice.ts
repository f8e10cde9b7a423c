/** The statements shown inline on the output whose quality they explain (SPEC E). */
import { SCOPES_IN_WORDS } from "./context";
import type { Gauge } from "./gauge";
import { isRaisable, offerFor, type RaiseOffer } from "./grant";
import type { PolicyRevision } from "./policy";
import { REASONS, type Reason, type Surface } from "./reasons";
import type { ExchangeRecord } from "./record";
import { instantIn, limitReached, sentenceFor } from "./wording";

/** A statement shown inline on the output it explains. Never server text. */
export interface Notice {
  readonly id: string;
  /** The record it explains. */
  readonly recordId: string;
  readonly server: string;
  readonly tone: "info" | "limit" | "fault";
  readonly reason: Reason | "policy.max_scope" | "policy.max_output_tokens" | "policy.models" | "fallback";
  /** The rule that decided, as its record has it: a denial by K6 was no act of the person's. Absent on those kept before. */
  readonly because?: string;
  /** One sentence or two that stand alone. Instants inside are `{at:epochMs}`, which the page shows in local time. */
  readonly text: string;
  /** When it changes, epoch ms; null if nothing is scheduled. */
  readonly changesAt: number | null;
  readonly raise: RaiseOffer | null;
  /** The one-line form for later outputs of the same window. */
  readonly short: boolean;
}

export interface NoticeFacts {
  readonly firstBudgetNotice: boolean;
  /** The throttle ended the tool call; only then is it said inline. */
  readonly endedCall?: boolean;
}

/** Where the server stands now; a `ServerView` has it. */
export interface Standing {
  readonly policy: PolicyRevision;
  readonly gauge: Gauge;
}

const TONES = {
  "policy.sampling_disabled": "info",
  "policy.no_permitted_model": "info",
  "policy.model_unpriced": "info",
  "policy.input_too_large": "limit",
  "policy.budget_exhausted": "limit",
  "policy.rate_limit": "limit",
  "policy.concurrency": "limit",
  "consent.pending": "info",
  "user.denied": "info",
  "policy.deadline": "fault",
  "provider.unavailable": "fault",
  "provider.rejected": "fault",
  "provider.unsupported_content": "info",
  "storage.unavailable": "fault",
} as const satisfies Record<Reason, Notice["tone"]>;

/** Every notice a record puts on its output: one for a refusal, one for each thing that was not run as asked. */
export function noticesFor(record: ExchangeRecord, view: Standing, facts: NoticeFacts, now: number): readonly Notice[] {
  if (record.reason === "malformed") return [];
  if (record.reason === null) return record.ending === "trimmed" ? trimmings(record) : [];
  const refused = refusalNotice(record, record.reason, view, facts, now);
  return refused === null ? [] : [refused];
}

function refusalNotice(
  record: ExchangeRecord,
  reason: Reason,
  view: Standing,
  facts: NoticeFacts,
  now: number,
): Notice | null {
  const surface: Surface = REASONS[reason].surface;
  if (surface === "log" || surface === "dialog_or_chip") return null;
  if (surface === "log_unless_it_ended_the_call" && facts.endedCall !== true) return null;
  const { policy } = view.policy;
  const short = surface === "inline_once_per_window" && !facts.firstBudgetNotice;
  const resetsAt = instantIn(record.detail, "resetsAt");
  const changesAt = resetsAt ?? instantIn(record.detail, "retryAt");
  return {
    ...partsOf(record),
    id: `${record.id}:${reason}`,
    tone: TONES[reason],
    reason,
    text: short ? stillAtLimit(record, view, resetsAt) : sentenceFor(reason, record, policy),
    changesAt,
    // Also on the short line: a person who meets only that one must not be left without the way on.
    raise: resetsAt !== null && resetsAt <= now ? null : raiseOn(reason, view),
    short,
  };
}

function stillAtLimit(record: ExchangeRecord, view: Standing, resetsAt: number | null): string {
  const reset = resetsAt === null ? "" : ` Resets at {at:${resetsAt}}.`;
  return `Refused: ${limitReached(record, view.policy.policy)}.${reset}`;
}

function raiseOn(reason: Reason, { policy, gauge }: Standing): RaiseOffer | null {
  if (!isRaisable(reason)) return null;
  return offerFor(reason, policy.policy, { meanMicros: gauge.meanMicros, expiresAt: gauge.resetsAt });
}

/** What a completion was given less of than was asked, each said first in plain words (W6, R2). */
function trimmings(record: ExchangeRecord): readonly Notice[] {
  const { server, scopeAsked, scopeGranted, maxTokensAsked, maxTokensGranted, modelUsed, fellBackFrom } = record;
  const said: [Notice["reason"], string][] = [];
  if (scopeGranted !== null && scopeGranted !== scopeAsked) {
    const [asked, given] = [SCOPES_IN_WORDS[scopeAsked], SCOPES_IN_WORDS[scopeGranted]];
    said.push(["policy.max_scope", `${server} asked for ${asked}, was given ${given}.`]);
  }
  if (maxTokensGranted !== null && maxTokensGranted < maxTokensAsked) {
    const [asked, given] = [maxTokensAsked.toLocaleString("en-US"), maxTokensGranted.toLocaleString("en-US")];
    said.push(["policy.max_output_tokens", `${server} asked for ${asked} tokens of output, was given ${given}.`]);
  }
  if (modelUsed !== null && fellBackFrom.length > 0) {
    said.push(["fallback", `${fellBackFrom.join(", ")} could not be reached, so this ran on ${modelUsed}.`]);
  } else if (modelUsed !== null && !hintMet(record.hints, modelUsed)) {
    said.push(["policy.models", `${server} asked for another model, was given ${modelUsed}.`]);
  }
  return said.map(([reason, text]) => ({
    ...partsOf(record),
    id: `${record.id}:${reason}`,
    tone: "info",
    reason,
    text,
    changesAt: null,
    raise: null,
    short: false,
  }));
}

/** A hint is met by a name that contains it, or by the name it is a dated id of (R1). */
function hintMet(hints: readonly string[], modelUsed: string): boolean {
  const used = modelUsed.toLowerCase();
  const named = hints.map((hint) => hint.trim().toLowerCase()).filter((hint) => hint !== "");
  return named.length === 0 || named.some((hint) => used.includes(hint) || hint.startsWith(used));
}

function partsOf(record: ExchangeRecord): Pick<Notice, "recordId" | "server" | "because"> {
  return { recordId: record.id, server: record.server, because: record.because };
}
