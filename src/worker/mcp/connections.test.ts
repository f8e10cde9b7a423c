import { afterEach, describe, expect, test } from "vitest";
import { bodyOf, listen } from "./testing/listen";
import { type RawServer, rawHttp, rawWebSocket, resultOf, samplingOf } from "./testing/raw-server";
import { createRig, eventually, type Rig } from "./testing/rig";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

function rig(): Rig {
  const made = createRig();
  open.unshift(made);
  return made;
}

async function raw(kind: "http" | "websocket" = "http"): Promise<RawServer> {
  const server = await (kind === "http" ? rawHttp() : rawWebSocket());
  open.push(server);
  return server;
}

const failed = (report: { state: unknown }) => report.state as { state: string; problem: string; hint: string };

describe("coming and going", () => {
  test("closing ends the session at the server and reports `off`", async () => {
    const server = await raw();
    const purser = rig();
    await purser.open(server.url);
    expect(server.sessions.size).toBe(1);
    await purser.connections.close("s");
    expect(server.sessions.size).toBe(0);
    expect(purser.states("s")).toEqual(["connecting", "connected", "off"]);
    expect(await purser.call("ask")).toMatchObject({ kind: "error", code: null });
  });

  test("opening again changes nothing unless address, headers or sampling changed", async () => {
    const server = await raw();
    const seen: unknown[] = [];
    server.onHttp = (request) => {
      seen.push(request.headers["x-api-key"]);
      return false;
    };
    const purser = rig();
    const headers = { "X-Api-Key": "one" };
    await purser.open(server.url, { headers });
    expect(new Set(seen)).toEqual(new Set(["one"]));
    purser.connections.open({ name: "s", url: server.url, headers: { ...headers }, declareSampling: true });
    await purser.call("ask");
    expect(server.received.filter((one) => one.method === "initialize")).toHaveLength(1);
    purser.connections.open({ name: "s", url: server.url, headers: { "X-Api-Key": "two" }, declareSampling: true });
    await eventually(() => server.received.filter((one) => one.method === "initialize").length === 2);
    await purser.until("s", ({ state }) => state.state === "connected");
    await eventually(() => server.sessions.size === 1);
    expect(seen.at(-1)).toBe("two");
  });

  test("[P1] a list read after reconnecting is another reading, so that what was fetched in between is fetched again", async () => {
    const server = await raw();
    const purser = rig();
    const { toolsRead } = await purser.open(server.url);
    purser.connections.open({ name: "s", url: server.url, headers: {}, declareSampling: false });
    // A page that still shows the list of before asks for one of its tools.
    expect(purser.connections.tool("s", "ask")).toBeNull();
    const again = await purser.until("s", ({ state, tools }) => state.state === "connected" && tools.length > 0);
    expect(again.toolsRead).not.toBe(toolsRead);
    expect(purser.connections.tool("s", "ask")).toMatchObject({ name: "ask" });
  });

  test.each(["http", "websocket"] as const)(
    "[D1] a server that restarts is found again, over %s",
    async (kind) => {
      const server = await raw(kind);
      const purser = rig();
      await purser.open(server.url);
      await eventually(() => server.standing);
      await server.close();
      const lost = await purser.until("s", ({ state }) => state.state === "reconnecting");
      expect(lost.state).toMatchObject({ attempt: 1, problem: expect.stringContaining("127.0.0.1") });
      expect(lost.tools).toHaveLength(1);
      await server.restart();
      purser.connections.retryNow("s");
      await purser.until("s", ({ state }) => state.state === "connected");
      expect(await purser.call("ask")).toMatchObject({ kind: "result" });
    },
    30_000,
  );

  test("a later try waits longer, and says when it is", async () => {
    const server = await raw("websocket");
    const purser = rig();
    await purser.open(server.url);
    await server.close();
    const second = await purser.until("s", ({ state }) => state.state === "reconnecting" && state.attempt === 2);
    if (second.state.state !== "reconnecting") throw new Error(second.state.state);
    expect(second.state.nextTryAt).toBeGreaterThan(Date.now());
    await purser.connections.close("s");
    expect(purser.report("s")?.state.state).toBe("off");
    await server.restart();
  });

  test("a server that is away when first asked fails at once, and connects when asked again", async () => {
    const server = await raw();
    await server.close();
    const purser = rig();
    const { problem, hint } = failed(await purser.open(server.url));
    expect(problem).toContain("could not be reached");
    expect(hint).toContain("CORS");
    await server.restart();
    purser.connections.retryNow("s");
    await purser.until("s", ({ state }) => state.state === "connected");
  });

  test("a server whose probe breaks the connection is spoken to in the old way (FACTS: probe)", async () => {
    const server = await raw();
    server.onHttp = (request, response) => {
      if (request.headers["mcp-method"] === undefined) return false;
      response.destroy();
      return true;
    };
    const purser = rig();
    expect(await purser.open(server.url)).toMatchObject({ state: { state: "connected" }, protocol: "2025-11-25" });
    expect(purser.eras.get("s")).toBe("legacy");
  });
});

