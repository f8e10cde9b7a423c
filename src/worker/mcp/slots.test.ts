import { expect, test } from "vitest";
import { tabLocks } from "./slot-locks";
import { createSlots, type Slots } from "./slots";

const URL_OF = "http://127.0.0.1:9/mcp";
const never = new AbortController().signal;

/** Two tabs of one browser: what they share is the locks. */
function twoTabs(): [Slots, Slots] {
  const locks = tabLocks();
  return [createSlots(locks), createSlots(locks)];
}

/** Asks for a slot; what it hears and whether it has one can be looked at. */
function asking(slots: Slots, url = URL_OF, signal = never) {
  const heard: (string | null)[] = [];
  let release: (() => void) | null | undefined;
  const done = slots
    .take(url, signal, (reason) => heard.push(reason))
    .then((given) => {
      release = given;
    });
  return { heard, done, isIn: () => typeof release === "function", release: () => release?.() };
}

const settled = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

test("all tabs together keep three calls in flight, and the queue says who holds the others", async () => {
  const [one, two] = twoTabs();
  const calls = [asking(one), asking(one), asking(two)];
  await settled();
  expect(calls.map((call) => call.isIn())).toEqual([true, true, true]);
  const here = asking(one);
  const there = asking(two);
  await settled();
  expect([here.isIn(), there.isIn()]).toEqual([false, false]);
  expect(here.heard).toEqual([expect.stringMatching(/^2 calls are running on .*, and another tab holds a connection/)]);
  expect(there.heard).toEqual([expect.stringMatching(/^1 call is running on .*, and another tab holds 2 connections/)]);
  calls[0]?.release();
  await here.done;
  expect(here.heard).toEqual([expect.any(String), null]);
  calls[2]?.release();
  await there.done;
  expect(there.isIn()).toBe(true);
});

test("a tab that holds nothing says that another one holds all; what only this tab holds is said plainly", async () => {
  const [one, two] = twoTabs();
  for (const _ of [1, 2, 3]) void asking(one);
  await settled();
  const there = asking(two);
  const here = asking(one);
  await settled();
  expect(there.heard).toEqual([expect.stringMatching(/^Another tab holds 3 connections to 127.0.0.1:9\. /)]);
  expect(here.heard).toEqual([expect.stringMatching(/^3 calls are running on 127.0.0.1:9 already\. /)]);
});

test("streams and calls of all tabs leave one connection for answers, and one call always fits", async () => {
  const [one, two] = twoTabs();
  const open: ((() => void) | null)[] = [];
  for (const tab of [one, two, one, two]) open.push(await tab.openStream(URL_OF, never, () => undefined));
  expect(open.every((release) => release !== null)).toBe(true);
  let waits = 0;
  let fifth: (() => void) | null | undefined;
  void two
    .openStream(URL_OF, never, () => {
      waits += 1;
    })
    .then((release) => {
      fifth = release;
    });
  const first = asking(one);
  const second = asking(two);
  await settled();
  expect([waits, fifth, first.isIn(), second.isIn()]).toEqual([1, undefined, true, false]);
  open[0]?.();
  await settled();
  expect(fifth).toBeTypeOf("function");
  expect(second.isIn()).toBe(false);
  open[3]?.();
  open[3]?.();
  await settled();
  expect(second.isIn()).toBe(true);
});

test("calls are let in in the order of asking, and one that is cancelled leaves the queue", async () => {
  const [one, two] = twoTabs();
  const running = [asking(one), asking(one), asking(one)];
  await settled();
  const person = new AbortController();
  const cancelled = asking(two, URL_OF, person.signal);
  const next = asking(one);
  const last = asking(two);
  await settled();
  person.abort();
  await cancelled.done;
  expect([cancelled.isIn(), cancelled.heard.length]).toEqual([false, 2]);
  running[1]?.release();
  running[1]?.release();
  await settled();
  expect([next.isIn(), last.isIn()]).toEqual([true, false]);
  running[0]?.release();
  await settled();
  expect(last.isIn()).toBe(true);
  expect((await asking(one, URL_OF, AbortSignal.abort()).done) ?? null).toBe(null);
});

test("where one connection carries many, tabs do not wait for each other", async () => {
  const [one, two] = twoTabs();
  const many = Array.from({ length: 32 }, () => asking(one, "ws://127.0.0.1:9/"));
  const other = asking(two, "ws://127.0.0.1:9/");
  const tooMany = asking(one, "ws://127.0.0.1:9/");
  const encrypted = asking(two, "https://127.0.0.1:9/");
  await settled();
  expect([...many, other, encrypted].every((call) => call.isIn())).toBe(true);
  expect(tooMany.isIn()).toBe(false);
  expect(tooMany.heard).toEqual([expect.stringMatching(/^32 calls are running on 127.0.0.1:9 already; /)]);
});

test("calls one after the other ask for one lock each", async () => {
  const locks = tabLocks();
  const asked: string[] = [];
  const slots = createSlots({
    request(name, options, granted) {
      asked.push(name);
      return locks.request(name, options, granted);
    },
  });
  for (let at = 0; at < 30; at += 1) {
    const release = await slots.take(URL_OF, never, () => expect.unreachable("it need not wait"));
    release?.();
    release?.();
  }
  expect(asked).toHaveLength(30);
});
