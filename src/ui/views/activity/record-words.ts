/** One record in sentences for a person: what was asked, how it ended and why. Pure. */
import type { ExchangeRecord } from "../../../worker/api";
import { spelledOut } from "../../parts/hidden";
import { count, dollars, timeFrom, withTimes } from "../../parts/words";
import { isModern } from "../servers/connection-words";
import { reasonSentence } from "../work/reason-words";

/**
 * What happened, sentence by sentence. Where Purser put the refusal in words when it decided, those stand here: they
 * know more than the reason does, and say the figures and instants themselves.
 */
export function storySentences(record: ExchangeRecord, now: number): readonly string[] {
  const { sentence } = record.detail;
  if (typeof sentence === "string" && sentence !== "") return [withTimes(sentence, now), ...spentSentence(record)];
  return [endingSentence(record), ...detailSentences(record, now)];
}

/** The sentence that stands at the top of a record that carries none. */
export function endingSentence(record: ExchangeRecord): string {
  if (record.reason !== null) return reasonSentence(record.reason, record.because);
  switch (record.ending) {
    case "completed":
      return "The request ran as it was asked.";
    case "trimmed":
      return "The request ran, with less than it asked for.";
    case "cancelled":
      return cancelledSentence(record);
    case "lost":
      return "The tab that ran it was closed before its outcome was known.";
    default:
      return `The request ended as ${record.ending.replaceAll("_", " ")}.`;
  }
}

function cancelledSentence(record: ExchangeRecord): string {
  switch (record.detail.cause) {
    case "connection_lost":
      return "The connection ended before the request did.";
    case "cancelled_by_person":
      return "You cancelled the tool call it belonged to.";
    case "server_removed":
      return "You removed the server before it ended.";
    case "another_request_of_this_call_was_refused":
      return "Another request of the same call was refused, so nothing ran.";
    default:
      return "The server took its request back.";
  }
}

const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** The figures of a refusal in words: how much against what limit, and when it changes. */
export function detailSentences(record: ExchangeRecord, now: number): readonly string[] {
  const { observed, limit, resetsAt, retryAt, status, model, block, path, problem } = record.detail;
  const sentences: string[] = [];
  const [seen, most] = [number(observed), number(limit)];
  if (seen !== null && most !== null) sentences.push(`${count(seen)} tokens against a limit of ${count(most)}.`);
  sentences.push(...spentSentence(record));
  if (typeof model === "string") sentences.push(`The model is ${model}.`);
  if (number(status) !== null) sentences.push(`The provider answered with status ${number(status)}.`);
  if (typeof block === "string") sentences.push(`The content is of the kind ${block}.`);
  if (typeof path === "string" && typeof problem === "string")
    sentences.push(spelledOut(`At ${path || "the top"}: ${problem}`));
  const reset = instant(resetsAt);
  if (reset !== null) sentences.push(`The budget resets at ${timeFrom(reset, now)}.`);
  const retry = instant(retryAt);
  if (retry !== null) sentences.push(`The server may ask again from ${timeFrom(retry, now)}.`);
  return sentences;
}

function spentSentence(record: ExchangeRecord): readonly string[] {
  const [spent, cap] = [number(record.detail.spentUsd), number(record.detail.capUsd)];
  if (spent === null || cap === null) return [];
  return [`${dollars(spent * 1_000_000)} of ${dollars(cap * 1_000_000)} were spent or reserved.`];
}

/** What the server's answer carried of a record's detail: a refusal's `data`, a malformed request's place, a stop reason. */
const TOLD: ReadonlySet<string> = new Set([
  "observed",
  "limit",
  "spentUsd",
  "capUsd",
  "resetsAt",
  "retryAt",
  "status",
  "model",
  "block",
  "path",
  "problem",
  "stopReason",
]);

/** A record's detail by whom it is for: what the server was told, and what only this log knows. The sentence is the story's. */
export function detailParts(record: ExchangeRecord): {
  readonly told: Readonly<Record<string, unknown>>;
  readonly kept: Readonly<Record<string, unknown>>;
} {
  // A request inside a result has no refusal frame (W8), and nobody answers one that was taken back.
  const refusedInside = record.reason !== null && isModern(record.protocol);
  const answered = record.ending !== "cancelled" && record.ending !== "lost" && !refusedInside;
  const entries = Object.entries(record.detail).filter(([key]) => key !== "sentence");
  return {
    told: Object.fromEntries(entries.filter(([key]) => answered && TOLD.has(key))),
    kept: Object.fromEntries(entries.filter(([key]) => !(answered && TOLD.has(key)))),
  };
}

function instant(value: unknown): number | null {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const BASIS: Readonly<Record<ExchangeRecord["chargeBasis"], string>> = {
  reported: "as the provider reported it",
  estimate: "the estimate, since the provider reported nothing",
  none: "nothing ran",
};

export const basisWords = (basis: ExchangeRecord["chargeBasis"]): string => BASIS[basis];
