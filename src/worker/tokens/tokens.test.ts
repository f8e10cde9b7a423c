import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, expect, test, vi } from "vitest";
import type { Block } from "../../policy/request";
import { boundTokens, newWork } from "./bound";
import { isClaudeUpTo46 } from "./claude-version";
import { loadO200k } from "./o200k";
import { countOutput, countPrompt } from "./prompt-tokens";
import { utf8Length } from "./utf8";

// The vocabulary is large, and how long it takes to arrive is not what is tested.
vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => {
  while ((await loadO200k()) === utf8Length);
}, 60_000);

const ENGLISH = "The quick brown fox jumps over the lazy dog, then reads 1,234 lines of log output. ".repeat(20);
const CODE = 'export function f(a: number[]) {\n    return a.map((x) => x ** 2); // "squares"\n}\n'.repeat(20);
const LOG = '  File "src/cart.py", line 33, in total\n    return self.items["total"]\nE   KeyError: \'total\'\n'.repeat(
  20,
);
const CHINESE = "请根据以下日志总结失败原因，并给出文件名和行号。".repeat(20);
const EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈🫠🧑🏽‍🚀".repeat(40);
const BASE64 = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7919) % 256)).toString("base64");

const SAMPLES = { ENGLISH, CODE, LOG, CHINESE, EMOJI, BASE64 };

function prompt(...content: Block[]) {
  return { systemPrompt: null, messages: [{ role: "user" as const, content }] };
}

for (const [name, text] of Object.entries(SAMPLES)) {
  test(`[M2] the bound is at least the reference count: ${name}`, async () => {
    const real = countTokens(text);
    const bound = await boundTokens(text, await loadO200k(), 1.25, newWork());
    expect(bound).toBeGreaterThanOrEqual(real);
    expect(bound).toBeLessThanOrEqual(Math.max(real * 2, utf8Length(text)));
  });
}

const HOSTILE = {
  spaces: " ".repeat(240_000),
  "one CJK word": "漢字".repeat(40_000),
  emoji: "🫠".repeat(60_000),
  "base64 in one line": BASE64.repeat(60),
  "combining marks": `a${"\u0301".repeat(120_000)}`,
  "control tokens": "<|endoftext|><|im_start|>".repeat(10_000),
  "lone surrogates": "\ud800".repeat(80_000),
  "different words": Array.from({ length: 40_000 }, (_, at) => (at * 2_654_435_761).toString(36)).join(" "),
};

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`[F19] [M2] work is bounded and the bound stays under the bytes: ${name}`, async () => {
    const work = newWork();
    const bound = await boundTokens(text, await loadO200k(), 1.6, work);
    expect(work.steps).toBeLessThanOrEqual(work.limit + 128 ** 2 + 32);
    expect(bound).toBeGreaterThan(0);
    expect(bound).toBeLessThanOrEqual(utf8Length(text));
  });
}

test("[M2] no piece handed to the tokenizer is longer than 33 characters of a word or 64 blanks", async () => {
  let longest = 0;
  const count = (piece: string) => {
    longest = Math.max(longest, [...piece].length);
    return 1;
  };
  for (const text of Object.values(HOSTILE)) await boundTokens(text, count, 1, newWork());
  expect(longest).toBeLessThanOrEqual(64);
});

test("[F19] [M2] what the work budget does not reach is counted in bytes", async () => {
  const work = newWork(1_000);
  const text = `${"word ".repeat(4)}${"漢".repeat(500)}`;
  const bound = await boundTokens(text, () => 1, 1, work);
  expect(work.steps).toBeGreaterThanOrEqual(1_000);
  expect(bound).toBeGreaterThan(utf8Length("漢".repeat(400)));
  expect(bound).toBeLessThanOrEqual(utf8Length(text));
});

test("[M2] one budget covers all blocks of a prompt", async () => {
  const work = newWork(50_000);
  const blocks = Array.from({ length: 50 }, (_, at): Block => ({ type: "text", text: `${CHINESE}${at}` }));
  await countPrompt(prompt(...blocks), "claude-haiku-4-5", work);
  expect(work.steps).toBeLessThanOrEqual(50_000 + 128 ** 2 + 32);
});

test("[M2] utf8Length agrees with TextEncoder, lone surrogates included", () => {
  for (const text of [...Object.values(SAMPLES), "\ud800x\udc00", "é", ""])
    expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
});

test("[M2] Claude from 4.7 on has the higher factor", async () => {
  const old = await countPrompt(prompt({ type: "text", text: ENGLISH }), "claude-haiku-4-5-20251001");
  const recent = await countPrompt(prompt({ type: "text", text: ENGLISH }), "claude-haiku-5-5");
  expect(recent).toBeGreaterThan(old * 1.2);
  const upTo46 = ["claude-haiku-4-5", "claude-sonnet-4-20250514", "claude-3-5-sonnet-20241022", "claude-opus-4.6"];
  const from47 = [
    "claude-opus-4-7",
    "claude-sonnet-5",
    "claude-haiku-5-5",
    "claude-mythos-preview",
    "claude-fable-5-1",
  ];
  expect(upTo46.map(isClaudeUpTo46)).toEqual(upTo46.map(() => true));
  expect(from47.map(isClaudeUpTo46)).toEqual(from47.map(() => false));
});

test("[K1-02] every block counts: text, image, audio, tool use and what a tool returned", async () => {
  const model = "claude-haiku-4-5";
  const text: Block = { type: "text", text: "what is on this label?" };
  const image: Block = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
  const audio: Block = { type: "audio", mimeType: "audio/wav", data: BASE64 };
  const use: Block = { type: "tool_use", id: "1", name: "look", input: { at: ENGLISH } };
  const result: Block = { type: "tool_result", toolUseId: "1", content: [text, image], isError: false };
  const alone = await countPrompt(prompt(text), model);
  expect(await countPrompt(prompt(text, image), model)).toBe(alone + 1_700);
  expect(await countPrompt(prompt(text, image), "claude-opus-5-5")).toBeGreaterThanOrEqual(4_800);
  expect(await countPrompt(prompt(text, audio), model)).toBeGreaterThan(alone + 100);
  expect(await countPrompt(prompt(text, use), model)).toBeGreaterThan(alone + countTokens(ENGLISH));
  expect(await countPrompt(prompt(text, result), model)).toBeGreaterThan(alone + 1_700);
  const tools = [{ name: "look", description: ENGLISH, inputSchema: { type: "object" } }];
  expect(await countPrompt({ ...prompt(text), tools }, model)).toBeGreaterThan(alone + 400);
});

test("[K4-03] text that streamed before a cut is counted, not taken for nothing", async () => {
  expect(await countOutput(ENGLISH, "claude-haiku-4-5")).toBeGreaterThanOrEqual(countTokens(ENGLISH));
  expect(await countOutput("", "claude-haiku-4-5")).toBe(0);
});
