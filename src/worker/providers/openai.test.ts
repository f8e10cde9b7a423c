/** Against a stand-in of the chat completions API; what that cannot say comes from a few written chunks. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Block, Message } from "../../policy/request";
import { createOpenAiCompatible } from "./openai";
import { chatBody } from "./openai-prompt";
import type { ProviderCall } from "./provider";

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

function provider(baseUrl = `${mock.url}/v1`, key: string | null = KEY) {
  return createOpenAiCompatible({ models: () => [], key: () => key, baseUrl: () => baseUrl, fetch, now: Date.now });
}

function call(content: Message["content"] | string, more: Partial<ProviderCall> = {}): ProviderCall {
  const blocks: Message["content"] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    model: "qwen3:8b",
    maxTokens: 200,
    temperature: null,
    stopSequences: [],
    systemPrompt: null,
    messages: [{ role: "user", content: blocks }],
    ...more,
  };
}

/** Serves this body and then ends, breaks or stays silent. */
async function serving(
  body: string,
  then: "end" | "break" | "hang",
  type = "text/event-stream",
  onPost: () => void = ignore,
) {
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.end();
    onPost();
    response.writeHead(200, { "content-type": type });
    response.write(body);
    if (then === "end") response.end();
    if (then === "break") setTimeout(() => response.destroy(), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

const chunks = (...list: readonly (object | string)[]) =>
  list.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join("");
const said = (content: string) => ({ model: "qwen3:8b", choices: [{ delta: { content } }] });
const finish = (reason: string) => ({ choices: [{ delta: {}, finish_reason: reason }] });

async function ran(body: string, then: "end" | "break" = "end", type?: string) {
  const server = await serving(body, then, type);
  const outcome = await provider(server.url).run(call("hello"), ignore, never);
  await server.stop();
  return outcome;
}

test("[W7] a streamed answer: text, the model as reported, usage asked for and read", async () => {
  mock.onMessage("hello", {
    content: "Good morning to you, dear reader.",
    model: "vendor/big",
    usage: { prompt_tokens: 12, completion_tokens: 9 },
  });
  const seen: number[] = [];
  const outcome = await provider().run(call("hello", { systemPrompt: "be kind" }), (count) => seen.push(count), never);
  expect(outcome).toEqual({
    ok: true,
    content: [{ type: "text", text: "Good morning to you, dear reader." }],
    model: "vendor/big",
    stopReason: "endTurn",
    usage: { inputTokens: 12, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 },
  });
  expect(seen.length).toBeGreaterThan(2);
  expect(mock.getLastRequest()?.body).toMatchObject({ max_tokens: 200, stream_options: { include_usage: true } });
});

test("[M3] cached tokens are told apart from the prompt's", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 3,
    prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 5 },
  };
  const outcome = await ran(chunks(said("hi"), finish("stop"), { choices: [], usage }, "[DONE]"));
  expect(outcome.usage).toEqual({ inputTokens: 15, outputTokens: 3, cacheReadTokens: 80, cacheWriteTokens: 5 });
});

test("[K4-04] no usage, all zeros, a missing side, nonsense: none of these is usage", async () => {
  for (const usage of [
    null,
    { prompt_tokens: 0, completion_tokens: 0 },
    { prompt_tokens: 10, completion_tokens: 0 },
    { completion_tokens: 4 },
    { prompt_tokens: -5, completion_tokens: 4 },
    { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 50 } },
  ]) {
    const outcome = await ran(chunks(said("hello there"), finish("stop"), { choices: [], usage }, "[DONE]"));
    expect([usage, outcome.ok, outcome.usage]).toEqual([usage, true, null]);
  }
});

test("[W7] every finish reason has its word; a server that sends no [DONE] has still finished", async () => {
  const words: string[] = [];
  for (const reason of ["stop", "length", "tool_calls", "content_filter"]) {
    const outcome = await ran(chunks(said("x"), finish(reason)));
    words.push(outcome.ok ? outcome.stopReason : "failed");
  }
  expect(words).toEqual(["endTurn", "maxTokens", "toolUse", "endTurn"]);
});

