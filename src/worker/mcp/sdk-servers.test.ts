/** The official SDKs' own servers, as their authors wrote them. */
import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  type CreateMessageRequest,
  CreateMessageResultSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, inputRequired, McpServer as ModernServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { startEverything } from "../../../e2e/servers/everything";
import { bodyOf, listen } from "./testing/listen";
import { createRig, eventually, type Rig } from "./testing/rig";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

function rig(...handlers: Parameters<typeof createRig>): Rig {
  const made = createRig(...handlers);
  open.unshift(made);
  return made;
}

const ASK: CreateMessageRequest["params"] = {
  maxTokens: 20,
  messages: [{ role: "user", content: { type: "text", text: "why did it fail?" } }],
};

/** A v1 server with one tool that samples on the call's own stream and tells what it got. */
function v1Server(): McpServer {
  const server = new McpServer({ name: "v1", version: "1.2.3" }, { instructions: "Ask me." });
  server.registerTool("ask", { description: "Samples once." }, async (extra) => {
    try {
      const result = await extra.sendRequest(
        { method: "sampling/createMessage", params: ASK },
        CreateMessageResultSchema,
      );
      return { content: [{ type: "text", text: JSON.stringify(result) }] };
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data: unknown };
      return { content: [{ type: "text", text: JSON.stringify({ code, message, data }) }], isError: true };
    }
  });
  return server;
}

async function v1Http() {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const listening = await listen(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? transports.get(id) : undefined;
    if (known !== undefined) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end("Session not found");
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void transports.set(session, transport),
      onsessionclosed: (session) => void transports.delete(session),
    });
    await v1Server().connect(transport as never);
    await transport.handleRequest(request, response);
  });
  open.push(listening);
  return { ...listening, transports };
}

const REFUSAL = {
  code: -32003,
  message: "s: policy.budget_exhausted, resets 2026-12-02T00:00:00Z, do not retry before",
  data: { reason: "policy.budget_exhausted", server: "s", retryable: false, resetsAt: "2026-12-02T00:00:00Z" },
};

describe("the v1 SDK over Streamable HTTP", () => {
  test("[W1] a completion reaches the tool, with its _meta", async () => {
    const { url, transports } = await v1Http();
    const result = {
      role: "assistant",
      content: { type: "text", text: "the import" },
      model: "m",
      stopReason: "maxTokens",
      _meta: { maxTokens: { requested: 20, applied: 10 } },
    };
    const purser = rig(async () => ({ result }));
    const report = await purser.open(url);
    expect(report).toMatchObject({
      transport: "http",
      protocol: "2025-11-25",
      claimedName: "v1",
      claimedVersion: "1.2.3",
      instructions: "Ask me.",
      tools: [{ name: "ask", description: "Samples once." }],
    });
    expect(purser.eras.get("s")).toBe("legacy");
    const outcome = await purser.call("ask", { runId: "run-1" });
    if (outcome.kind !== "result") throw new Error(outcome.kind);
    expect(JSON.parse(outcome.content[0]?.text as string)).toEqual(result);
    expect(purser.incoming).toMatchObject([{ server: "s", params: ASK, runId: "run-1", frameProblem: null }]);
    expect(transports.size).toBe(1);
    await purser.connections.close("s");
    expect(transports.size).toBe(0);
    expect(purser.report("s")?.state.state).toBe("off");
  });

  test("[W2] a refusal reaches the tool with code, message and data", async () => {
    const purser = rig(async () => ({ error: REFUSAL }));
    await purser.open((await v1Http()).url);
    const outcome = await purser.call("ask");
    if (outcome.kind !== "result") throw new Error(outcome.kind);
    expect(outcome.isError).toBe(true);
    expect(JSON.parse(outcome.content[0]?.text as string)).toEqual({
      ...REFUSAL,
      message: expect.stringContaining(REFUSAL.message),
    });
  });

  test("an era that is known is not asked for again", async () => {
    const { url } = await v1Http();
    const purser = rig();
    purser.eras.set("s", "legacy");
    expect((await purser.open(url)).protocol).toBe("2025-11-25");
  });
});

test("the v1 SDK over HTTP with SSE (2024-11-05), reached by falling back", async () => {
  const transports = new Map<string, SSEServerTransport>();
  const listening = await listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    if (request.method === "GET" && pathname === "/mcp") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      return v1Server().connect(transport);
    }
    if (request.method === "POST" && pathname === "/messages") {
      return transports.get(searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
    }
    response.writeHead(404).end();
  });
  open.push(listening);
  const purser = rig(async () => ({ error: REFUSAL }));
  expect(await purser.open(listening.url)).toMatchObject({ transport: "sse", state: { state: "connected" } });
  const outcome = await purser.call("ask", { runId: "run-1" });
  expect(JSON.stringify(outcome)).toContain("policy.budget_exhausted");
  expect(purser.incoming).toMatchObject([{ runId: "run-1", transport: "http" }]);

  for (const transport of transports.values()) await transport.close();
  await purser.until("s", ({ state }) => state.state === "reconnecting");
  await purser.until("s", ({ state }) => state.state === "connected");
  expect(transports.size).toBe(2);
});

