/** Against a stand-in of the Messages API; what that cannot say (cache tokens, thinking) comes from a few written events. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Block, Message } from "../../policy/request";
import { createAnthropic } from "./anthropic";
import { anthropicBody } from "./anthropic-prompt";
import type { ProviderCall, ProviderOutcome } from "./provider";

// Adapters and vocabulary are fetched with their first use; how long that takes is not what is tested.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const KEY = "sk-test-0123456789";
const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 8 });
const never = new AbortController().signal;
const ignore = () => undefined;

beforeAll(() => mock.start());
afterAll(() => mock.stop());
afterEach(() => {
  mock.clearFixtures();
  mock.clearRequests();
});

function provider(baseUrl = mock.url, key: string | null = KEY) {
  return createAnthropic({ models: () => [], key: () => key, baseUrl: () => baseUrl, fetch, now: Date.now });
}

function call(content: Message["content"] | string, more: Partial<ProviderCall> = {}): ProviderCall {
  const blocks: Message["content"] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    model: "claude-haiku-4-5",
    maxTokens: 200,
    temperature: null,
    stopSequences: [],
    systemPrompt: null,
    messages: [{ role: "user", content: blocks }],
    ...more,
  };
}

/** Serves these events and then ends, breaks or stays silent. Answers its address and how to stop it. */
async function events(list: readonly object[], then: "end" | "break" | "hang", onPost: () => void = ignore) {
  const server: Server = createServer((request, response) => {
    if (request.method !== "POST") return void response.end();
    onPost();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of list as readonly { type: string }[]) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    if (then === "end") response.end();
    if (then === "break") setTimeout(() => response.destroy(), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

const usage = { input_tokens: 40, output_tokens: 1, cache_read_input_tokens: 300, cache_creation_input_tokens: 200 };
const start = { type: "message_start", message: { model: "claude-haiku-4-5-20251001", content: [], usage } };
const textStart = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
const text = (words: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } });
const blockStop = { type: "content_block_stop", index: 0 };
const delta = (reason: string) => ({
  type: "message_delta",
  delta: { stop_reason: reason },
  usage: { output_tokens: 7 },
});
const stop = { type: "message_stop" };

test("[W7] a streamed answer: text, the model as reported, stop reason, usage, rising counts", async () => {
  mock.onMessage("hello", {
    content: "Good morning to you, dear reader.",
    model: "claude-haiku-4-5-20251001",
    usage: { input_tokens: 12, output_tokens: 9 },
  });
  const seen: number[] = [];
  const outcome = await provider().run(call("hello"), (count) => seen.push(count), never);
  expect(outcome).toEqual({
    ok: true,
    content: [{ type: "text", text: "Good morning to you, dear reader." }],
    model: "claude-haiku-4-5-20251001",
    stopReason: "endTurn",
    usage: { inputTokens: 12, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 },
  });
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.at(-1)).toBe(9);
});

test("[M3] cached and cache-write tokens are told apart", async () => {
  const server = await events([start, textStart, text("ok"), blockStop, delta("stop_sequence"), stop], "end");
  const outcome = await provider(server.url).run(call("hello"), ignore, never);
  await server.stop();
  expect(outcome).toMatchObject({ ok: true, stopReason: "stopSequence" });
  expect(outcome.usage).toEqual({ inputTokens: 40, outputTokens: 7, cacheReadTokens: 300, cacheWriteTokens: 200 });
});

test("[W7] every stop reason has its word", async () => {
  const words: string[] = [];
  for (const reason of [
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "refusal",
    "model_context_window_exceeded",
  ]) {
    const server = await events([start, textStart, text("x"), blockStop, delta(reason), stop], "end");
    const outcome = await provider(server.url).run(call("hello"), ignore, never);
    await server.stop();
    words.push(outcome.ok ? outcome.stopReason : "failed");
  }
  expect(words).toEqual(["endTurn", "maxTokens", "stopSequence", "toolUse", "endTurn", "maxTokens"]);
});

test("[K4-04] all zeros on an answer with text is no usage", async () => {
  mock.onMessage("hello", { content: "Good morning." });
  const outcome = await provider().run(call("hello"), ignore, never);
  expect(outcome).toMatchObject({ ok: true, usage: null });
});

