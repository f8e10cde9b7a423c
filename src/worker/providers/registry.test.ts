import { LLMock } from "@copilotkit/aimock";
import { afterEach, expect, expectTypeOf, test, vi } from "vitest";
import type { PriceRow, ProviderView } from "../api";
import type { ProviderStatus } from "./offers";
import { KNOWN_MODELS } from "./prices";
import type { ProviderFailure } from "./provider";
import { createProviders, type ModelPrice, type ProviderRegistry } from "./registry";

// Adapters are fetched with their first use; how long that takes is not what is tested.
vi.setConfig({ testTimeout: 30_000 });

const KEY = "sk-test-0123456789";

/** Structured clones go in and out, as with IndexedDB. */
function memoryStore() {
  const rows = new Map<string, unknown>();
  return {
    rows,
    get: async <T>(key: string) => structuredClone(rows.get(key)) as T | undefined,
    put: async (key: string, value: unknown) => void rows.set(key, structuredClone(value)),
  };
}

const clock = { at: Date.UTC(2026, 11, 1, 12) };
const limit: ProviderFailure = { kind: "unavailable", status: 429, retryAfterMs: null, limit: true, detail: "" };

async function registryOn(settings = memoryStore(), onChange: () => void = () => {}): Promise<ProviderRegistry> {
  return createProviders({ settings, now: () => clock.at, onChange });
}

function modelIn(registry: ProviderRegistry, id: string) {
  return registry.catalog().models.find((model) => model.id === id);
}

afterEach(() => {
  vi.useRealTimers();
  clock.at = Date.UTC(2026, 11, 1, 12);
});

test("the views are what the page's api promises", () => {
  expectTypeOf<ProviderStatus>().toExtend<ProviderView>();
  expectTypeOf<ModelPrice>().toExtend<PriceRow>();
});

test("[R1] the embedded model is ready at once, Claude waits for a key, an address for models", async () => {
  const registry = await registryOn();
  expect(registry.views().map(({ id, state, key }) => [id, state, key])).toEqual([
    ["local", "ready", "none"],
    ["anthropic", "no_key", "none"],
    ["openai", "off", "none"],
  ]);
  expect(modelIn(registry, "local-extractive-1")?.availability).toEqual({ state: "ready" });
  expect(modelIn(registry, "claude-haiku-4-5")?.availability).toEqual({ state: "not_configured" });
  expect(await registry.setKey("anthropic", ` ${KEY} `, false)).toBeNull();
  expect(modelIn(registry, "claude-haiku-4-5")?.availability).toEqual({ state: "ready" });
  expect(await registry.setBaseUrl("openai", "http://127.0.0.1:11434/v1/", ["qwen3:8b", " ", "qwen3:8b"])).toBeNull();
  expect(registry.views()[2]).toMatchObject({
    state: "ready",
    baseUrl: "http://127.0.0.1:11434/v1",
    models: ["qwen3:8b"],
  });
  expect(registry.forModel("qwen3:8b")?.id).toBe("openai");
});

test("[R1] [K4-11] dated ids and other spellings resolve; a name that is itself on offer means that one", async () => {
  const registry = await registryOn();
  expect(registry.forModel("claude-haiku-4-5-20251001")?.id).toBe("anthropic");
  expect(registry.forModel("claude-opus-5.5")?.id).toBe("anthropic");
  expect(registry.forModel("claude-haiku-3")).toBeUndefined();
  await registry.setBaseUrl("openai", "https://openrouter.ai/api/v1", ["anthropic/claude-haiku-4.5"]);
  expect(registry.forModel("anthropic/claude-haiku-4.5")?.id).toBe("openai");
  expect(modelIn(registry, "claude-haiku-4-5")?.aliases).not.toContain("anthropic/claude-haiku-4.5");
});

test("[M1] the dated table, in micro-dollars, both bands of haiku 5.5", async () => {
  const registry = await registryOn();
  expect(registry.catalog().pricesAsOf).toBe("2026-12-01");
  expect(modelIn(registry, "claude-haiku-5-5")?.price).toEqual({
    bands: [
      {
        upToInputTokens: 100_000,
        inputMicros: 100_000,
        outputMicros: 500_000,
        cacheReadMicros: 10_000,
        cacheWriteMicros: 125_000,
      },
      {
        upToInputTokens: null,
        inputMicros: 500_000,
        outputMicros: 2_500_000,
        cacheReadMicros: 50_000,
        cacheWriteMicros: 625_000,
      },
    ],
    asOf: "2026-12-01",
    source: "table",
  });
  for (const { price } of KNOWN_MODELS) {
    expect(price.bands.at(-1)?.upToInputTokens).toBeNull();
    for (const band of price.bands) {
      expect(Object.values(band).every((value) => value === null || Number.isSafeInteger(value))).toBe(true);
      if (price.bands.length > 0 && band.inputMicros !== band.cacheWriteMicros)
        expect(band.cacheWriteMicros).toBe(band.inputMicros * 1.25);
    }
  }
});

