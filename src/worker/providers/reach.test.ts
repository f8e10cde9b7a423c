import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createAnthropic } from "./anthropic";
import { createOpenAiCompatible } from "./openai";
import type { Provider, ProviderCall } from "./provider";
import { createReach } from "./reach";

// Adapters and vocabulary are fetched with their first use; how long that takes is not what is tested.
vi.setConfig({ testTimeout: 30_000 });

const never = new AbortController().signal;
const call: ProviderCall = {
  model: "claude-haiku-4-5",
  maxTokens: 50,
  temperature: null,
  stopSequences: [],
  systemPrompt: null,
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
};

const open: { stop(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.stop();
});

/** Notes what it is asked; `onPost` answers, or does not. */
async function listening(onPost: (stop: () => void, fail: () => void) => void) {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    methods.push(request.method ?? "");
    if (request.method !== "POST") return void response.end();
    request.resume().on("end", () => onPost(stop, () => response.writeHead(500).end("{}")));
  });
  const stop = () => void server.close().closeAllConnections();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ stop });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, methods, stop };
}

const ADAPTERS: readonly [string, (url: string, now?: () => number) => Provider][] = [
  ["anthropic", (url, now = Date.now) => createAnthropic({ ...common(now), key: () => "sk-1", baseUrl: () => url })],
  ["openai", (url, now = Date.now) => createOpenAiCompatible({ ...common(now), key: () => null, baseUrl: () => url })],
];
const common = (now: () => number) => ({ models: () => [], fetch, now });
const run = (provider: Provider) => provider.run(call, () => undefined, never);

test.each(ADAPTERS)("[M3] %s: a network that goes down after the prompt was sent may have cost", async (_, adapter) => {
  const server = await listening((stop) => stop());
  const provider = adapter(server.url);
  expect(await run(provider)).toMatchObject({ failure: { kind: "unavailable", status: null }, mayHaveCost: true });
  expect(server.methods).toEqual(["HEAD", "POST"]);
  // Nobody is there any more, and now that is known before anything is sent.
  expect(await run(provider)).toMatchObject({ failure: { kind: "unavailable", status: null }, mayHaveCost: false });
  expect(server.methods).toEqual(["HEAD", "POST"]);
});

test.each(ADAPTERS)(
  "[M3] %s: who answered lately is not asked first, and one outage is charged once",
  async (_, adapter) => {
    const clock = { at: 1_000_000 };
    const server = await listening((_stop, fail) => fail());
    const provider = adapter(server.url, () => clock.at);
    await run(provider);
    clock.at += 59_000;
    await run(provider);
    expect(server.methods).toEqual(["HEAD", "POST", "POST"]);
    clock.at += 61_000;
    await run(provider);
    expect(server.methods).toEqual(["HEAD", "POST", "POST", "HEAD", "POST"]);
    server.stop();
    expect(await run(provider)).toMatchObject({ mayHaveCost: true });
    expect(await run(provider)).toMatchObject({ mayHaveCost: false });
  },
);

test("[M3] somebody slow may be there all the same; a clock set back shows nothing", async () => {
  const clock = { at: 1_000_000 };
  let asked = 0;
  const silent = ((_url, init) => {
    asked += 1;
    return new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  }) as typeof fetch;
  const reach = createReach(silent, () => clock.at);
  expect(await reach.mayAnswer("http://127.0.0.1:9/v1", never)).toBe(true);
  reach.heard("http://127.0.0.1:9/v1");
  expect(await reach.mayAnswer("http://127.0.0.1:9/", never)).toBe(true);
  expect(asked).toBe(1);
  clock.at -= 10_000;
  expect(await reach.mayAnswer("http://127.0.0.1:9/v1", AbortSignal.timeout(10))).toBe(false);
  expect(asked).toBe(2);
});
