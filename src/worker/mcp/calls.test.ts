import { afterEach, describe, expect, test, vi } from "vitest";
import type { ToolProgress } from "./connection";
import { tabLocks } from "./slot-locks";
import { type RawServer, rawHttp, rawWebSocket, resultOf, samplingOf } from "./testing/raw-server";
import { COMPLETION, createRig, eventually, type Rig } from "./testing/rig";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function connected(kind: "http" | "websocket" = "http"): Promise<{ server: RawServer; purser: Rig }> {
  const server = await (kind === "http" ? rawHttp() : rawWebSocket());
  const purser = createRig();
  open.push(purser, server);
  await purser.open(server.url);
  return { server, purser };
}

const answer = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result });

describe("what a call becomes", () => {
  test("an error of the tool, an error of the protocol, and structured output stay apart", async () => {
    const { server, purser } = await connected();
    server.onCall = ({ id }, reply) =>
      reply.send(answer(id, { isError: true, content: [{ type: "text", text: "no" }] }));
    expect(await purser.call("ask")).toMatchObject({ kind: "result", isError: true, structured: undefined });
    server.onCall = ({ id }, reply) =>
      reply.send({ jsonrpc: "2.0", id, error: { code: -32602, message: "Unknown tool" } });
    expect(await purser.call("ask")).toEqual({
      kind: "error",
      code: -32602,
      message: expect.stringContaining("Unknown tool"),
    });
    server.onCall = ({ id }, reply) => reply.send(answer(id, { content: [], structuredContent: [1, null] }));
    expect(await purser.call("ask")).toMatchObject({ kind: "result", structured: [1, null], warnings: [] });
  });

  test.each(["http", "websocket"] as const)("answers no schema accepts end the call at once, over %s", async (kind) => {
    const { server, purser } = await connected(kind);
    const frames: ((id: number) => string)[] = [
      (id) => `{"jsonrpc":"2.0","id":${id},"result":null}`,
      (id) => `{"jsonrpc":"2.0","id":${id},"result":"text"}`,
      (id) => `{"jsonrpc":"2.0","id":${id},"error":"broken"}`,
      (id) => `{"jsonrpc":"1.0","id":${id},"error":{"code":"E_FAIL"}}`,
      (id) => `{"id":${id}}`,
    ];
    for (const frame of frames) {
      server.onCall = ({ id }, reply) => reply.send(frame(id as number));
      expect(await purser.call("ask")).toMatchObject({ kind: "error" });
    }
  });

  test("[K8-12] content that is none is shown as text, and the rest is kept", async () => {
    const { server, purser } = await connected();
    server.onCall = ({ id }, reply) => reply.send(answer(id, { content: [null, { type: "text", text: "kept" }, 7] }));
    expect(await purser.call("ask")).toMatchObject({
      content: [{ type: "text", text: "null" }, { text: "kept" }, { text: "7" }],
    });
    server.onCall = ({ id }, reply) => reply.send(answer(id, { content: { type: "text" } }));
    expect(await purser.call("ask")).toMatchObject({ content: [{ type: "text", text: '{"type":"text"}' }] });
    server.onCall = ({ id }, reply) => reply.send(answer(id, {}));
    expect(await purser.call("ask")).toMatchObject({ kind: "result", content: [] });
  });

  test("[K8-10] a structured output that does not fit is a remark; with isError nothing is checked", async () => {
    const server = await rawHttp();
    const outputSchema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
    server.tools = [{ name: "ask", inputSchema: { type: "object" }, outputSchema }];
    const purser = createRig();
    open.push(purser, server);
    await purser.open(server.url);
    const structuredContent = { err: { code: "NOT_FOUND" } };
    server.onCall = ({ id }, reply) => reply.send(answer(id, { content: [], structuredContent }));
    expect(await purser.call("ask")).toMatchObject({
      structured: structuredContent,
      warnings: [expect.stringContaining("does not fit")],
    });
    server.onCall = ({ id }, reply) => reply.send(answer(id, { content: [], structuredContent, isError: true }));
    expect(await purser.call("ask")).toMatchObject({ isError: true, structured: structuredContent, warnings: [] });
    server.onCall = ({ id }, reply) => reply.send(answer(id, { content: [], structuredContent: { id: 3 } }));
    expect(await purser.call("ask")).toMatchObject({ warnings: [] });
  });

  test("a long text is cut, and says so", async () => {
    const { server, purser } = await connected();
    server.onCall = ({ id }, reply) =>
      reply.send(answer(id, { content: [{ type: "text", text: "é".repeat(1_000_000) }] }));
    const outcome = await purser.call("ask");
    if (outcome.kind !== "result") throw new Error(outcome.kind);
    expect(outcome.content[0]?.text).toHaveLength(512 * 1024);
    expect(outcome.warnings.join()).toContain("1000000 characters");
  });

  test.each(["http", "websocket"] as const)(
    "[W9] an answer over 4 MiB ends the call by name, over %s",
    async (kind) => {
      const { server, purser } = await connected(kind);
      const text = "x".repeat(5 * 1024 * 1024);
      server.onCall = ({ id }, reply) => reply.send(answer(id, { content: [{ type: "text", text }] }));
      expect(await purser.call("ask")).toMatchObject({
        kind: "error",
        code: null,
        message: expect.stringContaining("4 MiB"),
      });
      server.onCall = ({ id }, reply) =>
        reply.send(`{"result":{"content":[{"type":"text","text":"${text}"}]},"jsonrpc":"2.0","id":${id}}`);
      expect(await purser.call("ask")).toMatchObject({
        kind: "error",
        code: null,
        message: expect.stringContaining("4 MiB"),
      });
      server.onCall = (call, reply) => reply.send(resultOf(call, "fine"));
      expect(await purser.call("ask")).toMatchObject({ kind: "result" });
    },
  );

  test("structured output nested without end is not shown, and harms nothing", async () => {
    const { server, purser } = await connected();
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    server.onCall = ({ id }, reply) =>
      reply.send(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${nested(200)}}}`);
    expect(await purser.call("ask")).toMatchObject({
      kind: "result",
      structured: undefined,
      warnings: [expect.stringContaining("64 levels")],
    });
    server.onCall = ({ id }, reply) => reply.send(`{"jsonrpc":"2.0","id":${id},"result":{"content":${nested(5000)}}}`);
    expect(await purser.call("ask")).toMatchObject({ kind: "error", code: null });
  });

  test("progress is passed on, but not faster than anyone can look", async () => {
    const { server, purser } = await connected();
    server.onCall = (call, reply) => {
      const meta = call.params?._meta as { progressToken: number } | undefined;
      for (let progress = 1; progress <= 500; progress += 1) {
        const params = { progressToken: meta?.progressToken, progress, total: 500, message: `step ${progress}` };
        reply.send({ jsonrpc: "2.0", method: "notifications/progress", params });
      }
    };
    const heard: ToolProgress[] = [];
    const person = new AbortController();
    const running = purser.call("ask", { onProgress: (progress) => heard.push(progress), signal: person.signal });
    await eventually(() => heard.at(-1)?.progress === 500);
    expect(heard[0]).toEqual({ progress: 1, total: 500, message: "step 1" });
    expect(heard.length).toBeLessThan(50);
    person.abort();
    await running;
  });

  test("[K8-20] a cancelled call tells the server, and a result that still comes is told to the person", async () => {
    const { server, purser } = await connected();
    let finish: () => void = () => undefined;
    server.onCall = (call, reply) => {
      finish = () => reply.send(resultOf(call, "done after all"));
    };
    const person = new AbortController();
    const running = purser.call("ask", { signal: person.signal, runId: "run-9" });
    await eventually(() => server.received.find((one) => one.method === "tools/call"));
    person.abort("cancelled_by_person");
    expect(await running).toEqual({ kind: "cancelled" });
    const call = server.received.find((one) => one.method === "tools/call");
    const cancelled = await eventually(() => server.received.find((one) => one.method === "notifications/cancelled"));
    expect(cancelled.params).toMatchObject({ requestId: call?.id });
    finish();
    const { warnings } = await purser.until("s", (report) => report.warnings.length > 0);
    expect(warnings.join()).toContain('Tool "ask" finished after it was given up');
    expect(purser.late).toEqual(["run-9"]);
  });

  test("calls to a server that is not there are errors", async () => {
    const purser = createRig();
    expect(await purser.call("ask", { server: "nobody" })).toMatchObject({ kind: "error", code: null });
  });
});

describe("when the connection breaks", () => {
  test("[K3-24] a stream that dies without event ids is an unknown outcome at once; the connection stays", async () => {
    const { server, purser } = await connected();
    server.onCall = (_call, reply) => reply.cut();
    expect(await purser.call("ask")).toMatchObject({ kind: "outcome_unknown" });
    server.onCall = (_call, reply) => reply.end();
    expect(await purser.call("ask")).toMatchObject({ kind: "outcome_unknown" });
    server.onCall = (call, reply) => reply.send(resultOf(call, "fine"));
    expect(await purser.call("ask")).toMatchObject({ kind: "result" });
    expect(purser.states("s")).toEqual(["connecting", "connected"]);
  });

  test("[K3-24] with event ids the stream is resumed, and a request on it still names its call", async () => {
    const { server, purser } = await connected();
    let call: Parameters<RawServer["onCall"]>[0] = {};
    server.onCall = (message, reply) => {
      call = message;
      reply.write("retry: 10\n\n");
      reply.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "" } }, "event-1");
      setTimeout(() => reply.cut(), 20);
    };
    server.onHttp = (request, response) => {
      if (request.headers["last-event-id"] !== "event-1") return false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(samplingOf("s", "resumed"))}\n\n`);
      server.onOther = (message) => {
        if (message.id === "s") response.end(`data: ${JSON.stringify(resultOf(call, "resumed"))}\n\n`);
        return message.id === "s";
      };
      return true;
    };
    const other = new AbortController();
    const outcome = await purser.call("ask", { runId: "run-1" });
    other.abort();
    expect(outcome).toMatchObject({ kind: "result", content: [{ text: "resumed" }] });
    expect(purser.incoming).toMatchObject([{ runId: "run-1" }]);
  });

  test("a WebSocket that closes leaves the outcome unknown, and is opened again", async () => {
    const { server, purser } = await connected("websocket");
    server.onCall = () => server.cut();
    expect(await purser.call("ask")).toMatchObject({ kind: "outcome_unknown" });
    const report = await purser.until("s", ({ state }) => state.state === "reconnecting");
    expect(report.state).toMatchObject({ attempt: 1 });
    await purser.until("s", ({ state }) => state.state === "connected");
    server.onCall = (call, reply) => reply.send(resultOf(call, "fine"));
    expect(await purser.call("ask")).toMatchObject({ kind: "result" });
  });

  test("an event without end is cut, and the call ends", async () => {
    const { server, purser } = await connected();
    server.onCall = async (_call, reply) => {
      reply.write("data: ");
      const piece = "x".repeat(1024 * 1024);
      for (let at = 0; at < 80; at += 1) {
        reply.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    expect(await purser.call("ask")).toMatchObject({ kind: "outcome_unknown" });
    server.onCall = (call, reply) => reply.send(resultOf(call, "fine"));
    expect(await purser.call("ask")).toMatchObject({ kind: "result" });
  }, 20_000);

  test("[D1] an expired session is replaced, and the call that found out is run once", async () => {
    const { server, purser } = await connected();
    server.sessions.clear();
    expect(await purser.call("ask")).toMatchObject({ kind: "result" });
    expect(server.received.filter((one) => one.method === "tools/call")).toHaveLength(1);
    expect(server.received.filter((one) => one.method === "initialize")).toHaveLength(2);
    expect(purser.report("s")?.state.state).toBe("connected");
  });

  test("an expired session that answers 400 is replaced too, once for all calls that find out", async () => {
    const { server, purser } = await connected();
    const old = [...server.sessions][0];
    server.onHttp = (request, response) => {
      if (request.method !== "POST" || request.headers["mcp-session-id"] !== old) return false;
      response.writeHead(400).end("Bad Request: Server not initialized");
      return true;
    };
    const outcomes = await Promise.all([purser.call("ask"), purser.call("ask"), purser.call("ask")]);
    expect(outcomes.filter((one) => one.kind === "result").length).toBeGreaterThan(0);
    expect(outcomes.every((one) => one.kind === "result" || one.kind === "outcome_unknown")).toBe(true);
    expect(server.received.filter((one) => one.method === "initialize")).toHaveLength(2);
  });

  test("a server that forgets every session is not asked for ever", async () => {
    const { server, purser } = await connected();
    server.onHttp = (request, response, body) => {
      if (request.method !== "POST" || !body.includes('"tools/call"')) return false;
      response.writeHead(404).end("Session not found");
      return true;
    };
    expect(await purser.call("ask")).toMatchObject({ kind: "error", message: expect.stringContaining("forgets") });
    expect(server.received.filter((one) => one.method === "initialize")).toHaveLength(2);
  });
});