test("a server that does not stream answers whole", async () => {
  const whole = {
    model: "m",
    choices: [{ message: { content: "all of it" }, finish_reason: "length" }],
    usage: { prompt_tokens: 4, completion_tokens: 3 },
  };
  const outcome = await ran(JSON.stringify(whole), "end", "application/json");
  expect(outcome).toMatchObject({
    ok: true,
    model: "m",
    stopReason: "maxTokens",
    usage: { inputTokens: 4, outputTokens: 3 },
  });
  expect(outcome.ok && outcome.content).toEqual([{ type: "text", text: "all of it" }]);
});

test("reasoning is not part of the answer, but it counts", async () => {
  const seen: number[] = [];
  const body = chunks(
    { choices: [{ delta: { reasoning_content: "let me think about this" } }] },
    said("yes"),
    finish("stop"),
    "[DONE]",
  );
  const server = await serving(body, "end");
  const outcome = await provider(server.url).run(call("hello"), (count) => seen.push(count), never);
  await server.stop();
  expect(outcome.ok && outcome.content).toEqual([{ type: "text", text: "yes" }]);
  expect(seen[0]).toBeGreaterThan(4);
});

for (const [status, kind, limit] of [
  [400, "rejected", undefined],
  [401, "rejected", undefined],
  [402, "rejected", undefined],
  [404, "rejected", undefined],
  [413, "rejected", undefined],
  [429, "unavailable", true],
  [500, "unavailable", false],
  [529, "unavailable", true],
] as const) {
  test(`[K4-06] HTTP ${status} is ${kind}, costs nothing and is not tried again`, async () => {
    mock.onMessage("hello", { error: { message: `no: ${status} for ${KEY}` }, status });
    const outcome = await provider().run(call("hello"), ignore, never);
    expect(outcome).toMatchObject({ ok: false, failure: { kind, status }, usage: null, mayHaveCost: false });
    expect(outcome).toMatchObject({ failure: limit === undefined ? {} : { limit } });
    expect(mock.getRequests().length).toBe(1);
    expect(JSON.stringify(outcome)).toContain(`no: ${status}`);
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });
}

test("[M3] a gateway that gave up waiting may have cost", async () => {
  mock.onMessage("hello", { error: { message: "gateway" }, status: 504 });
  expect(await provider().run(call("hello"), ignore, never)).toMatchObject({ mayHaveCost: true });
});

test("[K4-06] an address where nobody listens: the call provably never left", async () => {
  const server = await serving("", "end");
  await server.stop();
  const outcome = await provider(server.url).run(call("hello"), ignore, never);
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "unavailable", status: null }, mayHaveCost: false });
});

test("[K4-03] a stream cut before usage is neither success nor free: both sides are counted and marked so", async () => {
  for (const then of ["end", "break"] as const) {
    const outcome = await ran(chunks(said("one two three "), said("four five")), then);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { kind: "unavailable" },
      mayHaveCost: true,
      usageCounted: true,
    });
    expect(outcome.usage?.inputTokens).toBeGreaterThan(0);
    expect(outcome.usage?.outputTokens).toBeGreaterThanOrEqual(5);
  }
});

test("[R4] [K4-03] a deadline: counted after text, unknown but maybe costly before, nothing before the call", async () => {
  const server = await serving(chunks(said("one two three four")), "hang");
  const deadline = new AbortController();
  const late = await provider(server.url).run(call("hello"), () => deadline.abort(), deadline.signal);
  await server.stop();
  expect(late).toMatchObject({ failure: { kind: "aborted" }, mayHaveCost: true, usageCounted: true });
  const sent = new AbortController();
  const silent = await serving("", "hang", undefined, () => sent.abort("deadline"));
  const early = await provider(silent.url).run(call("hello"), ignore, sent.signal);
  await silent.stop();
  expect(early).toMatchObject({ failure: { kind: "aborted" }, usage: null, mayHaveCost: true });
  const never_ = await provider().run(call("hello"), ignore, AbortSignal.abort());
  expect(never_).toMatchObject({ failure: { kind: "aborted" }, usage: null, mayHaveCost: false });
});