test("the v1 SDK over WebSocket", async () => {
  const sockets = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => "mcp" });
  await new Promise((resolve) => sockets.once("listening", resolve));
  open.push({ close: () => new Promise((resolve) => sockets.close(() => resolve())) });
  sockets.on("connection", (socket) => {
    const transport = {
      start: async () => void socket.on("message", (data) => transport.onmessage?.(JSON.parse(String(data)) as never)),
      send: async (message: unknown) => socket.send(JSON.stringify(message)),
      close: async () => socket.close(),
      onmessage: undefined as ((message: never) => void) | undefined,
      onclose: undefined as (() => void) | undefined,
    };
    void v1Server().connect(transport as never);
  });
  const purser = rig(async () => ({ error: REFUSAL }));
  const { port } = sockets.address() as { port: number };
  expect(await purser.open(`ws://127.0.0.1:${port}/`)).toMatchObject({
    transport: "websocket",
    protocol: "2025-11-25",
  });
  expect(JSON.stringify(await purser.call("ask"))).toContain("policy.budget_exhausted");
});

test("server-everything offers its sampling tool to a client that declared it, and gets the completion", async () => {
  const everything = await startEverything();
  open.push(everything);
  const purser = rig();
  const report = await purser.open(everything.url);
  expect(report.tools.map((tool) => tool.name)).toContain("trigger-sampling-request");
  const outcome = await purser.call("trigger-sampling-request", {
    args: { prompt: "say it", maxTokens: 10 },
    runId: "run-1",
  });
  expect(JSON.stringify(outcome)).toContain("completed");
  expect(purser.incoming).toMatchObject([{ runId: "run-1", params: { maxTokens: 10 } }]);
}, 20_000);

