/** Every reason in words for someone who does not know the protocol; the code itself is one click away. */
import type { ExchangeRecord } from "../../../worker/api";

export type ReasonCode = NonNullable<ExchangeRecord["reason"]>;

interface Words {
  /** After an ending word on one line: "refused · budget used up". */
  readonly short: string;
  /** A sentence that stands alone. */
  readonly sentence: string;
}

const WORDS = {
  "policy.sampling_disabled": {
    short: "sampling is off",
    sentence: "This server is not allowed to ask for a model.",
  },
  "policy.no_permitted_model": {
    short: "no permitted model",
    sentence: "None of the models this server may use can run now.",
  },
  "policy.model_unpriced": {
    short: "model has no price",
    sentence: "The model has no price, so its cost could not be bounded.",
  },
  "policy.input_too_large": {
    short: "prompt too large",
    sentence: "The prompt is larger than this server's limit for one request.",
  },
  "policy.budget_exhausted": {
    short: "budget used up",
    sentence: "What is left of this server's budget does not cover the request.",
  },
  "policy.rate_limit": { short: "too many requests", sentence: "The server asked more often than it may." },
  "policy.concurrency": {
    short: "too many at once",
    sentence: "The server had as many requests running as it may.",
  },
  "consent.pending": { short: "no answer yet", sentence: "Nobody answered the consent in time." },
  "user.denied": { short: "you denied it", sentence: "A person denied the request." },
  "policy.deadline": {
    short: "took too long",
    sentence: "The model had not finished when the time this server may take was over.",
  },
  "provider.unavailable": {
    short: "provider unavailable",
    sentence: "The model's provider could not be reached or asked for quiet.",
  },
  "provider.rejected": { short: "provider rejected it", sentence: "The model's provider did not accept the request." },
  "provider.unsupported_content": {
    short: "content not supported",
    sentence: "The model cannot take a kind of content the prompt holds.",
  },
  "storage.unavailable": {
    short: "storage unavailable",
    sentence: "Purser could not write its books, so it spent nothing.",
  },
  malformed: { short: "malformed request", sentence: "The request did not follow the protocol." },
} as const satisfies Record<ReasonCode, Words>;

/** A server that is quiet or muted is answered without anybody having been asked: that is no act of the person's (K6). */
const HUSHED: Words = {
  short: "quiet, not asked",
  sentence: "This server is kept from asking in this window: it was answered without a dialog.",
};

/** `because`: the rule that decided, as the record has it. */
function wordsOf(reason: ReasonCode, because: string): Words {
  const askable = reason === "user.denied" || reason === "consent.pending";
  return askable && because === "K6" ? HUSHED : WORDS[reason];
}

export const reasonShort = (reason: ReasonCode, because = ""): string => wordsOf(reason, because).short;
export const reasonSentence = (reason: ReasonCode, because: string): string => wordsOf(reason, because).sentence;