test("[F32] [K4-04] an answer without usage is an answer; one whose end nobody counted has no usage", async () => {
  const silentStart = { type: "message_start", message: { model: "claude-haiku-4-5-20251001", content: [] } };
  const silentDelta = { type: "message_delta", delta: { stop_reason: "end_turn" } };
  for (const list of [
    [silentStart, textStart, text("Done."), blockStop, silentDelta, stop],
    [start, textStart, text("Done."), blockStop, silentDelta, stop],
    [start, textStart, text("Done."), blockStop, stop],
  ]) {
    const server = await events(list, "end");
    const outcome = await provider(server.url).run(call("hello"), ignore, never);
    await server.stop();
    expect(outcome).toMatchObject({ ok: true, content: [{ type: "text", text: "Done." }], usage: null });
  }
});

const STATUSES = [
  { status: 400, kind: "rejected" },
  { status: 401, kind: "rejected" },
  { status: 402, kind: "rejected" },
  { status: 403, kind: "rejected" },
  { status: 404, kind: "rejected" },
  { status: 413, kind: "rejected" },
  { status: 429, kind: "unavailable", limit: true },
  { status: 500, kind: "unavailable", limit: false },
  { status: 503, kind: "unavailable", limit: false },
  { status: 529, kind: "unavailable", limit: true },
];

for (const { status, ...failure } of STATUSES) {
  test(`[K4-06] HTTP ${status} is ${failure.kind}, costs nothing and is not tried again`, async () => {
    mock.onMessage("hello", { error: { message: `no: ${status} for ${KEY}`, type: "some_error" }, status });
    const outcome = await provider().run(call("hello"), ignore, never);
    expect(outcome).toMatchObject({ ok: false, failure: { ...failure, status }, usage: null, mayHaveCost: false });
    expect(mock.getRequests().length).toBe(1);
    expect(JSON.stringify(outcome)).toContain(`no: ${status}`);
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });
}

test("[R7] where the provider says how long, it is kept", async () => {
  mock.onMessage("hello", { error: { message: "slow down" }, status: 429, retryAfter: 7 });
  const outcome = await provider().run(call("hello"), ignore, never);
  expect(outcome).toMatchObject({ failure: { kind: "unavailable", limit: true, retryAfterMs: 7_000 } });
});

test("[K4-06] an address where nobody listens: unavailable, and the call provably never left", async () => {
  const server = await events([], "end");
  await server.stop();
  const outcome = await provider(server.url).run(call("hello"), ignore, never);
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "unavailable", status: null }, mayHaveCost: false });
});

test("[M3] a connection that breaks without an answer where somebody listens may have cost", async () => {
  const server = createServer((request, response) =>
    request.method === "POST" ? request.socket.destroy() : response.end(),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outcome = await provider(url).run(call("hello"), ignore, never);
  server.close();
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "unavailable" }, usage: null, mayHaveCost: true });
});

async function abortedAfterText(list: readonly object[], more: Partial<ProviderCall> = {}): Promise<ProviderOutcome> {
  const server = await events(list, "hang");
  const deadline = new AbortController();
  const outcome = await provider(server.url).run(
    call("hello", more),
    () => deadline.abort("deadline"),
    deadline.signal,
  );
  await server.stop();
  return outcome;
}

test("[R4] [K4-03] a deadline in the stream: reported input, output counted here and marked so", async () => {
  const outcome = await abortedAfterText([start, textStart, text("one two three four five six seven eight")]);
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "aborted" }, mayHaveCost: true, usageCounted: true });
  expect(outcome.usage).toMatchObject({ inputTokens: 40, cacheReadTokens: 300, cacheWriteTokens: 200 });
  expect(outcome.usage?.outputTokens).toBeGreaterThanOrEqual(8);
  expect(outcome.usage?.outputTokens).toBeLessThan(40);
});

test("[K4-03] thinking nobody sees cannot be counted: the most it may be is charged", async () => {
  const thinking = { type: "content_block_start", index: 1, content_block: { type: "thinking", thinking: "" } };
  const outcome = await abortedAfterText([start, thinking, textStart, text("so")], { maxTokens: 150 });
  expect(outcome.usage?.outputTokens).toBe(150);
});

test("[R4] an abort before the call: nothing left, nothing spent; before the first event: no usage, but maybe cost", async () => {
  expect(await provider().run(call("hello"), ignore, AbortSignal.abort())).toEqual({
    ok: false,
    failure: { kind: "aborted" },
    usage: null,
    mayHaveCost: false,
  });
  const deadline = new AbortController();
  const server = await events([], "hang", () => deadline.abort("deadline"));
  const outcome = await provider(server.url).run(call("hello"), ignore, deadline.signal);
  await server.stop();
  expect(outcome).toMatchObject({ failure: { kind: "aborted" }, usage: null, mayHaveCost: true });
});