describe("the v2 SDK, protocol 2026-07-28", () => {
  interface Modern {
    readonly notify: { toolsChanged(): void };
    readonly url: string;
    readonly bodies: { method: string; id: unknown; params: Record<string, unknown> }[];
    readonly headers: Record<string, unknown>[];
  }

  async function modern(build: (server: ModernServer) => void): Promise<Modern> {
    const bodies: Modern["bodies"] = [];
    const headers: Record<string, unknown>[] = [];
    const handler = createMcpHandler(() => {
      const server = new ModernServer({ name: "modern", version: "2.0.0" });
      build(server);
      return server;
    });
    const listening = await listen(async (request, response) => {
      const body = await bodyOf(request);
      if (body !== "") bodies.push(JSON.parse(body) as Modern["bodies"][number]);
      headers.push(request.headers);
      const given = Object.entries(request.headers).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      );
      const init = { method: request.method ?? "GET", headers: given, ...(body === "" ? {} : { body }) };
      const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, init));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
      response.end();
    });
    open.push(listening);
    return { url: listening.url, bodies, headers, notify: handler.notify };
  }

  const STATE = '{"a": 1, "b":  "\\u00e9"}';

  function asking(server: ModernServer): void {
    server.registerTool("ask", {}, async (context) => {
      const given = context.mcpReq.inputResponses;
      if (given !== undefined) return { content: [{ type: "text", text: JSON.stringify(given) }] };
      return inputRequired({
        inputRequests: {
          one: inputRequired.createMessage(ASK as never),
          two: inputRequired.createMessage(ASK as never),
        },
        requestState: STATE,
      });
    });
  }

  test("[W8] [K8-18] all embedded requests are decided as one map, and the call is repeated with bare results and the state as it came", async () => {
    const server = await modern(asking);
    const results = new Map([
      ["one", { role: "assistant", content: { type: "text", text: "1" }, model: "m", stopReason: "endTurn" }],
      ["two", { role: "assistant", content: { type: "text", text: "2" }, model: "m", stopReason: "endTurn" }],
    ]);
    const purser = rig(undefined, async () => ({ ok: true, results }));
    const report = await purser.open(server.url);
    expect(report).toMatchObject({ protocol: "2026-07-28", claimedName: "modern", state: { state: "connected" } });
    expect(purser.eras.get("s")).toBe("modern");
    const outcome = await purser.call("ask", { runId: "run-1", args: { kept: true } });
    expect(outcome).toMatchObject({ kind: "result", content: [{ text: JSON.stringify(Object.fromEntries(results)) }] });
    expect(purser.embedded).toHaveLength(1);
    expect([...(purser.embedded[0]?.keys() ?? [])]).toEqual(["one", "two"]);
    expect(purser.embedded[0]?.get("two")).toMatchObject({
      server: "s",
      params: ASK,
      runId: "run-1",
      protocol: "2026-07-28",
      frameProblem: null,
      progress: null,
    });
    const calls = server.bodies.filter((one) => one.method === "tools/call");
    expect(calls).toHaveLength(2);
    expect(calls[0]?.id).not.toBe(calls[1]?.id);
    expect(calls[0]?.params).not.toHaveProperty("requestState");
    expect(calls[1]?.params).toMatchObject({
      name: "ask",
      arguments: { kept: true },
      requestState: STATE,
      inputResponses: Object.fromEntries(results),
    });
  });

  test("[P1] sampling is declared per request, and only where allowed", async () => {
    const server = await modern(asking);
    const capability = "io.modelcontextprotocol/clientCapabilities";
    const purser = rig(undefined, async () => ({ ok: false, key: "one", message: "no" }));
    await purser.open(server.url);
    await purser.call("ask");
    const declared = server.bodies.find((one) => one.method === "tools/call")?.params._meta as Record<string, unknown>;
    expect(declared[capability]).toEqual({ sampling: {} });
    server.bodies.length = 0;
    purser.connections.open({ name: "s", url: server.url, headers: {}, declareSampling: false });
    await purser.until("s", (one) => one.state.state === "connected" && !one.samplingDeclared);
    await purser.call("ask");
    const silent = server.bodies.find((one) => one.method === "tools/call")?.params._meta as Record<string, unknown>;
    expect(silent[capability]).toEqual({});
  });

  test("[W8] [R3] a refusal ends the call here, and the server is not called again", async () => {
    const server = await modern(asking);
    const purser = rig(undefined, async () => ({ ok: false, key: "two", message: "s: user.denied" }));
    await purser.open(server.url);
    expect(await purser.call("ask")).toEqual({ kind: "refused_locally", message: "s: user.denied" });
    expect(server.bodies.filter((one) => one.method === "tools/call")).toHaveLength(1);
  });

  test("[K7] cancelling the call aborts what is being decided", async () => {
    const server = await modern(asking);
    let aborted: unknown;
    const purser = rig(undefined, (requests) => {
      const signal = requests.get("one")?.signal;
      return new Promise((resolve) => {
        signal?.addEventListener("abort", () => {
          aborted = signal.reason;
          resolve({ ok: false, key: "one", message: "cancelled" });
        });
      });
    });
    await purser.open(server.url);
    const person = new AbortController();
    const running = purser.call("ask", { signal: person.signal });
    await eventually(() => purser.embedded.length === 1);
    person.abort();
    expect(await running).toEqual({ kind: "cancelled" });
    expect(aborted).toBe("cancelled_by_person");
  });

  test("[K8-03] changed tools are listened for, and read again", async () => {
    let names = ["one"];
    const server = await modern((it) => {
      for (const name of names) it.registerTool(name, {}, async () => ({ content: [] }));
    });
    const purser = rig();
    expect((await purser.open(server.url)).tools.map((tool) => tool.name)).toEqual(["one"]);
    await eventually(() => server.bodies.some((one) => one.method === "subscriptions/listen"));
    names = ["one", "two"];
    const told = setInterval(() => server.notify.toolsChanged(), 50);
    await purser.until("s", ({ tools }) => tools.length === 2);
    clearInterval(told);
  });

  test("[K8-21] marked arguments travel as headers too", async () => {
    const server = await modern((it) => {
      it.server.registerCapabilities({ tools: {} });
      it.server.setRequestHandler("tools/list", async () => ({
        tools: [
          {
            name: "where",
            inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
          },
          {
            name: "bad",
            inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "a b" } } },
          },
        ],
      }));
      it.server.setRequestHandler("tools/call", async () => ({ content: [] }));
    });
    const purser = rig();
    const report = await purser.open(server.url);
    expect(report.tools.map((tool) => tool.name)).toEqual(["where"]);
    expect(report.warnings.join()).toContain('"bad" was left out');
    expect(await purser.call("where", { args: { region: "Hallo, 世界" } })).toMatchObject({ kind: "result" });
    expect(server.headers.at(-1)).toMatchObject({
      "mcp-param-region": "=?base64?SGFsbG8sIOS4lueVjA==?=",
      "mcp-method": "tools/call",
    });
  });
});

test("a stateless server of the v1 SDK that answers in JSON", async () => {
  const content = [{ type: "text" as const, text: "see above" }];
  const listening = await listen(async (request, response) => {
    const server = new Server({ name: "low", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [{ name: "odd", inputSchema: { type: "object" as const } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async () => ({ content }));
    const options = { sessionIdGenerator: undefined, enableJsonResponse: true } as never;
    const transport = new StreamableHTTPServerTransport(options);
    await server.connect(transport as never);
    await transport.handleRequest(request, response);
  });
  open.push(listening);
  const purser = rig();
  expect((await purser.open(listening.url)).state.state).toBe("connected");
  expect(await purser.call("odd")).toMatchObject({ kind: "result", content });
});
