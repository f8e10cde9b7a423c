/** Records as text for other programs: instants in ISO 8601 UTC, money in dollars, one record a line. Pure (L2). */
import type { ExchangeRecord } from "../../../worker/api";

type Cell = string | number | null;

const iso = (at: number | null): Cell => (at === null ? null : new Date(at).toISOString());
const usd = (micros: number): Cell => micros / 1_000_000;

const COLUMNS: readonly (readonly [string, (record: ExchangeRecord) => Cell])[] = [
  ["id", (one) => one.id],
  ["server", (one) => one.server],
  ["tool", (one) => one.tool],
  ["ending", (one) => one.ending],
  ["reason", (one) => one.reason],
  ["because", (one) => one.because],
  ["receivedAt", (one) => iso(one.receivedAt)],
  ["decidedAt", (one) => iso(one.decidedAt)],
  ["dispatchedAt", (one) => iso(one.dispatchedAt)],
  ["endedAt", (one) => iso(one.endedAt)],
  ["modelAsked", (one) => one.hints.join(" ")],
  ["modelUsed", (one) => one.modelUsed],
  ["provider", (one) => one.provider],
  ["contextAsked", (one) => one.scopeAsked],
  ["contextGranted", (one) => one.scopeGranted],
  ["maxTokensAsked", (one) => one.maxTokensAsked],
  ["maxTokensGranted", (one) => one.maxTokensGranted],
  ["estimatedInputTokens", (one) => one.estimatedInputTokens],
  ["inputTokens", (one) => one.usage?.inputTokens ?? null],
  ["outputTokens", (one) => one.usage?.outputTokens ?? null],
  ["cacheReadTokens", (one) => one.usage?.cacheReadTokens ?? null],
  ["cacheWriteTokens", (one) => one.usage?.cacheWriteTokens ?? null],
  ["estimatedUsd", (one) => usd(one.estimatedMicros)],
  ["chargedUsd", (one) => usd(one.chargedMicros)],
  ["chargeBasis", (one) => one.chargeBasis],
  ["overrunUsd", (one) => usd(one.overrunMicros)],
  ["pricesAsOf", (one) => one.pricesAsOf],
  ["policyRevision", (one) => one.policyRevision],
  ["grantIds", (one) => one.grantIds.join(" ")],
  ["consentId", (one) => one.consentId],
  ["answeredBy", (one) => one.answeredBy],
  ["represented", (one) => one.represented],
  ["count", (one) => one.count],
  ["identity", (one) => one.identity],
  ["runId", (one) => one.runId],
  ["protocol", (one) => one.protocol],
  ["transport", (one) => one.transport],
];

/** Whole records, as they are kept. */
export function ndjsonOf(records: readonly ExchangeRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

export function csvOf(records: readonly ExchangeRecord[]): string {
  const head = COLUMNS.map(([name]) => name).join(",");
  const lines = records.map((record) => COLUMNS.map(([, read]) => written(read(record))).join(","));
  return `${[head, ...lines].join("\r\n")}\r\n`;
}

/** Text that a spreadsheet would run as a formula is led by an apostrophe: tool names are a server's. */
function written(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
