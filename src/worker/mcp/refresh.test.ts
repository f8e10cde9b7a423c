import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRefresher } from "./refresh";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("[K8-03] a server that answers every refresh with a change is asked ever more rarely, and it shows", async () => {
  let refreshes = 0;
  let storms = 0;
  const refresher = createRefresher(
    async () => {
      refreshes += 1;
      refresher.request();
    },
    () => Date.now(),
    () => {
      storms += 1;
    },
  );
  refresher.request();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(refreshes).toBeLessThan(20);
  expect(storms).toBeGreaterThan(0);
  refresher.stop();
  const before = refreshes;
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(refreshes).toBe(before);
});

test("[K8-03] after quiet a change is followed quickly again", async () => {
  let refreshes = 0;
  const refresher = createRefresher(
    async () => {
      refreshes += 1;
    },
    () => Date.now(),
    () => undefined,
  );
  for (let at = 0; at < 6; at += 1) {
    refresher.request();
    await vi.advanceTimersByTimeAsync(10_000);
  }
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  const before = refreshes;
  refresher.request();
  await vi.advanceTimersByTimeAsync(300);
  expect(refreshes).toBe(before + 1);
});

test("[K8-03] a change that comes during a refresh is not lost", async () => {
  let refreshes = 0;
  let finish: () => void = () => undefined;
  const refresher = createRefresher(
    () => {
      refreshes += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    () => Date.now(),
    () => undefined,
  );
  refresher.request();
  await vi.advanceTimersByTimeAsync(300);
  refresher.request();
  refresher.request();
  expect(refreshes).toBe(1);
  finish();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refreshes).toBe(2);
});