test("[K4-10] a model nobody priced has no price until the person gives one; zero is a price", async () => {
  const settings = memoryStore();
  const registry = await registryOn(settings);
  await registry.setBaseUrl("openai", "http://127.0.0.1:1/v1", ["qwen3:8b"]);
  expect(modelIn(registry, "qwen3:8b")?.price).toBeNull();
  const free = { inputMicros: 0, outputMicros: 0, cacheReadMicros: 0, cacheWriteMicros: 0 };
  expect(await registry.setPrice("qwen3:8b", free)).toBeNull();
  const priced = { bands: [{ upToInputTokens: null, ...free }], asOf: "2026-12-01", source: "override" };
  expect(modelIn(registry, "qwen3:8b")?.price).toEqual(priced);
  expect(modelIn(await registryOn(settings), "qwen3:8b")?.price).toEqual(priced);
  expect(await registry.setPrice("qwen3:8b", null)).toBeNull();
  expect(modelIn(registry, "qwen3:8b")?.price).toBeNull();
  for (const inputMicros of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e12]) {
    expect(await registry.setPrice("claude-haiku-4-5", { ...free, inputMicros })).toMatch(/^Input:/);
  }
  expect(modelIn(registry, "claude-haiku-4-5")?.price?.source).toBe("table");
  expect(await registry.setPrice("__proto__", free)).toBeNull();
  expect(modelIn(registry, "claude-haiku-4-5")?.price?.source).toBe("table");
});

test("an address or list that cannot be is refused in a sentence and changes nothing", async () => {
  const registry = await registryOn();
  for (const url of [
    "ftp://x",
    "localhost:11434",
    "javascript:alert(1)",
    "http://name:secret@host/v1",
    "https://host/v1?key=1",
    "http://models.example/v1",
    "http://127.evil.example/v1",
  ]) {
    expect(await registry.setBaseUrl("openai", url, ["m"])).not.toBeNull();
  }
  expect(await registry.setBaseUrl("openai", "http://127.0.0.1/v1", ["claude-haiku-4-5"])).toContain(
    "another provider",
  );
  expect(await registry.setBaseUrl("local", "http://127.0.0.1/v1", [])).not.toBeNull();
  expect(registry.views()[2]).toMatchObject({ state: "off", baseUrl: null });
  for (const key of ["", "  ", "two words", "ключ"])
    expect(await registry.setKey("anthropic", key, false)).not.toBeNull();
  expect(await registry.setKey("local", KEY, false)).not.toBeNull();
});

test("a key in memory is gone with the worker and was never stored", async () => {
  const settings = memoryStore();
  const registry = await registryOn(settings);
  await registry.setKey("anthropic", KEY, false);
  expect(registry.views()[1]).toMatchObject({ state: "ready", key: "memory" });
  expect((await registryOn(settings)).views()[1]).toMatchObject({ state: "no_key", key: "none" });
  expect([...settings.rows.values()].filter((row) => row !== null)).toEqual([]);
});

test("a remembered key comes back, lies encrypted under a key that cannot be exported, and is forgotten whole", async () => {
  const settings = memoryStore();
  const registry = await registryOn(settings);
  await registry.setKey("anthropic", KEY, true);
  const row = settings.rows.get("providerKey:anthropic") as { wrapper: CryptoKey; sealed: ArrayBuffer };
  expect(new TextDecoder().decode(row.sealed)).not.toContain(KEY);
  await expect(crypto.subtle.exportKey("raw", row.wrapper)).rejects.toThrow();
  const again = await registryOn(settings);
  expect(again.views()[1]).toMatchObject({ state: "ready", key: "remembered" });
  expect(JSON.stringify([again.views(), again.catalog(), again.prices()])).not.toContain(KEY);
  await again.clearKey("anthropic");
  expect(again.views()[1]).toMatchObject({ key: "none" });
  expect(settings.rows.get("providerKey:anthropic")).toBeNull();
  await registry.load();
  expect(registry.views()[1]).toMatchObject({ key: "none" });
});

