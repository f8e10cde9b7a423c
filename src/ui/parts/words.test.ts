import { expect, test } from "vitest";
import { dollars, duration, raiseWords, relativeTime, timeFrom, withTimes } from "./words";

const NOON = new Date(2026, 11, 1, 12, 0).getTime();
const HOUR = 3_600_000;

test("[M1] money shows as many digits as matter", () => {
  const shown = [0, 12, 99, 812, 19_200, 250_000, 241_000, 1_000_000, 15_000_000, 1_234_567_890, -5_000].map(dollars);
  expect(shown).toEqual([
    "$0.00",
    "$0.000012",
    "$0.000099",
    "$0.0008",
    "$0.0192",
    "$0.25",
    "$0.241",
    "$1.00",
    "$15.00",
    "$1,234.57",
    "−$0.005",
  ]);
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

test("[G1] [G2] a raise says its amount and for how long", () => {
  const offer = { kind: "usd", amount: 100_000, buysAbout: 5, expiresAt: NOON } as const;
  expect(raiseWords(offer, "24h")).toBe("Raise by $0.10 for today");
  expect(raiseWords({ ...offer, kind: "requests", amount: 10 }, "7d")).toBe("Raise by 10 requests for this week");
});
