import { expect, test, vi } from "vitest";
import { grouped } from "./group";
import { StorageUnavailable } from "./store";

test("[A7] what arrives while a transaction runs shares the next one, in order", async () => {
  const groups: number[][] = [];
  const ask = grouped(async (asks: readonly number[]) => {
    groups.push([...asks]);
    await Promise.resolve();
    return asks.map((one) => one * 10);
  });
  const first = ask(1);
  const later = first.then(() => undefined);
  await Promise.resolve();
  await Promise.resolve();
  const rest = [ask(2), ask(3), ask(4)];
  expect(await Promise.all([first, ...rest])).toEqual([10, 20, 30, 40]);
  await later;
  expect(groups).toEqual([[1], [2, 3, 4]]);
});

test("[A7] calls made in one go share the first transaction", async () => {
  const sizes: number[] = [];
  const ask = grouped(async (asks: readonly number[]) => {
    sizes.push(asks.length);
    return asks;
  });
  await Promise.all([ask(1), ask(2)]);
  expect(sizes).toEqual([2]);
});

test("a transaction never grows without end", async () => {
  const sizes: number[] = [];
  const ask = grouped(async (asks: readonly number[]) => {
    sizes.push(asks.length);
    return asks;
  });
  await Promise.all(Array.from({ length: 150 }, (_, at) => ask(at)));
  expect(sizes).toEqual([64, 64, 22]);
});

test("[P5] a row that cannot be written fails alone", async () => {
  const ask = grouped(async (asks: readonly number[]) => {
    if (asks.includes(2)) throw new StorageUnavailable("failed", "cannot be cloned");
    return asks;
  });
  const all = await Promise.allSettled([ask(1), ask(2), ask(3)]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("[D4] where nothing can be stored everyone is told at the first try", async () => {
  let tries = 0;
  const ask = grouped(async (): Promise<readonly number[]> => {
    tries += 1;
    throw new StorageUnavailable("blocked", "another tab");
  });
  const all = await Promise.allSettled([ask(1), ask(2), ask(3)]);
  expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(tries).toBe(1);
  await expect(ask(4)).rejects.toThrow("another tab");
});

test("[A7] what nobody waits for goes along with the next that somebody does, and soon by itself", async () => {
  vi.useFakeTimers();
  const groups: number[][] = [];
  const ask = grouped(
    async (asks: readonly number[]) => {
      groups.push([...asks]);
      return asks;
    },
    (one) => one < 0,
  );
  const settled = ask(-1);
  await vi.advanceTimersByTimeAsync(1);
  expect(groups).toEqual([]);
  expect(await Promise.all([settled, ask(2)])).toEqual([-1, 2]);
  const alone = ask(-3);
  await vi.advanceTimersByTimeAsync(40);
  expect(await alone).toBe(-3);
  expect(groups).toEqual([[-1, 2], [-3]]);
  vi.useRealTimers();
});
