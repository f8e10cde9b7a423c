import { expect, test } from "vitest";
import { createBackoff } from "./backoff";
import { failureOfStatus, notSent, outgoing, retryAfterMs, unavailable } from "./failure";

const NOW = Date.UTC(2026, 11, 1);
const wait = (value: string) => retryAfterMs(new Headers({ "retry-after": value }), NOW);

test("[R7] a provider's wish is bounded, and what is no time is none", () => {
  expect(["7", "0", "0.5", new Date(NOW + 9_000).toUTCString()].map(wait)).toEqual([7_000, 0, 500, 9_000]);
  expect(["601", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"].map(wait)).toEqual(Array(3).fill(600_000));
  expect(["-1", "Infinity", "-Infinity", "NaN", "soon", "1e999", "1e308"].map(wait)).toEqual(Array(7).fill(null));
  for (const wish of [Number.POSITIVE_INFINITY, Number.NaN, -1, 1e12]) {
    const backoff = createBackoff();
    backoff.note("p", wish, NOW);
    const untilAt = backoff.note("p", wish, NOW + 1);
    expect(untilAt - NOW).toBeGreaterThanOrEqual(10_000);
    expect(untilAt - NOW).toBeLessThanOrEqual(600_001);
  }
});

test("[R7] [F29] a provider is not left alone until the old time comes round again after the clock was set back", () => {
  const backoff = createBackoff();
  const untilAt = backoff.note("p", null, NOW);
  expect(backoff.until("p", NOW - 60_000)).toBe(untilAt);
  expect(backoff.until("p", NOW - 86_400_000)).toBeNull();
  // What it says then counts from then.
  expect(backoff.note("p", null, NOW - 86_400_000)).toBeLessThanOrEqual(NOW - 86_400_000 + 20_000);
});

test("no detail leaves an adapter with the key, nor with a part of it that a cut left over", () => {
  const key = "sk-test-0123456789";
  const details = [`no: ${key} and ${key}`, `${"x".repeat(295)}${key}`, "y".repeat(5_000)];
  for (const detail of details) {
    for (const failure of [failureOfStatus(429, detail, 1), failureOfStatus(400, detail, null), unavailable(detail)]) {
      const said = JSON.stringify(outgoing(notSent(failure), key));
      expect(said).not.toContain("sk-");
      expect(said.length).toBeLessThan(500);
    }
  }
  expect(outgoing(notSent(unavailable("plain")), null)).toMatchObject({ failure: { detail: "plain" } });
  expect(outgoing(notSent(unavailable("plain")), "")).toMatchObject({ failure: { detail: "plain" } });
});