describe("the standing stream", () => {
  test.each([400, 404, 405, 406, 501, "broken"])(
    "[K3-05] [K3-06] a GET answered %s never fails the connection",
    async (status) => {
      const server = await raw();
      let gets = 0;
      server.onHttp = (request, response) => {
        if (request.method !== "GET") return false;
        gets += 1;
        if (status === "broken") response.destroy();
        else response.writeHead(status as number).end();
        return true;
      };
      const purser = rig();
      expect((await purser.open(server.url)).state.state).toBe("connected");
      await eventually(() => gets === 1);
      server.onCall = (call, reply) => {
        reply.send(samplingOf(1, "on the call's stream"));
        server.onOther = (message) => {
          if (message.id === 1) reply.send(resultOf(call, ""));
          return message.id === 1;
        };
      };
      expect(await purser.call("ask")).toMatchObject({ kind: "result" });
      if (status !== 405) await purser.until("s", ({ warnings }) => warnings.join().includes("standing stream"));
      else expect(purser.report("s")?.warnings).toEqual([]);
      expect(purser.states("s")).toEqual(["connecting", "connected"]);
    },
  );

  test("the connections of an http: origin are not all given to standing streams", async () => {
    const server = await raw();
    const purser = rig();
    for (const name of ["a", "b", "c", "d", "e"]) {
      await purser.open(server.url, { name });
      if (name !== "e")
        await eventually(() => server.log.filter((line) => line === "GET open").length === "abcde".indexOf(name) + 1);
    }
    await purser.until("e", ({ warnings }) => warnings.join().includes("Other servers or tabs hold all"));
    expect(server.log.filter((line) => line.startsWith("GET"))).toHaveLength(4);
    server.onCall = (call, reply) => reply.send(resultOf(call, ""));
    expect(await purser.call("ask", { server: "e" })).toMatchObject({ kind: "result" });
    await purser.connections.close("b");
    await eventually(() => server.log.filter((line) => line === "GET open").length === 5);
  });

  test("[K8-04] empty events, pings and comments are no messages", async () => {
    const server = await raw();
    const purser = rig();
    await purser.open(server.url);
    const standing = await eventually(() => server.standing);
    standing.write("id: 0\nretry: 3000\ndata:\n\nevent: ping\ndata:\n\n: keep\n\nevent: ping\ndata: not json\n\n");
    standing.send(samplingOf(1, "after"));
    await eventually(() => purser.incoming.length === 1);
    expect(purser.report("s")?.warnings).toEqual([]);
  });
});

describe("why it failed, in plain words", () => {
  async function answering(
    status: number,
    headers: Record<string, string>,
    body = "",
  ): Promise<{ url: string; asked: () => number }> {
    let asked = 0;
    const listening = await listen(async (request, response) => {
      asked += 1;
      await bodyOf(request);
      response.writeHead(status, headers).end(body);
    });
    open.push(listening);
    return { url: listening.url, asked: () => asked };
  }

  test("[K3-04] 401 asks for a header, or names the one that was not accepted", async () => {
    const { url, asked } = await answering(401, { "WWW-Authenticate": "Bearer" });
    const purser = rig();
    const first = failed(await purser.open(url));
    expect(first.problem).toContain("401");
    expect(first.hint).toContain("Authorization");
    const second = failed(await purser.open(url, { name: "t", headers: { Authorization: "Bearer x" } }));
    expect(second.hint).toContain("not accepted");
    expect(asked()).toBe(2);
  });

  test("[K3-11] a web page where MCP was expected", async () => {
    const { url } = await answering(200, { "content-type": "text/html" }, "<h1>Sign in</h1>");
    const { problem, hint } = failed(await rig().open(url));
    expect(problem).toContain("web page");
    expect(hint).toContain(`${url}/`);
    expect(`${problem}${hint}`).not.toContain("Sign in");
  });

  test("[K3-12] a redirect to another origin is not followed, and no header reaches it", async () => {
    let reached = 0;
    const other = await listen((_request, response) => {
      reached += 1;
      response.writeHead(200).end();
    });
    open.push(other);
    const { url } = await answering(308, { location: other.url });
    const { problem, hint } = failed(await rig().open(url, { headers: { "X-Api-Key": "secret" } }));
    expect(problem).toContain("redirects");
    expect(hint).toContain(other.url);
    expect(reached).toBe(0);
  });

  test("[K3-01] a session id that cannot be read is named, and no further session is opened", async () => {
    let initialized = 0;
    const server = await raw();
    server.onHttp = (request, response, body) => {
      if (request.method !== "POST") return false;
      if (!body.includes('"initialize"')) {
        response.writeHead(400).end("Bad Request: Server not initialized");
        return true;
      }
      initialized += 1;
      const { id } = JSON.parse(body);
      const result = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      return true;
    };
    const { problem, hint } = failed(await rig().open(server.url));
    expect(problem).toContain("session id cannot be read");
    expect(hint).toContain("Access-Control-Expose-Headers: Mcp-Session-Id");
    expect(initialized).toBeLessThanOrEqual(2);
  });

  test.each([
    [404, "knows no MCP"],
    [500, "HTTP 500"],
    [503, "HTTP 503"],
  ])("an answer %s is told as it is", async (status, words) => {
    const { url } = await answering(status, {});
    expect(failed(await rig().open(url)).problem).toContain(words);
  });

  test.each([
    ["ftp://x/", {}, "address"],
    ["nonsense", {}, "address"],
    ["http://127.0.0.1:9/mcp", { "X-Bad": "a\nb" }, "header"],
  ])("%s is not even tried", async (url, headers, word) => {
    expect(failed(await rig().open(url, { headers: headers as Record<string, string> })).problem).toContain(word);
  });

  test("a WebSocket that cannot be opened", async () => {
    const server = await raw("websocket");
    await server.close();
    expect(failed(await rig().open(server.url)).problem).toContain("WebSocket");
    await server.restart();
  });
});
