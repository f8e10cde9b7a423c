import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Plan } from "../../policy/account";
import type { DialogAnswer, DialogView } from "../api";
import { createConsentDesk, type Desk } from "./consent-desk";
import type { ConsentQuestion } from "./deps";

const SERVER = "ci-triage";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** The browser's locks, shared by all tabs: first come, first served. Node 20 has none. */
function sharedLocks(): LockManager {
  const queues = new Map<string, Promise<void>>();
  const held = new Set<string>();
  const request = async (name: string, options: LockOptions, work: (lock: Lock | null) => unknown) => {
    if (options.ifAvailable === true && held.has(name)) return work(null);
    const before = queues.get(name) ?? Promise.resolve();
    let done: () => void = () => undefined;
    queues.set(
      name,
      Promise.all([before, new Promise<void>((resolve) => (done = resolve))]).then(() => undefined),
    );
    if (held.has(name)) await before;
    if (options.signal?.aborted) {
      done();
      throw options.signal.reason;
    }
    held.add(name);
    await work({ name, mode: "exclusive" });
    held.delete(name);
    done();
  };
  return { request, query: async () => ({}) } as unknown as LockManager;
}

interface Tab {
  readonly desk: Desk;
  readonly late: DialogAnswer[];
  readonly closed: string[];
}

function tabOn(locks: LockManager): Tab {
  const [late, closed]: [DialogAnswer[], string[]] = [[], []];
  let ids = 0;
  const desk = createConsentDesk({
    locks,
    now: () => Date.now(),
    newId: () => `dialog-${++ids}`,
    profileName: () => "Ada",
    hostOf: () => "127.0.0.1",
    onDialog: () => undefined,
    onClosed: (id) => void closed.push(id),
    answeredLate: async (_, answer) => void late.push(answer),
  });
  return { desk, late, closed };
}

function asking(words: string, signal = new AbortController().signal): ConsentQuestion {
  const plan = { model: "m", provider: "p", fellBackFrom: [], estimateMicros: 10, manifest: [] } as unknown as Plan;
  const request = { systemPrompt: null, messages: [{ role: "user", content: [{ type: "text", text: words }] }] };
  return {
    server: SERVER,
    request,
    ask: { identity: `${SERVER}:${words}`, draft: { id: words, runId: null, tool: null } },
    terms: { plan, atMostMicros: 10, ceilingMicros: 100, untilAt: Date.now() + 3_600_000 },
    mode: "per_session",
    termsChanged: false,
    answerByAt: Date.now() + 45_000,
    signal,
  } as unknown as ConsentQuestion;
}

/** As the decider does it: wait for the turn, ask once, give the turn back. */
async function through({ desk }: Tab, question: ConsentQuestion): Promise<unknown> {
  const { server, ask, answerByAt, signal } = question;
  const turn = { server, identity: ask.identity, untilAt: answerByAt - 10_000, signal };
  const release = await desk.turn(turn, () => undefined);
  if (release === null) return "no turn";
  try {
    return await desk.ask(question);
  } finally {
    release();
  }
}

const open = (...tabs: readonly Tab[]): readonly DialogView[] => tabs.flatMap(({ desk }) => [...desk.dialogs()]);
const settle = () => vi.advanceTimersByTimeAsync(0);

test("[K2] many requests, in two tabs: one dialog at a time", async () => {
  const locks = sharedLocks();
  const [one, other] = [tabOn(locks), tabOn(locks)];
  const answers = ["a", "b", "c", "d"].map((words, at) => through(at % 2 === 0 ? one : other, asking(words)));
  for (let answered = 0; answered < 4; answered += 1) {
    await settle();
    const [dialog, second] = open(one, other);
    expect(second).toBeUndefined();
    for (const tab of [one, other]) await tab.desk.answer(dialog?.id ?? "", "allow_once");
  }
  expect(await Promise.all(answers)).toMatchObject(Array(4).fill({ answer: "allow_once" }));
});

test("[K2] [K5] beside a late dialog no other tab opens one, until it is answered or its policy changes", async () => {
  const locks = sharedLocks();
  const [one, other] = [tabOn(locks), tabOn(locks)];
  const first = through(one, asking("a"));
  await vi.advanceTimersByTimeAsync(45_000);
  expect(await first).toEqual({ answer: "unanswered", shown: true });
  expect(open(one)).toMatchObject([{ late: true }]);

  const second = through(other, asking("b"));
  await settle();
  expect(open(other)).toEqual([]);
  one.desk.closeFor(SERVER);
  await settle();
  expect(open(one)).toEqual([]);
  await other.desk.answer(open(other)[0]?.id ?? "", "deny");
  expect(await second).toMatchObject({ answer: "deny" });
});

test("[K5] the retry goes on in the late dialog, and the turn is given back after it", async () => {
  const locks = sharedLocks();
  const [one, other] = [tabOn(locks), tabOn(locks)];
  const first = through(one, asking("a"));
  await vi.advanceTimersByTimeAsync(45_000);
  await first;
  const [late] = open(one);
  const retry = through(one, asking("a"));
  await settle();
  expect(open(one)).toMatchObject([{ id: late?.id, late: false }]);
  await one.desk.answer(late?.id ?? "", "allow_once");
  expect(await retry).toMatchObject({ answer: "allow_once" });
  const next = through(other, asking("b"));
  await settle();
  expect(open(one, other)).toHaveLength(1);
  await other.desk.answer(open(other)[0]?.id ?? "", "deny");
  expect(await next).toMatchObject({ answer: "deny" });
});

test("[K2-13] [F41] a yes after the server gave up is kept for its retry; the dialog of what it took back is gone", async () => {
  const tab = tabOn(sharedLocks());
  const gone = new AbortController();
  const cancelled = through(tab, asking("a", gone.signal));
  await settle();
  const [dialog] = open(tab);
  gone.abort("cancelled_by_server");
  expect(await cancelled).toBeNull();
  expect(tab.closed).toEqual([dialog?.id]);
  expect(await tab.desk.answer(dialog?.id ?? "", "allow_session")).toBe(false);
  expect(tab.late).toEqual([]);

  const unanswered = through(tab, asking("b"));
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(await unanswered).toEqual({ answer: "unanswered", shown: true });
  expect(await tab.desk.answer(open(tab)[0]?.id ?? "", "allow_once")).toBe(true);
  expect(tab.late).toEqual(["allow_once"]);
  expect(open(tab)).toEqual([]);
});

test("[A3] a policy edited while the person reads takes the dialog away; what it asks is decided anew", async () => {
  const tab = tabOn(sharedLocks());
  const asked = through(tab, asking("a"));
  await settle();
  const [dialog] = open(tab);
  tab.desk.closeFor(SERVER);
  expect(await asked).toBe("terms_changed");
  expect(await tab.desk.answer(dialog?.id ?? "", "allow_session")).toBe(false);
});
