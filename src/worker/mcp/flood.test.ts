import { afterEach, expect, test } from "vitest";
import type { SamplingAnswer } from "./incoming";
import { MAX_UNDECIDED } from "./lanes";
import { type RawServer, rawHttp, rawWebSocket, resultOf, samplingOf } from "./testing/raw-server";
import { COMPLETION, createRig, eventually, type Rig } from "./testing/rig";
import { MAX_UNREAD_CHARS, MAX_UNREAD_FRAMES } from "./websocket";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function server(kind: "http" | "websocket" = "websocket"): Promise<RawServer> {
  const made = await (kind === "http" ? rawHttp() : rawWebSocket());
  open.push(made);
  return made;
}

function rig(...handlers: Parameters<typeof createRig>): Rig {
  const made = createRig(...handlers);
  open.unshift(made);
  return made;
}

const answered = (raw: RawServer) => raw.received.filter((one) => one.method === undefined && one.id !== undefined);
const never = () => new Promise<SamplingAnswer>(() => undefined);

test("[F21] [W1] ten thousand requests at once are all answered, each once", { timeout: 60_000 }, async () => {
  const raw = await server();
  const purser = rig();
  await purser.open(raw.url);
  for (let id = 0; id < 10_000; id += 1) raw.standing?.send(samplingOf(id, "again"));
  await eventually(() => answered(raw).length >= 10_000);
  expect(new Set(answered(raw).map(({ id }) => id)).size).toBe(10_000);
  expect(answered(raw)).toHaveLength(10_000);
  expect(purser.report("s")?.state.state).toBe("connected");
});

test("[F20] [P5] another server is answered while a flood waits", { timeout: 60_000 }, async () => {
  const [loud, quiet] = [await server(), await server()];
  const purser = rig();
  await purser.open(loud.url, { name: "loud" });
  await purser.open(quiet.url, { name: "quiet" });
  let answeredBefore: number | null = null;
  quiet.onOther = (message) => {
    if (message.method === undefined) answeredBefore ??= answered(loud).length;
    return false;
  };
  for (let id = 0; id < 10_000; id += 1) loud.standing?.send(samplingOf(id, "flood"));
  quiet.standing?.send(samplingOf(1, "one"));
  await eventually(() => answeredBefore !== null);
  expect(answeredBefore).toBeLessThan(5_000);
  await eventually(() => answered(loud).length === 10_000);
});

test("[F20] [K2-19] more than is kept unread ends the connection, which pauses, says so, and connects when asked", async () => {
  const raw = await server();
  const purser = rig(never);
  await purser.open(raw.url);
  // Undecided ones leave their turn to nobody, so all that follows stays unread.
  for (let id = 0; id < MAX_UNREAD_FRAMES + MAX_UNDECIDED + 10; id += 1) raw.standing?.send(samplingOf(id, "flood"));
  const { state } = await purser.until("s", (report) => report.state.state === "paused");
  expect(state).toMatchObject({ problem: "Paused: it sent more than Purser answers." });
  expect(state.state === "paused" && state.nextTryAt).toBeGreaterThan(Date.now() + 55_000);
  expect(purser.incoming).toHaveLength(MAX_UNDECIDED);
  expect(purser.incoming.every(({ signal }) => signal.reason === "connection_lost")).toBe(true);
  // What opens it without a person asking leaves it paused.
  purser.connections.open({ name: "s", url: raw.url, headers: {}, declareSampling: true });
  expect(purser.report("s")?.state.state).toBe("paused");
  purser.connections.retryNow("s");
  await purser.until("s", (report) => report.state.state === "connected");
});

test("[F17] [F20] so do fewer frames that are larger", async () => {
  const raw = await server();
  const purser = rig(never);
  await purser.open(raw.url);
  const text = "x".repeat(2 * 1024 * 1024);
  const frames = MAX_UNREAD_CHARS / text.length + MAX_UNDECIDED + 1;
  for (let id = 0; id < frames; id += 1) raw.standing?.send(samplingOf(id, text));
  await purser.until("s", (report) => report.state.state === "paused");
});

test("[F20] over HTTP nothing is cut off: the stream is read no further until there is room", async () => {
  const raw = await server("http");
  const held: ((answer: SamplingAnswer) => void)[] = [];
  const purser = rig(() => new Promise<SamplingAnswer>((resolve) => held.push(resolve)));
  await purser.open(raw.url);
  raw.onCall = (call, reply) => {
    for (let id = 0; id < 300; id += 1) reply.send(samplingOf(id, "x".repeat(2_000)));
    raw.onOther = (message) => {
      if (message.method !== undefined) return false;
      if (answered(raw).length === 300) reply.send(resultOf(call, "all answered"));
      return true;
    };
  };
  const called = purser.call("ask");
  await eventually(() => held.length === MAX_UNDECIDED);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(held).toHaveLength(MAX_UNDECIDED);
  const answering = setInterval(() => {
    for (const give of held.splice(0)) give(COMPLETION);
  }, 1);
  expect(await called).toMatchObject({ kind: "result", content: [{ text: "all answered" }] });
  clearInterval(answering);
});

test("a call's result is read even where the server hangs up behind a crowd of requests", async () => {
  const raw = await server();
  const purser = rig();
  await purser.open(raw.url);
  raw.onCall = (call, reply) => {
    for (let id = 0; id < 500; id += 1) reply.send(samplingOf(id, "before"));
    reply.send(resultOf(call, "the result"));
    reply.end();
  };
  expect(await purser.call("ask")).toMatchObject({ kind: "result", content: [{ text: "the result" }] });
});
