/** A day's sums, kept as records are written so that no query ever adds up a hundred thousand rows (L2). */
import type { ExchangeRecord } from "../../policy/record";
import type { DayRow } from "./store";

export type DayKey = [day: string, server: string, model: string, ending: string];

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

type Counted = Pick<ExchangeRecord, "server" | "modelUsed" | "ending">;

/** Where a record is summed; "" stands for no model. */
export function dayKeyOf(record: Counted, at: number): DayKey {
  return [dayOf(at), record.server, record.modelUsed ?? "", record.ending];
}

export function emptyDay(record: Counted, at: number): DayRow {
  return {
    day: dayOf(at),
    server: record.server,
    model: record.modelUsed ?? "",
    ending: record.ending,
    count: 0,
    represented: 0,
    estimatedMicros: 0,
    chargedMicros: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
}

/** One more record, as often as it counts. Tokens are those reported, or those the charge was estimated from. */
export function withRecord(day: DayRow, record: ExchangeRecord): DayRow {
  const { inputTokens, outputTokens } = tokensOf(record);
  return {
    ...day,
    count: day.count + record.count,
    estimatedMicros: day.estimatedMicros + record.estimatedMicros,
    chargedMicros: day.chargedMicros + record.chargedMicros,
    inputTokens: day.inputTokens + inputTokens,
    outputTokens: day.outputTokens + outputTokens,
  };
}

export function withReplays(day: DayRow, count: number): DayRow {
  return { ...day, represented: day.represented + count };
}

function tokensOf(record: ExchangeRecord): { readonly inputTokens: number; readonly outputTokens: number } {
  const { usage } = record;
  if (usage !== null) {
    const inputTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    return { inputTokens, outputTokens: usage.outputTokens };
  }
  if (record.chargeBasis !== "estimate") return { inputTokens: 0, outputTokens: 0 };
  return { inputTokens: record.estimatedInputTokens, outputTokens: record.estimatedOutputTokens };
}
