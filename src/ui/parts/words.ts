/**
 * Figures and instants in words, the same everywhere on the screen. All pure: time is an argument.
 *   dollars(micros)          "$0.0192", as many digits as matter
 *   clockTime(at)            "14:30"
 *   timeFrom(at, now)        "14:30", "16:00 yesterday", "Thu 3 Dec 01:00": where an instant stands in a sentence
 *   exactTime(at)            with seconds and zone, for titles and exports
 *   relativeTime(at, now)    "2 min ago", "in 3 h"
 *   duration(ms)             "0.2 s", "6 s", "2 min 5 s"
 *   timeLeft(ms)             "45 s", "5 min": whole, never less than is left
 *   count(n)                 "12,300"
 *   withTimes(text, now)     replaces {at:ms} by timeFrom
 *   bookedWords(price)       what the built-in model costs, and why there is a figure
 *   sentence(text)           with a full stop, where it ends in nothing of its own
 *   raiseWords(offer, window) "Raise by $0.10 for today"
 */
import type { Gauge, Price, RaiseOffer, Scope } from "../../worker/api";

export type BudgetWindow = Gauge["window"];

const MICROS_PER_DOLLAR = 1_000_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const whole = new Intl.NumberFormat("en-US");

export function count(n: number): string {
  return whole.format(n);
}

/** The rule of `policy/money.ts`; `policy/cases/words/dollars.json` holds both to it. */
export function dollars(micros: number): string {
  if (!Number.isFinite(micros)) return "$?";
  const size = Math.abs(micros);
  const most = size === 0 || size >= MICROS_PER_DOLLAR ? 2 : size < 100 ? 6 : 4;
  return `${micros < 0 ? "-" : ""}$${money(size, 2, most)}`;
}

function money(micros: number, least: number, most: number): string {
  const format = { minimumFractionDigits: least, maximumFractionDigits: most };
  return (micros / MICROS_PER_DOLLAR).toLocaleString("en-US", format);
}

/** The built-in model runs in the tab for nothing, yet has a price, or no budget could be tried with it. */
export function bookedWords(price: Price | null | undefined): string {
  const band = price?.bands[0];
  if (band === undefined || band.inputMicros + band.outputMicros === 0) return "Costs you nothing.";
  const plain = (micros: number) => dollars(micros).replace(/\.00$/, "");
  const rate = `${plain(band.inputMicros)}/${plain(band.outputMicros)} per million`;
  return `Costs you nothing; Purser books it at ${rate} so that budgets can be tried.`;
}

export function sentence(text: string): string {
  return text === "" || /[.!?:;…)"'”]$/.test(text) ? text : `${text}.`;
}

/** All six digits, for titles. */
export function exactDollars(micros: number): string {
  return `$${money(micros, 6, 6)}`;
}

const hourMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayMonth = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
const dayOnly = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

export function clockTime(at: number): string {
  return hourMinute.format(at);
}

export function timeFrom(at: number, now: number): string {
  // Within the coming day a clock time stands for one instant only.
  if (at >= now && at - now < DAY) return clockTime(at);
  const days = localDay(at) - localDay(now);
  if (days === 0) return clockTime(at);
  if (days === 1) return `${clockTime(at)} tomorrow`;
  if (days === -1) return `${clockTime(at)} yesterday`;
  return `${dayMonth.format(at).replace(",", "")} ${clockTime(at)}`;
}

/** Number of the local calendar day, free of daylight saving. */
function localDay(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY;
}

export function exactTime(at: number): string {
  return exact.format(at);
}

export function relativeTime(at: number, now: number): string {
  const away = Math.abs(at - now);
  const ahead = at > now;
  if (away < 10 * SECOND) return ahead ? "in a moment" : "just now";
  if (away >= 30 * DAY) return dayOnly.format(at);
  const words = rounded(away);
  return ahead ? `in ${words}` : `${words} ago`;
}

function rounded(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} days`;
}

export function duration(ms: number): string {
  if (ms < 10 * SECOND) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  const minutes = Math.floor(ms / MINUTE);
  const seconds = Math.floor((ms % MINUTE) / SECOND);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}

/** Seconds tick only where they matter: above a minute and a half it is minutes. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  return seconds > 90 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`;
}

export function withTimes(text: string, now: number): string {
  return text.replace(/\{at:(-?\d{1,16})\}/g, (whole, ms: string) => {
    const at = Number(ms);
    return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? timeFrom(at, now) : whole;
  });
}

const WINDOW_WORDS: Readonly<Record<BudgetWindow, string>> = {
  "1h": "this hour",
  "24h": "today",
  "7d": "this week",
  "30d": "these 30 days",
};

const WINDOW_NAMES: Readonly<Record<BudgetWindow, string>> = {
  "1h": "hour",
  "24h": "day",
  "7d": "week",
  "30d": "30 days",
};

/** "day" for a 24-hour window: "$15.00 per day". */
export function windowName(window: BudgetWindow): string {
  return WINDOW_NAMES[window];
}

export function raiseWords(offer: RaiseOffer, window: BudgetWindow): string {
  const amount = offer.kind === "usd" ? dollars(offer.amount) : `${count(offer.amount)} requests`;
  return `Raise by ${amount} for ${WINDOW_WORDS[window]}`;
}

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  none: "nothing",
  this_server: "its own earlier calls",
  conversation: "the whole conversation",
};

export function scopeWords(scope: Scope): string {
  return SCOPE_WORDS[scope];
}
