import { expect, test } from "vitest";
import { aDecision, NOW } from "../../policy/cases/given";
import { createTally, withCounted } from "./tally";

test("[A4] what waits is handed over once, and given back where it could not be written", () => {
  const tally = createTally();
  const decision = aDecision();
  tally.add(decision, NOW);
  tally.add(decision, NOW + 1);
  const taken = tally.take();
  expect(taken.map(({ count, times }) => [count, times])).toEqual([[2, [NOW, NOW + 1]]]);
  expect(tally.take()).toEqual([]);
  tally.add(decision, NOW + 2);
  tally.giveBack(taken);
  expect(tally.take()[0]?.count).toBe(3);
});

test("[A4] a decision made anew counts on its own record", () => {
  const tally = createTally();
  tally.add(aDecision({ recordId: "ex-1" }), NOW);
  tally.add(aDecision({ recordId: "ex-2" }), NOW);
  expect(tally.take().map(({ decision, count }) => [decision.recordId, count])).toEqual([
    ["ex-1", 1],
    ["ex-2", 1],
  ]);
});

test("a flush is asked for once per batch", () => {
  const tally = createTally();
  let asked = 0;
  tally.onFirst(() => {
    asked += 1;
  });
  tally.add(aDecision(), NOW);
  tally.add(aDecision(), NOW);
  expect(asked).toBe(1);
  tally.take();
  tally.add(aDecision(), NOW);
  expect(asked).toBe(2);
});

test("[D3] a loop is seen though its replays came in several batches and tabs", () => {
  const times = (from: number, count: number) => Array.from({ length: count }, (_, at) => NOW + from + at);
  const first = withCounted(aDecision(), { count: 25, times: times(0, 25) });
  const second = withCounted(first.decision, { count: 25, times: times(25, 25) });
  const third = withCounted(second.decision, { count: 25, times: times(50, 25) });
  expect([first, second, third].map(({ loopAlert }) => loopAlert)).toEqual([false, true, false]);
  expect(third.decision.represented).toBe(75);
});

test("[A4] of a flood only the newest times are kept, and every replay is counted", () => {
  const tally = createTally();
  for (let at = 0; at < 10_000; at += 1) tally.add(aDecision(), NOW + at);
  const [counted] = tally.take();
  expect(counted?.times).toHaveLength(40);
  const { decision, loopAlert } = withCounted(aDecision(), counted ?? { count: 0, times: [] });
  expect([decision.represented, loopAlert]).toEqual([10_000, true]);
});