test("[R7] an error told inside the stream keeps its status", async () => {
  const outcome = await ran(chunks(said("half"), { error: { code: 429, message: "slow down" } }));
  expect(outcome).toMatchObject({ failure: { kind: "unavailable", status: 429, limit: true, detail: "slow down" } });
});

test("an error told inside the stream, whole or not, never carries the key out", async () => {
  for (const error of [{ message: `no access with ${KEY}` }, `${"x".repeat(295)}${KEY}`]) {
    const streamed = await ran(chunks(said("half"), { error }));
    const whole = await ran(JSON.stringify({ error }), "end", "application/json");
    for (const outcome of [streamed, whole]) {
      expect(outcome).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
      expect(JSON.stringify(outcome)).not.toContain("sk-te");
    }
  }
});

test("what is not JSON, or an event without end, is a fault of the provider and not of ours", async () => {
  expect(await ran("data: {oops\n\n")).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
  expect(await ran(`data: ${"x".repeat(5 * 1024 * 1024)}`)).toMatchObject({
    ok: false,
    failure: { kind: "unavailable" },
  });
});

test("a tool the model wants is an answer, its input put together", async () => {
  mock.onMessage("look", { toolCalls: [{ name: "look", arguments: '{"at":"harbour"}', id: "call_1" }] });
  const tools = [{ name: "look", inputSchema: { type: "object" } }];
  const outcome = await provider().run(call("look", { tools }), ignore, never);
  expect(outcome).toMatchObject({
    ok: true,
    stopReason: "toolUse",
    content: [{ type: "tool_use", id: "call_1", name: "look", input: { at: "harbour" } }],
  });
});

function messagesOf(messages: readonly Message[]): unknown {
  const built = chatBody(call("", { messages }), "http://127.0.0.1:1/v1");
  return built.ok ? (built.body as { messages: unknown }).messages : built.block;
}

const user = (...content: Block[]): Message => ({ role: "user", content });
const words = (text: string): Block => ({ type: "text", text });

test("[K1-02] text, image, audio in order; what cannot be sent is named", () => {
  const image: Block = { type: "image", mimeType: "image/png", data: "AAAA" };
  const audio: Block = { type: "audio", mimeType: "audio/mpeg", data: "BBBB" };
  expect(messagesOf([user(words("what?"), image, audio, words("in Dutch"))])).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "what?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
        { type: "text", text: "in Dutch" },
      ],
    },
  ]);
  expect(messagesOf([user({ ...audio, mimeType: "audio/ogg" })])).toBe("audio");
  expect(messagesOf([user({ ...image, mimeType: "text/html" })])).toBe("image");
  expect(messagesOf([{ role: "assistant", content: [image] }])).toBe("image");
});

test("[K1-19] neighbours are merged, plain text stays one string, tool turns get their own messages", () => {
  expect(messagesOf([user(words("context")), user(words("write"))])).toEqual([
    { role: "user", content: "context\n\nwrite" },
  ]);
  const use: Block = { type: "tool_use", id: "1", name: "look", input: { at: 1 } };
  const result: Block = { type: "tool_result", toolUseId: "1", content: [words("seen")], isError: false };
  expect(
    messagesOf([user(words("a")), { role: "assistant", content: [use] }, user(result, words("and now?"))]),
  ).toEqual([
    { role: "user", content: "a" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
    },
    { role: "tool", tool_call_id: "1", content: "seen" },
    { role: "user", content: "and now?" },
  ]);
});

test("OpenAI's own server and reasoning models get the words they know", () => {
  const built = chatBody(call("x", { model: "gpt-5-mini", temperature: 0.2 }), "https://api.openai.com/v1");
  expect(built.ok && built.body).toMatchObject({ max_completion_tokens: 200 });
  expect(built.ok && built.body).not.toHaveProperty("temperature");
  const local = chatBody(call("x", { temperature: 0.2, stopSequences: ["END"] }), "http://127.0.0.1:11434/v1");
  expect(local.ok && local.body).toMatchObject({ max_tokens: 200, temperature: 0.2, stop: ["END"] });
});
