import { expect, test } from "vitest";
import { createLanes, MAX_UNDECIDED, type Turn } from "./lanes";

/** Slices run when the test says so, and every piece of work takes 0.2 ms by the lanes' own clock. */
function rig() {
  let clock = 0;
  let due: (() => void)[] = [];
  const lanes = createLanes({ later: (slice) => void due.push(slice), ticks: () => clock });
  return {
    lanes,
    work: (name: string, log: string[]) => () => {
      clock += 0.2;
      log.push(name);
    },
    pass: (ms: number) => {
      clock += ms;
    },
    slice() {
      const now = due;
      due = [];
      for (const one of now) one();
      return now.length > 0;
    },
  };
}

function* flood(times: number): Generator<number> {
  for (let at = 0; at < times; at += 1) yield at;
}

test("[P5] a server that sends now and then is read at once, in order", () => {
  const { lanes, work, pass } = rig();
  const log: string[] = [];
  for (const at of flood(5)) {
    lanes.of("quiet").read(work(`${at}`, log));
    pass(1);
  }
  expect(log).toEqual(["0", "1", "2", "3", "4"]);
});

test("[P5] a flood waits for slices; another server is read at once behind ten thousand frames", () => {
  const { lanes, work, slice } = rig();
  const log: string[] = [];
  for (const _ of flood(10_000)) lanes.of("flood").read(work("f", log));
  expect(log.length).toBeLessThan(1_000);
  const before = log.length;
  lanes.of("quiet").read(work("q", log));
  expect(log.slice(before)).toEqual(["q"]);
  slice();
  expect(log.length - before).toBeLessThan(6);
  while (slice());
  expect(log.length).toBe(10_001);
});

test("[P5] two that flood share what there is, and neither loses a frame or its order", () => {
  const { lanes, work, slice } = rig();
  const log: string[] = [];
  for (const at of flood(2_000)) {
    lanes.of("a").read(work(`a${at}`, log));
    lanes.of("b").read(work(`b${at}`, log));
  }
  const waitedFrom = log.length;
  for (let at = 0; at < 100; at += 1) slice();
  const shares = log.slice(waitedFrom).map((one) => one[0]);
  const ofA = shares.filter((one) => one === "a").length;
  expect(Math.abs(ofA - shares.length / 2)).toBeLessThanOrEqual(2);
  while (slice());
  for (const one of ["a", "b"]) {
    expect(log.filter((name) => name.startsWith(one))).toEqual([...flood(2_000)].map((at) => `${one}${at}`));
  }
});

test("[D5] no more of one server are undecided at once, and the rest is not even read", () => {
  const { lanes, slice, pass } = rig();
  const turns: Turn[] = [];
  let read = 0;
  const lane = lanes.of("s");
  for (const _ of flood(100)) {
    lane.read(() => {
      read += 1;
      lane.begin((turn) => void turns.push(turn));
    });
    pass(10);
  }
  while (slice());
  expect(turns).toHaveLength(MAX_UNDECIDED);
  expect(read).toBe(MAX_UNDECIDED);
  const [first] = turns;
  first?.giveBack();
  first?.giveBack();
  while (slice());
  expect(turns).toHaveLength(MAX_UNDECIDED + 1);
});

test("[A5] what gave its turn back goes on before what has not begun", async () => {
  const { lanes, slice } = rig();
  const lane = lanes.of("s");
  const order: string[] = [];
  const turns: Turn[] = [];
  for (const at of flood(MAX_UNDECIDED + 3)) {
    lane.begin((turn) => {
      turns.push(turn);
      order.push(`${at}`);
    });
  }
  while (slice());
  const waited = turns[0] as Turn;
  waited.giveBack();
  const again = waited.again().then(() => order.push("again"));
  while (slice());
  turns[1]?.giveBack();
  while (slice());
  await again;
  expect(order.indexOf("again")).toBeGreaterThan(0);
  expect(order.indexOf("again")).toBeLessThanOrEqual(MAX_UNDECIDED + 1);
});

test("[W1] what waits is not left waiting where the browser never becomes idle", () => {
  const { lanes, work, pass } = rig();
  const log: string[] = [];
  const lane = lanes.of("flood");
  for (const _ of flood(2_000)) {
    lane.read(work("f", log));
    pass(0.2);
  }
  // No slice ever ran on its own.
  expect(log.length).toBeGreaterThan(10);
  const before = log.length;
  for (const _ of flood(1_000)) {
    lane.read(work("f", log));
    pass(0.2);
  }
  expect(log.length).toBeGreaterThan(before);
});
