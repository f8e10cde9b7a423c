/** Sentences for the person, plain words before reason codes. Nothing a server wrote is in them. */
import { dollars, dollarsApart, MICROS_PER_DOLLAR } from "./money";
import type { Policy } from "./policy";
import type { Reason } from "./reasons";
import type { ExchangeRecord } from "./record";
import { windowWord } from "./window";

export type Told = Pick<
  ExchangeRecord,
  "server" | "because" | "detail" | "endedAt" | "estimatedMicros" | "chargedMicros"
>;

/** One sentence or two that stand alone. Instants are `{at:epochMs}`, which the page shows in local time. */
export function sentenceFor(reason: Reason, told: Told, policy: Policy): string {
  const { server } = told;
  switch (reason) {
    case "policy.sampling_disabled":
      return `${server} asked for a model, but sampling is off for it.`;
    case "policy.no_permitted_model":
      return `${server} may use no model that is known here, so its request was refused.`;
    case "policy.model_unpriced":
      return `${word(told, "model")} has no price, so ${server}'s request was refused rather than run uncounted.`;
    case "policy.input_too_large":
      return `${server} sent ${count(told, "observed")} tokens and may send ${count(told, "limit")}, so its request was refused.`;
    case "policy.budget_exhausted":
      return `${limitReached(told, policy)} at {at:${told.endedAt}}. Resets ${at(told, "resetsAt")}.${whatIsLeft(told)}`;
    case "policy.rate_limit":
      return `${server} asks more often than ${policy.rateLimit.requestsPerMinute} times a minute. It may ask again ${at(told, "retryAt")}.`;
    case "policy.concurrency":
      return `${server} already has ${policy.maxConcurrent} requests running. It may ask again ${at(told, "retryAt")}.`;
    case "consent.pending":
      return `${server} waited for your consent and was told to come back later.`;
    case "user.denied":
      return denied(told);
    case "policy.deadline":
      return `${server}'s request was stopped at its deadline of ${policy.deadlineMs / 1000} s${costing(told)}. It may ask again ${at(told, "retryAt")}.`;
    case "provider.unavailable":
      return `No model that ${server} may use can be reached${costing(told)}. It may ask again ${at(told, "retryAt")}.`;
    case "provider.rejected":
      return `The model's provider rejected ${server}'s request with status ${count(told, "status")}${costing(told)}.${whatHelps(told)}`;
    case "provider.unsupported_content":
      return `No model that ${server} may use takes ${word(told, "block")} content, so its request was refused.`;
    case "storage.unavailable":
      return `${server}'s request cannot be recorded here, so it was refused, not run.`;
  }
}

/** "ci-triage reached its daily limit of $0.25". */
export function limitReached(told: Told, policy: Policy): string {
  const capUsd = told.detail.capUsd;
  const capMicros = typeof capUsd === "number" ? Math.round(capUsd * MICROS_PER_DOLLAR) : policy.budget.capMicros;
  return `${told.server} reached its ${windowWord(policy.budget.window)} limit of ${dollars(capMicros)}`;
}

/** A limit is reached before it is used up: what is left and what the request could have cost (M2); "" where nothing is. */
function whatIsLeft({ detail, estimatedMicros }: Told): string {
  const { capUsd, spentUsd } = detail;
  if (typeof capUsd !== "number" || typeof spentUsd !== "number") return "";
  const leftMicros = Math.round((capUsd - spentUsd) * MICROS_PER_DOLLAR);
  if (leftMicros <= 0 || estimatedMicros <= leftMicros) return "";
  const [left, cost] = dollarsApart(leftMicros, estimatedMicros);
  return ` ${left} was left, and this request could have cost ${cost}.`;
}

/** Quiet and mute answer without a dialog: nobody said no to this very request (K6). */
function denied({ server, because }: Told): string {
  if (because === "K6") return `${server} is kept from asking you in this window, so its request was answered no.`;
  return `You denied ${server}'s request.`;
}

/** What the person can do about a provider that said no to them, not to the server; "" where nothing is known. */
function whatHelps({ detail }: Told): string {
  if (detail.status === 401 || detail.status === 403) return " It did not take your key: see Settings.";
  if (detail.status === 402) return " Your account there cannot pay for it: add credit, or allow fewer output tokens.";
  return "";
}

function costing({ chargedMicros }: Told): string {
  return chargedMicros > 0 ? ` and cost ${dollars(chargedMicros)}` : "";
}

/** "at {at:…}" from an ISO instant the frame carried. */
function at(told: Told, key: string): string {
  const instant = instantIn(told.detail, key);
  return instant === null ? "later" : `at {at:${instant}}`;
}

export function instantIn(detail: ExchangeRecord["detail"], key: string): number | null {
  const value = detail[key];
  const instant = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(instant) ? null : instant;
}

function count({ detail }: Told, key: string): string {
  const value = detail[key];
  return typeof value === "number" ? value.toLocaleString("en-US") : "unknown";
}

function word({ detail }: Told, key: string): string {
  const value = detail[key];
  return typeof value === "string" ? value : "unknown";
}