test("[R4] the stand-in's own slow stream is cut at the deadline", async () => {
  mock.onMessage(
    "hello",
    { content: "word ".repeat(200), usage: { input_tokens: 5, output_tokens: 200 } },
    { latency: 20 },
  );
  const deadline = new AbortController();
  const outcome = await provider().run(call("hello"), () => deadline.abort(), deadline.signal);
  expect(outcome).toMatchObject({
    ok: false,
    failure: { kind: "aborted" },
    usage: { inputTokens: 5 },
    mayHaveCost: true,
  });
});

test("[K4-03] a stream that ends or breaks before its end is unavailable, never a short success", async () => {
  for (const then of ["end", "break"] as const) {
    const server = await events([start, textStart, text("half an ans")], then);
    const outcome = await provider(server.url).run(call("hello"), ignore, never);
    await server.stop();
    expect(outcome).toMatchObject({ ok: false, failure: { kind: "unavailable", limit: false }, mayHaveCost: true });
    expect(outcome.usage?.inputTokens).toBe(40);
    expect(outcome.usage?.outputTokens).toBeGreaterThan(1);
  }
});

test("[R7] an overload told inside the stream is a limit too", async () => {
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const server = await events([start, textStart, text("half"), error], "end");
  const outcome = await provider(server.url).run(call("hello"), ignore, never);
  await server.stop();
  expect(outcome).toMatchObject({
    failure: { kind: "unavailable", status: 529, limit: true },
    usage: { inputTokens: 40 },
  });
});

test("a tool the model wants is an answer", async () => {
  mock.onMessage("look", { toolCalls: [{ name: "look", arguments: '{"at":"harbour"}', id: "toolu_1" }] });
  const tools = [{ name: "look", inputSchema: { type: "object", properties: {} } }];
  const outcome = await provider().run(call("look", { tools }), ignore, never);
  expect(outcome).toMatchObject({
    ok: true,
    stopReason: "toolUse",
    content: [{ type: "tool_use", id: "toolu_1", name: "look", input: { at: "harbour" } }],
  });
});

test("without a key nothing is sent", async () => {
  const outcome = await provider(mock.url, null).run(call("hello"), ignore, never);
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "rejected", status: 401 }, mayHaveCost: false });
  expect(mock.getRequests()).toEqual([]);
});

test("[K1-19] neighbouring turns of one role become one, in order", () => {
  const turn = (role: Message["role"], words: string): Message => ({ role, content: [{ type: "text", text: words }] });
  const messages = [
    turn("user", "context"),
    turn("user", "write"),
    turn("assistant", "a"),
    turn("assistant", "b"),
    turn("user", "c"),
  ];
  const built = anthropicBody(call("", { messages }));
  const turns = built.ok ? built.body.messages : [];
  expect(turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(turns[0]?.content).toEqual([
    { type: "text", text: "context" },
    { type: "text", text: "write" },
  ]);
});

test("[K1-02] text, image, text are sent in order; audio and foreign images are named, not dropped", async () => {
  const image: Block = { type: "image", mimeType: "image/png", data: "AAAA" };
  const built = anthropicBody(call([{ type: "text", text: "what?" }, image, { type: "text", text: "in Dutch" }]));
  expect(built.ok && built.body.messages[0]?.content).toMatchObject([
    { type: "text" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    { type: "text" },
  ]);
  for (const block of [
    { type: "audio", mimeType: "audio/wav", data: "" },
    { ...image, mimeType: "image/svg+xml" },
  ] as Block[]) {
    const outcome = await provider().run(call([{ type: "text", text: "hello" }, block]), ignore, never);
    expect(outcome).toMatchObject({ failure: { kind: "unsupported_content", block: block.type }, mayHaveCost: false });
  }
  expect(mock.getRequests()).toEqual([]);
});

test("a temperature goes only to models that take one; newer ones think as little as they can", () => {
  const body = (model: string, temperature: number) => {
    const built = anthropicBody(call("x", { model, temperature }));
    return built.ok ? built.body : {};
  };
  expect(body("claude-haiku-4-5", 0.3)).toMatchObject({ temperature: 0.3 });
  expect(body("claude-haiku-4-5", 1.7)).toMatchObject({ temperature: 1 });
  expect(body("claude-haiku-4-5", 0.3)).not.toHaveProperty("output_config");
  expect(body("claude-sonnet-5-5", 0.3)).not.toHaveProperty("temperature");
  expect(body("claude-sonnet-5-5", 0.3)).toMatchObject({ output_config: { effort: "low" } });
});
