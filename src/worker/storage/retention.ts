/** How long raw records are kept; daily sums stay for good (L4). */
import type { ReadTx } from "./schema";

/** Setting key; days as a number. */
export const RECORD_DAYS = "recordDays";
const DEFAULT_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

/** The instant before which records are deleted. Needs `settings`. */
export async function keptSince(tx: Pick<ReadTx, "objectStore">, now: number): Promise<number> {
  const days = await tx.objectStore("settings").get(RECORD_DAYS);
  const valid = typeof days === "number" && Number.isFinite(days) && days >= 1;
  return now - (valid ? days : DEFAULT_DAYS) * DAY_MS;
}
