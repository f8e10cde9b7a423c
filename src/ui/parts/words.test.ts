import { expect, test } from "vitest";
import cases from "../../policy/cases/words/dollars.json";
import words from "../../policy/cases/words/names.json";
import { SCOPES_IN_WORDS } from "../../policy/context";
import { windowWord } from "../../policy/window";
import type { Scope } from "../../worker/api";
import {
  type BudgetWindow,
  bookedWords,
  dollars,
  duration,
  raiseWords,
  relativeTime,
  scopeWords,
  sentence,
  timeFrom,
  timeLeft,
  windowName,
  withTimes,
} from "./words";

const NOON = new Date(2026, 11, 1, 12, 0).getTime();
const HOUR = 3_600_000;
const offer = { kind: "usd", amount: 100_000, buysAbout: 5, expiresAt: NOON } as const;

test.each(cases)("[M1] $micros µ$ reads $text, here as in what the server is told", ({ micros, text }) => {
  expect(dollars(micros)).toBe(text);
});

test("[M1] no amount at all is not shown as one", () => {
  expect(dollars(Number.NaN)).toBe("$?");
});

test("[M5] [C1] windows and scopes read here as they do in notices", () => {
  const windows = Object.entries(words.windows) as [BudgetWindow, (typeof words.windows)["1h"]][];
  for (const [window, { limit, per, raise }] of windows) {
    expect(windowWord(window)).toBe(limit);
    expect(windowName(window)).toBe(per);
    expect(raiseWords({ ...offer, amount: 1_000_000 }, window)).toBe(`Raise by $1.00 for ${raise}`);
  }
  const scopes = Object.entries(words.scopes) as [Scope, (typeof words.scopes)["none"]][];
  expect(scopes.map(([scope]) => scope)).toEqual(Object.keys(SCOPES_IN_WORDS));
  for (const [scope, { notice, screen }] of scopes) {
    expect(SCOPES_IN_WORDS[scope]).toBe(notice);
    expect(scopeWords(scope)).toBe(screen);
  }
});

test("an instant within the coming day is a clock time, others name their day", () => {
  expect(timeFrom(NOON + 13 * HOUR, NOON)).toBe("01:00");
  expect(timeFrom(NOON - 2 * HOUR, NOON)).toBe("10:00");
  expect(timeFrom(NOON + 30 * HOUR, NOON)).toBe("18:00 tomorrow");
  expect(timeFrom(NOON - 20 * HOUR, NOON)).toBe("16:00 yesterday");
  expect(timeFrom(NOON + 72 * HOUR, NOON)).toBe("Fri 4 Dec 12:00");
});

test("[M5] placeholders in a notice become local times, anything else stays", () => {
  expect(withTimes(`Resets at {at:${NOON + HOUR}}.`, NOON)).toBe("Resets at 13:00.");
  expect(withTimes("{at:9999999999999999} {at:x} {is:1}", NOON)).toBe("{at:9999999999999999} {at:x} {is:1}");
});

test("spans and distances", () => {
  expect([200, 6_000, 59_400, 125_000, 7_200_000].map(duration)).toEqual([
    "0.2 s",
    "6.0 s",
    "59 s",
    "2 min 5 s",
    "2 h 0 min",
  ]);
  expect([-5_000, -90_000, 3 * HOUR, -72 * HOUR].map((away) => relativeTime(NOON + away, NOON))).toEqual([
    "just now",
    "1 min ago",
    "in 3 h",
    "3 days ago",
  ]);
});

test("[K5] a long wait is told in minutes, a short one in seconds", () => {
  expect([300_000, 299_001, 240_000, 90_001, 90_000, 44_100, 0, -5].map(timeLeft)).toEqual([
    "5 min",
    "5 min",
    "4 min",
    "2 min",
    "90 s",
    "45 s",
    "0 s",
    "0 s",
  ]);
});

test("[G1] [G2] a raise says its amount and for how long", () => {
  expect(raiseWords(offer, "24h")).toBe("Raise by $0.10 for today");
  expect(raiseWords({ ...offer, kind: "requests", amount: 10 }, "7d")).toBe("Raise by 10 requests for this week");
});

test("[M1] the built-in model costs nothing and says at what price it is booked", () => {
  const band = { upToInputTokens: null, inputMicros: 1_000_000, outputMicros: 5_000_000 };
  const priced = { ...band, cacheReadMicros: 0, cacheWriteMicros: 0 };
  expect(bookedWords({ bands: [priced], asOf: "2026-12-01", source: "table" })).toBe(
    "Costs you nothing; Purser books it at $1/$5 per million so that budgets can be tried.",
  );
  const free = { ...priced, inputMicros: 0, outputMicros: 0 };
  expect(bookedWords({ bands: [free], asOf: "2026-12-01", source: "override" })).toBe("Costs you nothing.");
});

test("a sentence ends in a full stop, once", () => {
  expect(sentence("The name is taken")).toBe("The name is taken.");
  for (const whole of ["", "Done.", "Why?"]) expect(sentence(whole)).toBe(whole);
});
