import { afterEach, expect, test, vi } from "vitest";
import { startDeadline } from "./deadline";

const HOURS = 3_600_000;

afterEach(() => void vi.useRealTimers());

/** A clock of its own beside the timers: they stand still while the computer sleeps, it does not. */
function asleepFor(ms: number) {
  vi.useFakeTimers();
  let slept = 0;
  const deadline = startDeadline(20_000, () => Date.now() + slept);
  return {
    deadline,
    sleep: () => {
      slept += ms;
    },
  };
}

test("[R4] it ends by the timer where all runs as it should", () => {
  const { deadline } = asleepFor(0);
  vi.advanceTimersByTime(19_999);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.signal.reason).toBe("deadline");
});

test("[F30] [R4] after eight hours of sleep it ends at the first look, not after the rest of its timer", () => {
  const { deadline, sleep } = asleepFor(8 * HOURS);
  vi.advanceTimersByTime(2_500);
  sleep();
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(deadline.signal.aborted).toBe(true);
});

test("[F31] where timers are held back, what arrives of the call ends it", () => {
  const { deadline, sleep } = asleepFor(60_000);
  sleep();
  deadline.look();
  expect(deadline.signal.aborted).toBe(true);
});

test("[F29] [R4] a clock set back gives no more time", () => {
  const { deadline, sleep } = asleepFor(-HOURS);
  sleep();
  vi.advanceTimersByTime(20_000);
  expect(deadline.signal.aborted).toBe(true);
});

test("one that was stopped ends nothing", () => {
  const { deadline } = asleepFor(0);
  deadline.stop();
  vi.advanceTimersByTime(60_000);
  expect(deadline.signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
