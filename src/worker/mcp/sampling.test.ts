import { afterEach, describe, expect, test } from "vitest";
import type { SamplingAnswer } from "./incoming";
import { type Message, type RawServer, rawHttp, rawWebSocket, resultOf, samplingOf } from "./testing/raw-server";
import { COMPLETION, createRig, eventually, type Rig } from "./testing/rig";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function rawServer(kind: "http" | "websocket"): Promise<RawServer> {
  const server = await (kind === "http" ? rawHttp() : rawWebSocket());
  open.push(server);
  return server;
}

function rig(...handlers: Parameters<typeof createRig>): Rig {
  const made = createRig(...handlers);
  open.unshift(made);
  return made;
}

const answersTo = (server: RawServer, id: string | number) =>
  server.received.filter((one) => one.id === id && one.method === undefined);

/** A handler that waits until the test answers. */
function heldHandler() {
  const held: ((answer: SamplingAnswer | null) => void)[] = [];
  const one = () => new Promise<SamplingAnswer | null>((resolve) => held.push(resolve));
  return { held, one };
}

describe.each(["http", "websocket"] as const)("over %s", (kind) => {
  test("[W1] a request is answered once, whatever id it has", async () => {
    const server = await rawServer(kind);
    const ids = [0, -3, "0", "a b", 2 ** 40];
    server.onCall = (call, reply) => {
      for (const id of ids) reply.send(samplingOf(id, `for ${id}`));
      server.onOther = (message) => {
        if (message.method !== undefined) return false;
        if (ids.every((id) => answersTo(server, id).length > 0)) reply.send(resultOf(call, "all answered"));
        return true;
      };
    };
    const purser = rig();
    expect((await purser.open(server.url)).samplingDeclared).toBe(true);
    expect(await purser.call("ask")).toMatchObject({ kind: "result", content: [{ text: "all answered" }] });
    for (const id of ids) {
      expect(answersTo(server, id)).toHaveLength(1);
      expect(answersTo(server, id)[0]).toMatchObject({ jsonrpc: "2.0", result: { model: "test-1" } });
    }
    expect(purser.incoming.every((one) => one.protocol === "2025-11-25" && one.transport === kind)).toBe(true);
  });

  test("[W1] a refusal reaches the server whole: code, message and data", async () => {
    const server = await rawServer(kind);
    const error = {
      code: -32003,
      message: "s: policy.budget_exhausted",
      data: { reason: "policy.budget_exhausted", server: "s", retryable: false },
    };
    server.onCall = (call, reply) => {
      reply.send(samplingOf("r", "hello"));
      server.onOther = (message) => {
        if (message.id === "r") reply.send(resultOf(call, "after"));
        return message.id === "r";
      };
    };
    const purser = rig(async () => ({ error }));
    await purser.open(server.url);
    await purser.call("ask");
    expect(answersTo(server, "r")).toEqual([{ jsonrpc: "2.0", id: "r", error }]);
  });

  test("[W1] requests that arrive before `initialized` are answered too", async () => {
    const server = await rawServer(kind);
    server.onOther = (message, reply) => {
      if (message.method === "initialize") reply.send(samplingOf("early", "before the handshake"));
      return false;
    };
    const purser = rig();
    await purser.open(server.url);
    await eventually(() => answersTo(server, "early").length === 1);
  });

  test("[W1] a handler that breaks still leaves one response", async () => {
    const server = await rawServer(kind);
    server.onCall = (call, reply) => {
      reply.send(samplingOf(1, "hello"));
      reply.send(samplingOf(2, "hello"));
      server.onOther = (message) => {
        if (message.method === undefined && answersTo(server, 1).length + answersTo(server, 2).length === 2)
          reply.send(resultOf(call, ""));
        return message.method === undefined;
      };
    };
    const purser = rig(async (request) => {
      if (request.params === purser.incoming[0]?.params) throw new Error("broken");
      return null;
    });
    await purser.open(server.url);
    await purser.call("ask");
    expect(answersTo(server, 1)).toMatchObject([{ error: { code: -32603 } }]);
    expect(answersTo(server, 2)).toMatchObject([{ error: { code: -32603 } }]);
  });

  test("[K8-24] [K7] a request the server cancels ends without a response; an unknown id changes nothing", async () => {
    const server = await rawServer(kind);
    const { held, one } = heldHandler();
    let finish: () => void = () => undefined;
    server.onCall = (call, reply) => {
      reply.send(samplingOf("q-4", "slow"));
      reply.send(samplingOf(4, "stays"));
      reply.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "4" } });
      finish = () => reply.send(resultOf(call, ""));
      void eventually(() => held.length === 2).then(() => {
        reply.send({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: "q-4", reason: "timeout" },
        });
      });
    };
    const purser = rig(one);
    await purser.open(server.url);
    const running = purser.call("ask");
    const first = await eventually(() => purser.incoming.find((one) => one.signal.aborted));
    expect(first.signal.reason).toBe("cancelled_by_server");
    for (const answer of held) answer(COMPLETION);
    await eventually(() => answersTo(server, 4).length === 1);
    finish();
    await running;
    expect(answersTo(server, "q-4")).toHaveLength(0);
  });

  test("[K2-13] an answer that comes after the cancellation is not sent", async () => {
    const server = await rawServer(kind);
    const { held, one } = heldHandler();
    const purser = rig(one);
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    standing.send(samplingOf("slow", "dialog"));
    await eventually(() => held.length === 1);
    standing.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow" } });
    await eventually(() => purser.incoming[0]?.signal.aborted);
    held[0]?.(COMPLETION);
    standing.send(samplingOf("next", "later"));
    await eventually(() => held.length === 2);
    held[1]?.(COMPLETION);
    await eventually(() => answersTo(server, "next").length === 1);
    expect(answersTo(server, "slow")).toHaveLength(0);
  });

  test("[F7] a duplicate id in flight: both are answered, and a cancellation ends the older one", async () => {
    const server = await rawServer(kind);
    const { held, one } = heldHandler();
    const purser = rig(one);
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    standing.send(samplingOf(7, "first"));
    standing.send(samplingOf(7, "second"));
    standing.send(samplingOf("7", "another id"));
    await eventually(() => held.length === 3);
    standing.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
    await eventually(() => purser.incoming[0]?.signal.aborted);
    expect(purser.incoming.map((one) => one.signal.aborted)).toEqual([true, false, false]);
    for (const answer of held) answer(COMPLETION);
    await eventually(() => answersTo(server, 7).length === 1 && answersTo(server, "7").length === 1);
  });

  test("[K7] losing the connection aborts what it asked for", async () => {
    const server = await rawServer(kind);
    const { held, one } = heldHandler();
    const purser = rig(one);
    await purser.open(server.url);
    (await eventually(() => server.standing)).send(samplingOf(1, "hello"));
    await eventually(() => held.length === 1);
    await purser.connections.close("s");
    expect(purser.incoming[0]?.signal.reason).toBe("connection_lost");
    expect(answersTo(server, 1)).toHaveLength(0);
  });

  test("[W1] when the person cancels the tool call, its requests get what the handler answers, once", async () => {
    const server = await rawServer(kind);
    const { held, one } = heldHandler();
    server.onCall = (_call, reply) => {
      for (const id of [5, 6, 7]) reply.send(samplingOf(id, "hello"));
    };
    const purser = rig(one);
    await purser.open(server.url);
    const person = new AbortController();
    const running = purser.call("ask", { signal: person.signal });
    await eventually(() => held.length === 3);
    const standing = await eventually(() => server.standing);
    person.abort();
    expect(await running).toEqual({ kind: "cancelled" });
    expect(purser.incoming.map((one) => one.signal.reason)).toEqual(Array(3).fill("cancelled_by_person"));
    await eventually(() => server.received.find((one) => one.method === "notifications/cancelled"));
    // What the server takes back as well is answered no more; an id of nothing behind it shows that it was read.
    standing.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 6 } });
    standing.send(samplingOf(8, "after it"));
    await eventually(() => held.length === 4);
    const error = { code: -32004, message: "s: consent.pending", data: { reason: "consent.pending", retryable: true } };
    for (const answer of held.slice(0, 2)) answer({ error });
    held[2]?.(null);
    held[3]?.(COMPLETION);
    await eventually(() => [5, 7, 8].every((id) => answersTo(server, id).length > 0));
    expect(answersTo(server, 5)).toEqual([{ jsonrpc: "2.0", id: 5, error }]);
    expect(answersTo(server, 6)).toEqual([]);
    expect(answersTo(server, 7)).toMatchObject([{ error: { code: -32603 } }]);
    expect(JSON.stringify(server.received)).not.toContain("user.denied");
  });

  test("[P1] sampling is declared only where the policy lets it; a request that comes all the same is handed on", async () => {
    const server = await rawServer(kind);
    const purser = rig(async () => ({ error: { code: -32003, message: "off" } }));
    const report = await purser.open(server.url, { declareSampling: false });
    expect(report.samplingDeclared).toBe(false);
    const initialize = server.received.find((one) => one.method === "initialize");
    expect(initialize?.params?.capabilities).toEqual({});
    (await eventually(() => server.standing)).send(samplingOf(1, "hello"));
    await eventually(() => answersTo(server, 1).length === 1);
    expect(purser.incoming).toHaveLength(1);

    purser.connections.open({ name: "s", url: server.url, headers: {}, declareSampling: true });
    await purser.until("s", (one) => one.state.state === "connected" && one.samplingDeclared);
    const last = server.received.filter((one) => one.method === "initialize").at(-1);
    expect(last?.params?.capabilities).toEqual({ sampling: {} });
  });

  test("[K5] progress goes out under the server's own token, and only until the answer", async () => {
    const server = await rawServer(kind);
    const { held, one } = heldHandler();
    const purser = rig(one);
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    standing.send(samplingOf(1, "hello", { _meta: { progressToken: 0 } }));
    standing.send(samplingOf(2, "hello"));
    await eventually(() => held.length === 2);
    expect(purser.incoming[1]?.progress).toBe(null);
    purser.incoming[0]?.progress?.(1, "waiting for consent");
    const sent = await eventually(() => server.received.find((one) => one.method === "notifications/progress"));
    expect(sent.params).toEqual({ progressToken: 0, progress: 1, message: "waiting for consent" });
    held[0]?.(COMPLETION);
    await eventually(() => answersTo(server, 1).length === 1);
    purser.incoming[0]?.progress?.(2, "too late");
    held[1]?.(COMPLETION);
    await eventually(() => answersTo(server, 2).length === 1);
    expect(server.received.filter((one) => one.method === "notifications/progress")).toHaveLength(1);
  });

  test("[W9] frames nobody can use do not end the connection", async () => {
    const server = await rawServer(kind);
    const purser = rig();
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    for (const bad of [
      "{",
      "null",
      "7",
      '"text"',
      "[]",
      "[1,[]]",
      '{"jsonrpc":"2.0"}',
      '{"id":null,"method":"sampling/createMessage"}',
    ]) {
      standing.send(bad);
    }
    standing.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}');
    standing.send('{"jsonrpc":"2.0","id":{"a":1},"method":"sampling/createMessage","params":{}}');
    standing.send(samplingOf("after", "still here"));
    await eventually(() => answersTo(server, "after").length === 1);
    expect(purser.incoming).toHaveLength(1);
    const report = await purser.until("s", ({ warnings }) => warnings.length > 0);
    expect(report.state.state).toBe("connected");
    expect(report.warnings.join(" ")).toContain("without a usable id");
  });

  test("[W9] a wrong envelope and an absent params are handed on, for -32602", async () => {
    const server = await rawServer(kind);
    const purser = rig(async ({ frameProblem }) => ({
      error: { code: -32602, message: frameProblem?.path ?? "params" },
    }));
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    standing.send('{"jsonrpc":"1.0","id":1,"method":"sampling/createMessage","params":{}}');
    standing.send('{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"}');
    await eventually(() => answersTo(server, 1).length + answersTo(server, 2).length === 2);
    expect(answersTo(server, 1)).toMatchObject([{ error: { message: "jsonrpc" } }]);
    expect(purser.incoming[1]?.params).toBe(undefined);
  });

  test("[W9] a batch is taken apart", async () => {
    const server = await rawServer(kind);
    const purser = rig();
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    standing.send([samplingOf("b1", "one"), { jsonrpc: "2.0", id: "p", method: "ping" }, samplingOf("b2", "two")]);
    await eventually(() => ["b1", "b2", "p"].every((id) => answersTo(server, id).length === 1));
  });

  test("[W9] nesting over 64 is refused by name, whatever its depth", async () => {
    const server = await rawServer(kind);
    const purser = rig(async ({ frameProblem }) => ({
      error: { code: -32602, message: frameProblem?.problem ?? "none" },
    }));
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const request = (id: number, depth: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"metadata":${nested(depth)}}}`;
    standing.send(request(1, 63));
    standing.send(request(2, 64));
    standing.send(request(3, 5000));
    standing.send(`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":${nested(90)}}}`);
    await eventually(() => [1, 2, 3, 4].every((id) => answersTo(server, id).length === 1));
    expect(answersTo(server, 1)).toMatchObject([{ error: { message: "none" } }]);
    expect(answersTo(server, 2)).toMatchObject([{ error: { message: expect.stringContaining("64") } }]);
    expect(answersTo(server, 3)).toMatchObject([{ error: { message: expect.stringContaining("64") } }]);
    expect(answersTo(server, 4)).toMatchObject([{ error: { code: -32602 } }]);
  });

  test("[W9] [F17] a frame of exactly 4 MiB is read; one of a byte more, and one of 64 MiB, are not, and both are answered", async () => {
    const server = await rawServer(kind);
    const purser = rig(async ({ frameProblem }) => ({
      error: { code: -32602, message: frameProblem?.problem ?? "read" },
    }));
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    const frame = (id: number, bytes: number) => {
      const empty = `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"systemPrompt":""}}`;
      return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
    };
    const mib = 1024 * 1024;
    for (const [id, bytes] of [
      [1, 4 * mib],
      [2, 4 * mib + 1],
      [3, 64 * mib],
    ] as const)
      standing.send(frame(id, bytes));
    standing.send(samplingOf(4, "still here"));
    await eventually(() => [1, 2, 3, 4].every((id) => answersTo(server, id).length === 1));
    const said = [1, 2, 3, 4].map((id) => answersTo(server, id)[0]?.error?.message);
    expect(said).toEqual(["read", expect.stringContaining("4 MiB"), expect.stringContaining("4 MiB"), "read"]);
    expect(purser.states("s")).toEqual(["connecting", "connected"]);
  }, 30_000);

  test("[F13] [W9] what a frame names twice is handed on with its path, in a batch for each request of it", async () => {
    const server = await rawServer(kind);
    const purser = rig(async ({ frameProblem }) => ({
      error: { code: -32602, message: frameProblem?.path ?? "read" },
    }));
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    const request = (id: number, params: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":${params}}`;
    standing.send(request(1, '{"maxTokens":1,"max\\u0054okens":9}'));
    standing.send(request(2, '{"maxTokens":1}').replace('"id"', '"id":99,"id"'));
    standing.send(`[${request(3, '{"a":{"b":1,"b":2}}')},${request(4, "{}")}]`);
    standing.send(request(5, '{"a":{"b":1},"c":{"b":1}}'));
    await eventually(() => [1, 2, 3, 4, 5].every((id) => answersTo(server, id).length === 1));
    const said = [1, 2, 3, 4, 5].map((id) => answersTo(server, id)[0]?.error?.message);
    expect(said).toEqual(["maxTokens", "id", "[0].params.a.b", "[0].params.a.b", "read"]);
  });

  test("[W9] a frame over 4 MiB is answered -32602 where its id can be found, and the connection goes on", async () => {
    const server = await rawServer(kind);
    const purser = rig(async ({ frameProblem }) => ({
      error: { code: -32602, message: frameProblem?.problem ?? "read" },
    }));
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    const params = `"params":{"systemPrompt":"${"x".repeat(5 * 1024 * 1024)}","id":99}`;
    standing.send(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage",${params}}`);
    standing.send(`{"method":"sampling/createMessage",${params},"jsonrpc":"2.0","id":"two"}`);
    standing.send(`{"method":"sampling/createMessage",${params}}`);
    standing.send(samplingOf(3, "still here"));
    await eventually(() => [1, "two", 3].every((id) => answersTo(server, id).length === 1));
    expect(answersTo(server, 1)).toMatchObject([{ error: { message: expect.stringContaining("4 MiB") } }]);
    expect(answersTo(server, "two")).toMatchObject([{ error: { message: expect.stringContaining("4 MiB") } }]);
    expect(answersTo(server, 3)).toMatchObject([{ error: { message: "read" } }]);
    expect(answersTo(server, 99)).toHaveLength(0);
  });
});