describe("how long a call may take", () => {
  /** Timers stand still but for what `pass` lets go by; sockets go on. */
  async function turns(until: () => boolean): Promise<void> {
    while (!until()) await new Promise((resolve) => setImmediate(resolve));
  }
  const pass = (minutes: number) => vi.advanceTimersByTimeAsync(minutes * 60_000);
  afterEach(() => void vi.useRealTimers());

  test("[K5] [R4] sampling and progress keep it alive without limit; silence ends it, and the server is told", async () => {
    const held: (() => void)[] = [];
    const server = await rawWebSocket();
    const purser = createRig(() => new Promise((resolve) => void held.push(() => resolve(COMPLETION))));
    open.push(purser, server);
    await purser.open(server.url);
    let tell: (frame: object) => void = () => undefined;
    let token: unknown;
    server.onCall = (call, reply) => {
      token = (call.params as { _meta: { progressToken: number } })._meta.progressToken;
      tell = (frame) => reply.send(frame);
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let ended: string | null = null;
    const heard: string[] = [];
    const running = purser.call("ask", { onProgress: () => heard.push("progress") }).then((outcome) => {
      ended = outcome.kind;
      return outcome;
    });
    await turns(() => token !== undefined);
    // A consent and the greatest deadline, several times over.
    for (const round of [1, 2, 3]) {
      tell(samplingOf(round, "hello"));
      await turns(() => held.length === round);
      for (const _ of [1, 2, 3]) await pass(15);
      held.at(-1)?.();
      await turns(() => server.received.some((one) => one.id === round && "result" in one));
      await pass(15);
    }
    const params = { progressToken: token, progress: 1 };
    tell({ jsonrpc: "2.0", method: "notifications/progress", params });
    await turns(() => heard.length === 1);
    await pass(15.5);
    expect(ended).toBe(null);
    await pass(1);
    await turns(() => ended !== null);
    expect(await running).toMatchObject({ kind: "outcome_unknown", message: expect.stringContaining("in time") });
    await turns(() => server.received.some((one) => one.method === "notifications/cancelled"));
  });
});

describe("calls that wait", () => {
  test("three at a time to one http: origin, over all servers on it; the fourth says why it waits", async () => {
    const { server, purser } = await connected();
    await purser.open(server.url, { name: "t" });
    const finish: (() => void)[] = [];
    server.onCall = (call, reply) => void finish.push(() => reply.send(resultOf(call, "")));
    const reasons: (string | null)[] = [];
    const onQueued = (reason: string | null) => reasons.push(reason);
    const running = ["s", "t", "s", "t"].map((name) => purser.call("ask", { server: name, onQueued }));
    await eventually(() => finish.length === 3);
    expect(reasons).toEqual([expect.stringContaining("six connections")]);
    expect(await purser.until("t", (report) => report.callsQueued === 1)).toMatchObject({ callsInFlight: 1 });
    finish[0]?.();
    await eventually(() => finish.length === 4);
    expect(reasons).toHaveLength(2);
    expect(reasons[1]).toBe(null);
    for (const end of finish.slice(1)) end();
    for (const outcome of await Promise.all(running)) expect(outcome.kind).toBe("result");
    await purser.until("t", (report) => report.callsQueued === 0 && report.callsInFlight === 0);
  });

  test("two tabs on one http: origin: both have a stream, together three calls, and every answer gets through", async () => {
    const server = await rawHttp();
    const locks = tabLocks();
    const tabs = [createRig(undefined, undefined, locks), createRig(undefined, undefined, locks)];
    open.push(...tabs, server);
    for (const tab of tabs) await tab.open(server.url);
    await eventually(() => server.log.filter((line) => line === "GET open").length === 2);
    let inFlight = 0;
    let most = 0;
    server.onCall = (call, reply) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      reply.send(samplingOf(`for ${call.id}`, "hello"));
      server.onOther = (message) => {
        if (message.method !== undefined) return false;
        return true;
      };
      void eventually(() => server.received.find((one) => one.id === `for ${call.id}` && "result" in one)).then(() => {
        inFlight -= 1;
        reply.send(resultOf(call, ""));
      });
    };
    const reasons: (string | null)[] = [];
    const onQueued = (reason: string | null) => reasons.push(reason);
    const calls = tabs.flatMap((tab) => [1, 2, 3].map(() => tab.call("ask", { onQueued })));
    for (const outcome of await Promise.all(calls)) expect(outcome.kind).toBe("result");
    expect(most).toBeLessThanOrEqual(3);
    expect(reasons.join()).toMatch(/other tab holds/);
  });

  test("a call cancelled while it waits never reaches the server", async () => {
    const { server, purser } = await connected();
    const finish: (() => void)[] = [];
    server.onCall = (call, reply) => void finish.push(() => reply.send(resultOf(call, "")));
    const running = [1, 2, 3].map(() => purser.call("ask"));
    await eventually(() => finish.length === 3);
    const person = new AbortController();
    const reasons: (string | null)[] = [];
    const waiting = purser.call("ask", { signal: person.signal, onQueued: (reason) => reasons.push(reason) });
    await eventually(() => reasons.length === 1);
    person.abort();
    expect(await waiting).toEqual({ kind: "cancelled" });
    for (const end of finish) end();
    await Promise.all(running);
    expect(server.received.filter((one) => one.method === "tools/call")).toHaveLength(3);
  });

  test("a WebSocket carries many at once", async () => {
    const { server, purser } = await connected("websocket");
    const finish: (() => void)[] = [];
    server.onCall = (call, reply) => void finish.push(() => reply.send(resultOf(call, "")));
    const running = Array.from({ length: 12 }, () => purser.call("ask"));
    await eventually(() => finish.length === 12);
    for (const end of finish) end();
    await Promise.all(running);
  });
});