test("a key set for this session only replaces a remembered one, on disk too; a broken row is no key", async () => {
  const settings = memoryStore();
  const registry = await registryOn(settings);
  await registry.setKey("openai", KEY, true);
  await registry.setKey("openai", `${KEY}-2`, false);
  expect(settings.rows.get("providerKey:openai")).toBeNull();
  await registry.setKey("openai", KEY, true);
  const row = settings.rows.get("providerKey:openai") as object;
  settings.rows.set("providerKey:openai", { ...row, sealed: new ArrayBuffer(40) });
  expect((await registryOn(settings)).views()[2]).toMatchObject({ key: "none" });
});

test("[D4] what storage refuses is said; a price that was not stored does not count", async () => {
  const settings = memoryStore();
  const registry = await registryOn(settings);
  settings.put = async () => {
    throw new Error("the disk is full");
  };
  const price = { inputMicros: 1, outputMicros: 1, cacheReadMicros: 1, cacheWriteMicros: 1 };
  expect(await registry.setPrice("claude-haiku-4-5", price)).toContain("the disk is full");
  expect(modelIn(registry, "claude-haiku-4-5")?.price?.source).toBe("table");
  expect(await registry.setKey("anthropic", KEY, true)).toContain("the disk is full");
  expect(registry.views()[1]).toMatchObject({ key: "memory" });
});

test("[R7] after a limit every model of that provider backs off, longer each time, and others do not", async () => {
  const registry = await registryOn();
  await registry.setKey("anthropic", KEY, false);
  const until = () => registry.views()[1]?.backoffUntilAt ?? 0;
  registry.noteFailure("anthropic", limit);
  expect(until()).toBe(clock.at + 10_000);
  expect(modelIn(registry, "claude-haiku-5-5")?.availability).toEqual({ state: "backing_off", untilAt: until() });
  expect(modelIn(registry, "local-extractive-1")?.availability).toEqual({ state: "ready" });
  registry.noteFailure("anthropic", limit);
  expect(until()).toBe(clock.at + 10_000);
  const waits: number[] = [];
  for (let times = 0; times < 8; times += 1) {
    clock.at = until() + 1;
    expect(registry.views()[1]).toMatchObject({ state: "ready", backoffUntilAt: null });
    registry.noteFailure("anthropic", limit);
    waits.push(until() - clock.at);
  }
  expect(waits).toEqual([20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000, 600_000]);
  clock.at = until() + 300_001;
  registry.noteFailure("anthropic", { ...limit, retryAfterMs: 25_000 });
  expect(until()).toBe(clock.at + 25_000);
});

test("[R7] failures that are no limits change nothing", async () => {
  const registry = await registryOn();
  await registry.setKey("anthropic", KEY, false);
  registry.noteFailure("anthropic", { ...limit, status: 500, limit: false });
  registry.noteFailure("anthropic", { kind: "rejected", status: 401, detail: "" });
  expect(registry.views()[1]).toMatchObject({ state: "ready" });
});

test("changes are told: acts, a limit, and the end of its quiet; not the first load", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  let told = 0;
  const registry = await registryOn(memoryStore(), () => {
    told += 1;
  });
  expect(told).toBe(0);
  await registry.setKey("anthropic", KEY, false);
  expect(told).toBe(1);
  registry.noteFailure("anthropic", limit);
  expect(told).toBe(2);
  vi.advanceTimersByTime(10_001);
  expect(told).toBe(3);
});

test("an address of one's own for Anthropic is where its calls go, with the key", async () => {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  await mock.start();
  mock.onMessage("hello", { content: "Good morning.", usage: { input_tokens: 3, output_tokens: 2 } });
  const registry = await registryOn();
  await registry.setKey("anthropic", KEY, false);
  await registry.setBaseUrl("anthropic", mock.url, []);
  const prompt = {
    systemPrompt: null,
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }],
  };
  const call = { ...prompt, model: "claude-haiku-4-5", maxTokens: 50, temperature: null, stopSequences: [] };
  const provider = registry.forModel("claude-haiku-4-5");
  const outcome = await provider?.run(call, () => undefined, new AbortController().signal);
  await mock.stop();
  expect(outcome).toMatchObject({ ok: true, usage: { inputTokens: 3, outputTokens: 2 } });
  expect(await provider?.countTokens(prompt, "claude-haiku-4-5")).toBeGreaterThanOrEqual(3);
});
