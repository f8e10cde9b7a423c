/** How long raw records are kept; daily sums stay for good (L4). */
import type { ReadTx, WriteTx } from "./schema";
import { write } from "./transact";

type Readable = Pick<ReadTx, "objectStore"> | Pick<WriteTx, "objectStore">;

/** Setting key; days as a number. */
export const RECORD_DAYS = "recordDays";
export const DEFAULT_DAYS = 90;
const DAY_MS = 24 * 3_600_000;
/** Setting key; the instant that ages were last told from. */
const AGED_AT = "recordsAgedAt";

/**
 * The instant before which records are deleted. Ages follow the clock a day at a time: one that is a year ahead for an
 * hour must not cost a year's records. Needs `settings`.
 */
export async function keptSince(tx: Readable, now: number): Promise<number> {
  const days = daysIn(await tx.objectStore("settings").get(RECORD_DAYS));
  return (await agedTo(tx, now)) - days * DAY_MS;
}

/** Takes the next step; what `keptSince` then says is to be deleted. */
export async function age(tx: Pick<WriteTx, "objectStore">, now: number): Promise<number> {
  const since = await keptSince(tx, now);
  write(tx.objectStore("settings").put(await agedTo(tx, now), AGED_AT));
  return since;
}

async function agedTo(tx: Readable, now: number): Promise<number> {
  const agedAt = await tx.objectStore("settings").get(AGED_AT);
  return typeof agedAt === "number" ? Math.min(now, agedAt + DAY_MS) : now;
}

/** What the setting says; anything that is no number of days is the default. */
export function daysIn(setting: unknown): number {
  return typeof setting === "number" && Number.isFinite(setting) && setting >= 1 ? setting : DEFAULT_DAYS;
}
