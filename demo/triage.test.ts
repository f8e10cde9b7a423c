import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { CreateMessageRequest, CreateMessageResult } from "@modelcontextprotocol/sdk/types.js";
import { CreateMessageRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createCiTriage } from "./ci-triage/server";
import { serveMcp } from "./transport/serve";
import { createWikiSearch } from "./wiki-search/server";

// Node 20 has none of its own.
vi.stubGlobal("WebSocket", WebSocket);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Handler = (params: CreateMessageRequest["params"], count: number) => CreateMessageResult;

interface Report {
  analysed: number;
  notAnalysed: number;
  failures: { id: string; status: string; why?: string; reason?: string; requests: number }[];
}

/** A client of `create`'s server whose sampling is answered by `handler`, or not declared without one. */
async function connect(create: typeof createCiTriage, handler: Handler | null, over: "http" | "ws" = "http") {
  const served = await serveMcp(create, 0);
  closing.push(served.close);
  const client = new Client(
    { name: "probe", version: "1" },
    { capabilities: handler === null ? {} : { sampling: {} } },
  );
  const asked: CreateMessageRequest["params"][] = [];
  if (handler !== null) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => handler(params, asked.push(params)));
  }
  const url = new URL(over === "http" ? served.url : served.wsUrl);
  const transport = over === "http" ? new StreamableHTTPClientTransport(url) : new WebSocketClientTransport(url);
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  closing.push(() => client.close());
  return { client, asked, served };
}

const says = (text: string): CreateMessageResult => ({
  role: "assistant",
  model: "m",
  content: { type: "text", text },
});
const finding = says('{"cause": "It failed.", "confidence": "high", "file": "a.py:1"}');
const exhausted = new McpError(-32003, "ci-triage: policy.budget_exhausted, resets at 00:00, do not retry.", {
  reason: "policy.budget_exhausted",
  server: "ci-triage",
  retryable: false,
  resetsAt: "2026-12-02T00:00:00.000Z",
});

async function triage(client: Client, args: object, onprogress: (p: { progress: number }) => void = () => undefined) {
  const result = await client.callTool({ name: "triage_failures", arguments: { ...args } }, undefined, { onprogress });
  return {
    report: result.structuredContent as unknown as Report,
    text: (result.content as { text: string }[])[0]!.text,
  };
}

test.for(["http", "ws"] as const)("every failure is asked about once, over %s", async (over) => {
  const { client, asked } = await connect(createCiTriage, () => finding, over);
  const steps: number[] = [];
  const { report, text } = await triage(client, {}, ({ progress }) => steps.push(progress));
  expect(report).toMatchObject({ analysed: 14, notAnalysed: 0 });
  expect(asked).toHaveLength(14);
  expect(asked[0]).toMatchObject({
    includeContext: "allServers",
    maxTokens: 2048,
    modelPreferences: { hints: [{ name: "claude-haiku" }] },
  });
  // The last step may arrive together with the result, after which the SDK's client listens no more.
  expect(steps).toEqual(expect.arrayContaining([0, 7, 13]));
  expect(text).toMatch(/^14 of 14 failures analysed\.\n- pytest/);
});

test("a final refusal ends the asking, and the report says what was not analysed", async () => {
  const { client, asked } = await connect(createCiTriage, (_, count) => {
    if (count > 5) throw exhausted;
    return finding;
  });
  const { report, text } = await triage(client, {});
  expect(report).toMatchObject({ analysed: 5, notAnalysed: 9 });
  expect(asked).toHaveLength(6);
  expect(report.failures.slice(5).every(({ reason }) => reason === "policy.budget_exhausted")).toBe(true);
  expect(text).toMatch(/^5 of 14 failures analysed, 9 not\./);
  expect(text.match(/NOT ANALYSED/g)).toHaveLength(9);
});

test("the same call goes on where a refusal ended it, unless it is told to begin again", async () => {
  let allowed = 9;
  const { client, asked } = await connect(createCiTriage, () => {
    allowed -= 1;
    if (allowed < 0) throw exhausted;
    return finding;
  });
  expect((await triage(client, {})).report).toMatchObject({ analysed: 9, notAnalysed: 5 });
  allowed = 5;
  expect((await triage(client, {})).report).toMatchObject({ analysed: 14, notAnalysed: 0 });
  expect(asked).toHaveLength(9 + 1 + 5);
  allowed = 14;
  expect((await triage(client, { again: true })).report).toMatchObject({ analysed: 14 });
  expect(asked).toHaveLength(9 + 1 + 5 + 14);
});

test("a throttle that ends soon is waited out, one that does not is reported", async () => {
  const throttled = (inMs: number) =>
    new McpError(-32004, "later", {
      reason: "policy.rate_limit",
      retryable: true,
      retryAt: new Date(Date.now() + inMs).toISOString(),
    });
  const { client, asked } = await connect(createCiTriage, (_, count) => {
    if (count === 1) throw throttled(30);
    if (count === 3) throw throttled(60_000);
    return finding;
  });
  const { report } = await triage(client, { limit: 3 });
  expect(report.failures.map(({ status }) => status)).toEqual(["analysed", "not_analysed", "analysed"]);
  expect(asked).toHaveLength(4);
  expect(asked[1]).toEqual({ ...asked[0], _meta: asked[1]?._meta });
});

test("an answer that is no JSON is asked for again, twice and no more", async () => {
  const { client, asked } = await connect(createCiTriage, () => says("It is hard to say."));
  const { report } = await triage(client, { limit: 1, scope: "none", suite: "go" });
  expect(report.failures[0]).toMatchObject({ status: "not_analysed", requests: 3 });
  expect(asked).toHaveLength(3);
  expect(asked[0]?.includeContext).toBe("none");
  expect(new Set(asked.map(({ messages }) => JSON.stringify(messages))).size).toBe(3);
});

test("the wiki asks a client that declared no sampling, is refused, and answers with what it found", async () => {
  const { client } = await connect(createWikiSearch, null);
  const result = await client.callTool({ name: "search_wiki", arguments: { query: "nil map panic" } });
  expect((result.content as { text: string }[])[0]?.text).toContain("assignment to entry in nil map");
});

test("a page of another host is not let in, a page of this machine is", async () => {
  const { served } = await connect(createCiTriage, null);
  const ask = (origin: string) => fetch(served.url, { method: "OPTIONS", headers: { origin } });
  const from = await ask("http://localhost:4780");
  expect(from.status).toBe(204);
  expect(from.headers.get("access-control-allow-origin")).toBe("http://localhost:4780");
  expect(from.headers.get("access-control-allow-headers")).toContain("mcp-session-id");
  expect(from.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
  expect((await ask("https://attacker.example")).status).toBe(403);
  expect((await ask("null")).status).toBe(403);
});