describe("which tool call asked", () => {
  test("the response stream that carried the request tells, with several calls in flight", async () => {
    const server = await rawServer("http");
    const replies: { call: Message; reply: Parameters<RawServer["onCall"]>[1] }[] = [];
    server.onCall = (call, reply) => void replies.push({ call, reply });
    const purser = rig();
    await purser.open(server.url);
    const runs = ["run-a", "run-b", "run-c"].map((runId) => purser.call("ask", { runId, args: { runId } }));
    await eventually(() => replies.length === 3);
    for (const { call, reply } of replies)
      reply.send(samplingOf(`for ${JSON.stringify(call.params?.arguments)}`, "hello"));
    (await eventually(() => server.standing)).send(samplingOf("ambient", "hello"));
    await eventually(() => purser.incoming.length === 4);
    await eventually(() =>
      [...["run-a", "run-b", "run-c"].map((runId) => `for ${JSON.stringify({ runId })}`), "ambient"].every(
        (id) => answersTo(server, id).length === 1,
      ),
    );
    for (const { call, reply } of replies) reply.send(resultOf(call, ""));
    await Promise.all(runs);
    expect(purser.incoming.map((one) => one.runId).sort()).toEqual(["run-a", "run-b", "run-c", null].sort());
  });

  test.each(["http", "websocket"] as const)(
    "[K8-14] on a shared stream the only call in flight is taken, over %s",
    async (kind) => {
      const server = await rawServer(kind);
      const replies: (() => void)[] = [];
      server.onCall = (call, reply) => void replies.push(() => reply.send(resultOf(call, "")));
      const purser = rig();
      await purser.open(server.url);
      const standing = await eventually(() => server.standing);
      const first = purser.call("ask", { runId: "only" });
      await eventually(() => replies.length === 1);
      standing.send(samplingOf(1, "one in flight"));
      await eventually(() => answersTo(server, 1).length === 1);
      const second = purser.call("ask", { runId: "other" });
      await eventually(() => replies.length === 2);
      standing.send(samplingOf(2, "two in flight"));
      await eventually(() => answersTo(server, 2).length === 1);
      for (const finish of replies) finish();
      await Promise.all([first, second]);
      standing.send(samplingOf(3, "none in flight"));
      await eventually(() => answersTo(server, 3).length === 1);
      expect(purser.incoming.map((one) => one.runId)).toEqual(["only", null, null]);
    },
  );
});
