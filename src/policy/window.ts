/** Budget windows, aligned in UTC (M5). The one function engine and screen take `resetsAt` from. */
import type { BudgetWindow } from "./policy";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-05 was the first Monday after the epoch. */
const FIRST_MONDAY_AT = 4 * DAY_MS;

const WINDOWS = {
  "1h": { lengthMs: HOUR_MS, originAt: 0, word: "hourly" },
  "24h": { lengthMs: DAY_MS, originAt: 0, word: "daily" },
  "7d": { lengthMs: 7 * DAY_MS, originAt: FIRST_MONDAY_AT, word: "weekly" },
  // Months differ in length; fixed blocks of 30 days counted from the epoch do not.
  "30d": { lengthMs: 30 * DAY_MS, originAt: 0, word: "30-day" },
} as const satisfies Record<BudgetWindow, { lengthMs: number; originAt: number; word: string }>;

/** The window that `at` (epoch ms) lies in: its start, and the instant the next one starts. */
export function windowOf(window: BudgetWindow, at: number): { readonly startAt: number; readonly resetsAt: number } {
  const { lengthMs, originAt } = WINDOWS[window];
  const startAt = Math.floor((at - originAt) / lengthMs) * lengthMs + originAt;
  return { startAt, resetsAt: startAt + lengthMs };
}

/** Less than this ahead of now is a tab that read the clock a moment later. */
const SET_BACK_MS = 60_000;

/** Whether the clock was set back since `at` was read from it. */
export function wasSetBack(at: number, now: number): boolean {
  return at > now + SET_BACK_MS;
}

/** "daily", as in "its daily limit". */
export function windowWord(window: BudgetWindow): string {
  return WINDOWS[window].word;
}

const LAST_DATE_AT = 8_640_000_000_000_000;

/** ISO 8601 UTC as frames carry it (W5); an instant no calendar holds becomes the last one it does. */
export function isoOf(at: number): string {
  const safe = Number.isNaN(at) ? LAST_DATE_AT : Math.min(LAST_DATE_AT, Math.max(-LAST_DATE_AT, at));
  return new Date(safe).toISOString();
}
