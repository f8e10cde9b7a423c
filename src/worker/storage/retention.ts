/** How long raw records are kept; daily sums stay for good (L4). */
import type { ReadTx } from "./schema";

/** Setting key; days as a number. */
export const RECORD_DAYS = "recordDays";
export const DEFAULT_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

/** The instant before which records are deleted. Needs `settings`. */
export async function keptSince(tx: Pick<ReadTx, "objectStore">, now: number): Promise<number> {
  return now - daysIn(await tx.objectStore("settings").get(RECORD_DAYS)) * DAY_MS;
}

/** What the setting says; anything that is no number of days is the default. */
export function daysIn(setting: unknown): number {
  return typeof setting === "number" && Number.isFinite(setting) && setting >= 1 ? setting : DEFAULT_DAYS;
}
