/** What the server is told: the one error frame of a refusal, and what a result says of trimming (SPEC W). */
import type { Plan } from "./account";
import { WIRE_SCOPES } from "./context";
import { dollars, MICROS_PER_DOLLAR } from "./money";
import { REASONS, type Refusal } from "./reasons";
import type { Malformed } from "./request";

export interface Frame {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const INVALID_PARAMS = -32602;
const MAX_MESSAGE_CHARS = 500;

/** The frame of one refusal. A replay of the same refusal is equal in every field (A4). */
export function refusalFrame(server: string, refusal: Refusal): Frame {
  const { code, retryable } = REASONS[refusal.reason];
  const verb = retryable ? "Sampling not possible now" : "Sampling refused";
  return {
    code,
    // Some SDKs drop `data`: whoever, why and when must be in the one line they keep (W3).
    message: oneLine(`${verb} for ${server}: ${refusal.reason}. ${explained(refusal)}`),
    data: { reason: refusal.reason, server, retryable, ...refusal.data },
  };
}

export function malformedFrame(server: string, { path, problem }: Malformed): Frame {
  const where = path === "" ? "params" : path;
  return {
    code: INVALID_PARAMS,
    message: oneLine(`Malformed sampling request from ${server} at ${where}: ${problem}. Do not retry unchanged.`),
    data: { reason: "malformed", server, retryable: false, path, problem },
  };
}

function explained(refusal: Refusal): string {
  switch (refusal.reason) {
    case "policy.sampling_disabled":
      return "It is switched off for this server. Do not retry.";
    case "policy.no_permitted_model":
      return "None of the models this server may use is known here. Do not retry.";
    case "policy.model_unpriced":
      return `The model ${refusal.data.model} has no price. Do not retry.`;
    case "policy.input_too_large":
      return `The input is ${refusal.data.observed} tokens, the limit ${refusal.data.limit}. Do not retry unchanged.`;
    case "policy.budget_exhausted": {
      const { capUsd, spentUsd, resetsAt } = refusal.data;
      const spent = `${usd(spentUsd)} of its budget of ${usd(capUsd)} is spent or reserved`;
      return `${spent}. Do not retry before it resets at ${resetsAt}.`;
    }
    case "policy.rate_limit":
      return `Too many requests. Retry at ${refusal.data.retryAt}.`;
    case "policy.concurrency":
      return `Too many requests at once. Retry at ${refusal.data.retryAt}.`;
    case "consent.pending":
      return `The person has not answered yet. Retry at ${refusal.data.retryAt}.`;
    case "user.denied":
      return "The person said no. Do not retry.";
    case "policy.deadline":
      return `It took longer than its deadline. Retry at ${refusal.data.retryAt}.`;
    case "provider.unavailable":
      return `No permitted model can be reached. Retry at ${refusal.data.retryAt}.`;
    case "provider.rejected":
      return `The model's provider rejected it with status ${refusal.data.status}. Do not retry.`;
    case "provider.unsupported_content":
      return `No permitted model takes ${refusal.data.block} content. Do not retry unchanged.`;
    case "storage.unavailable":
      return "It cannot be recorded here, so it is not run. Do not retry.";
  }
}

function usd(amount: number): string {
  return dollars(Math.round(amount * MICROS_PER_DOLLAR));
}

/** Control characters become spaces: a name can neither break the line nor make it endless. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, MAX_MESSAGE_CHARS);
}

/** `_meta` of a result: only what was not run as asked (W6); undefined where all was. */
export function resultMeta(plan: Plan): Readonly<Record<string, unknown>> | undefined {
  const { scopeAsked, scopeGranted, maxTokensAsked, maxTokensGranted, hints, hintIgnored, model } = plan;
  const meta: Record<string, unknown> = {};
  if (scopeGranted !== scopeAsked) {
    meta.context = {
      requested: WIRE_SCOPES[scopeAsked],
      applied: WIRE_SCOPES[scopeGranted],
      reason: "policy.max_scope",
    };
  }
  if (maxTokensGranted !== maxTokensAsked) {
    meta.maxTokens = { requested: maxTokensAsked, applied: maxTokensGranted, reason: "policy.max_output_tokens" };
  }
  if (hintIgnored) meta.model = { requested: hints, applied: model, reason: "policy.models" };
  return Object.keys(meta).length === 0 ? undefined : meta;
}
