import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ExchangeRecord } from "../../policy/record";
import { createBatch } from "./batch";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const row = (id: string) => ({ id, count: 1, receivedAt: 1, endedAt: 2, represented: 0 }) as unknown as ExchangeRecord;

test("[F20] [E] [A7] five thousand that share a row are one write within half a second, which counts them all", async () => {
  const writes: (readonly ExchangeRecord[])[] = [];
  const batch = createBatch(async (records) => void writes.push(records));
  const added = Array.from({ length: 5_000 }, (_, at) => batch.add(row(at % 2 === 0 ? "even" : "odd")));
  await vi.advanceTimersByTimeAsync(499);
  expect(writes).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(added);
  expect(writes.map((records) => records.map(({ id, count }) => [id, count]))).toEqual([
    [
      ["even", 2_500],
      ["odd", 2_500],
    ],
  ]);
});

test("what waits is written at once when the page goes away, and only once", async () => {
  const writes: (readonly ExchangeRecord[])[] = [];
  const batch = createBatch(async (records) => void writes.push(records));
  void batch.add(row("a"));
  await batch.flush();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(writes).toHaveLength(1);
});

test("[D4] whoever waits for a row that could not be written is told", async () => {
  const batch = createBatch(async () => {
    throw new Error("full");
  });
  const added = expect(batch.add(row("a"))).rejects.toThrow("full");
  await batch.flush();
  await added;
});
