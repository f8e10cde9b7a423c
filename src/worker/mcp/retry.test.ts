import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRetry } from "./retry";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("[D1] tries come ever later, each is armed again, and after ten there are no more", async () => {
  const made: number[] = [];
  const retry = createRetry(() => made.push(Date.now()));
  const waits: number[] = [];
  for (let at = 1; at <= 10; at += 1) {
    const next = retry.arm(Date.now());
    if (next === null) throw new Error("given up too early");
    expect(next.attempt).toBe(at);
    waits.push(next.at - Date.now());
    await vi.advanceTimersByTimeAsync(next.at - Date.now());
    expect(made).toHaveLength(at);
    expect(retry.armed).toBe(false);
  }
  for (const [at, wait] of waits.entries()) {
    const longest = Math.min(60_000, 1_000 * 2 ** at);
    expect(wait).toBeGreaterThanOrEqual(longest / 2);
    expect(wait).toBeLessThanOrEqual(longest);
  }
  expect(retry.arm(Date.now())).toBe(null);
  expect(retry.armed).toBe(false);
  retry.reset();
  expect(retry.atOnce(7)).toEqual({ attempt: 1, at: 7 });
});

test("a try that is called off is not made", async () => {
  let made = 0;
  const retry = createRetry(() => {
    made += 1;
  });
  retry.arm(Date.now());
  retry.disarm();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(made).toBe(0);
});

test("[K2-19] a pause is twice as long each time, is no failed try, and is short again once a person asked", async () => {
  let made = 0;
  const retry = createRetry(() => {
    made += 1;
  });
  expect([retry.pause(0), retry.pause(0)]).toEqual([60_000, 120_000]);
  expect(retry.armed).toBe(true);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(made).toBe(1);
  for (let at = 0; at < 9; at += 1) retry.pause(0);
  expect(retry.pause(0)).toBe(960_000);
  retry.forgetPauses();
  expect(retry.pause(0)).toBe(60_000);
  expect(retry.arm(0)?.attempt).toBe(1);
  retry.disarm();
});
