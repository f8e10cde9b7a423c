import { expect, test } from "vitest";
import { createQueues } from "./queues";

const never = () => new AbortController().signal;

test("[A5] one at a time for each key, in the order they came", async () => {
  const queues = createQueues();
  const first = queues.tryEnter("a");
  expect(queues.tryEnter("a")).toBe(null);
  expect(queues.tryEnter("b")).not.toBe(null);
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (at) => {
    const leave = await queues.enter("a", never());
    order.push(at);
    leave?.();
  });
  first?.();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
  expect(queues.tryEnter("a")).not.toBe(null);
});

test("[K7] whoever stops waiting is passed over", async () => {
  const queues = createQueues();
  const leave = queues.tryEnter("a");
  const stop = new AbortController();
  const gone = queues.enter("a", stop.signal);
  const next = queues.enter("a", never());
  stop.abort();
  expect(await gone).toBe(null);
  leave?.();
  expect(await next).not.toBe(null);
  expect(await queues.enter("b", AbortSignal.abort())).toBe(null);
});

test("[F21] ten thousand behind one take ten thousand steps, not their square", async () => {
  const queues = createQueues();
  const leave = queues.tryEnter("a");
  let entered = 0;
  const waiting = Array.from({ length: 10_000 }, async () => {
    const out = await queues.enter("a", never());
    entered += 1;
    out?.();
  });
  leave?.();
  await Promise.all(waiting);
  expect(entered).toBe(10_000);
});
