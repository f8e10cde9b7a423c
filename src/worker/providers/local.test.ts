import { expect, test } from "vitest";
import type { Block } from "../../policy/request";
import { createLocal, LOCAL_MODEL, tokensOf } from "./local";
import { askedKeys } from "./local/asked-keys";
import { centralSentences } from "./local/prose";
import type { ProviderCall, ProviderOutcome } from "./provider";

const local = createLocal(() => []);
const never = new AbortController().signal;

const LOG = `FAILURES
__________ test_total __________
E       KeyError: 'total'

src/cart.py:33: KeyError
====== 2 failed, 10 passed in 1.20s ======`;

function call(text: string, more: Partial<ProviderCall> = {}): ProviderCall {
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
  return {
    model: LOCAL_MODEL,
    maxTokens: 500,
    temperature: null,
    stopSequences: [],
    systemPrompt: null,
    messages,
    ...more,
  };
}

function textOf(outcome: ProviderOutcome): string {
  const block = outcome.ok ? outcome.content[0] : undefined;
  return block?.type === "text" ? block.text : JSON.stringify(outcome);
}

async function answer(text: string, more: Partial<ProviderCall> = {}): Promise<string> {
  return textOf(await local.run(call(text, more), () => undefined, never));
}

test("a log with JSON asked for: exactly the keys that were named, taken from the text", async () => {
  const expected = { cause: "KeyError: 'total'", confidence: 0.7, file: "src/cart.py:33" };
  for (const ask of [
    "Answer in JSON with keys cause, confidence and file.",
    'Reply with JSON only: {"cause": string, "confidence": 0..1, "file": "path or null"}',
    "Return a JSON object {cause, confidence, file}.",
  ]) {
    expect(JSON.parse(await answer(`${ask}\n\n${LOG}`))).toEqual(expected);
    expect(JSON.parse(await answer(LOG, { systemPrompt: ask }))).toEqual(expected);
  }
});

test("where confidence is to be a word it is low or medium, never high", async () => {
  const systemPrompt =
    'Answer with one JSON object: {"cause": string, "confidence": "low" | "medium" | "high", "file": string}.';
  expect(JSON.parse(await answer(LOG, { systemPrompt }))).toEqual({
    cause: "KeyError: 'total'",
    confidence: "medium",
    file: "src/cart.py:33",
  });
  expect(JSON.parse(await answer("Nothing went wrong.", { systemPrompt })).confidence).toBe("low");
});

test("keys it cannot take out of a text are null, and the line leaves the file where it has its own key", async () => {
  const ask = "Return JSON with the keys file, line, test, failed, passed, fix.";
  expect(JSON.parse(await answer(LOG, { systemPrompt: ask }))).toEqual({
    file: "src/cart.py",
    line: 33,
    test: "test_total",
    failed: 2,
    passed: 10,
    fix: null,
  });
});

test("keys of a JSON schema are its properties; a log that merely mentions JSON asks for nothing", () => {
  const schema =
    '{"type":"object","properties":{"cause":{"type":"string"},"file":{"type":"string"}},"required":["cause"]}';
  expect(askedKeys(`Answer as JSON matching ${schema}`, LOG)).toEqual(["cause", "file"]);
  expect(
    askedKeys(null, "SyntaxError: Unexpected token < in JSON at position 0\n    at JSON.parse (<anonymous>)"),
  ).toBeNull();
  expect(askedKeys(null, LOG)).toBeNull();
});

test("a log without JSON asked for: cause, place, test, counts in sentences", async () => {
  expect(await answer(LOG)).toBe("KeyError: 'total'. At src/cart.py:33. In test_total. 2 failed, 10 passed.");
});

const PROSE = `The harbour of Zierikzee was dredged in spring. Dredging the harbour removed forty thousand cubic metres of silt.
Gulls were seen. The silt of the harbour was used to raise the dike south of Zierikzee. A café opened. The dike and the
harbour are inspected again in autumn.`;

test("prose: whole sentences of the text, in its order, as many as asked for", async () => {
  const two = await answer(`Summarise the following in two sentences:\n\n${PROSE}`);
  expect(two.split(". ").length).toBe(2);
  for (const sentence of centralSentences(two, 5)) expect(PROSE.replace(/\s+/g, " ")).toContain(sentence);
  expect(two).not.toContain("Gulls");
  expect(two).not.toContain("Summarise");
});

test("[M2] one own unit: what is counted before is what is charged after, and bytes decide", async () => {
  const asked = call(`Zusammenfassung bitte: ${PROSE} 請總結。`, { systemPrompt: "short" });
  const outcome = await local.run(asked, () => undefined, never);
  expect(outcome.usage?.inputTokens).toBe(await local.countTokens(asked, LOCAL_MODEL));
  expect(outcome.usage?.outputTokens).toBe(tokensOf(textOf(outcome)));
  expect(tokensOf("請")).toBe(1);
  expect(tokensOf("請總結")).toBe(3);
});

test("[W7] the token limit cuts and says so; JSON gets shorter rather than cut", async () => {
  const cut = await local.run(call(PROSE, { maxTokens: 5 }), () => undefined, never);
  expect(cut).toMatchObject({ ok: true, stopReason: "maxTokens", model: LOCAL_MODEL });
  expect(cut.usage?.outputTokens).toBeLessThanOrEqual(5);
  const log = LOG.replace("'total'", `'${"very long ".repeat(25)}'`);
  const short = await local.run(
    call(log, { maxTokens: 40, systemPrompt: "JSON with keys cause, confidence, file" }),
    () => undefined,
    never,
  );
  expect(short).toMatchObject({ ok: true, stopReason: "endTurn" });
  expect(JSON.parse(textOf(short)).file).toBe("src/cart.py:33");
  const stopped = await local.run(call(LOG, { stopSequences: ["At "] }), () => undefined, never);
  expect(stopped).toMatchObject({ ok: true, stopReason: "stopSequence" });
  expect(textOf(stopped)).toBe("KeyError: 'total'. ");
});

test("[K1-02] what is not text is declined by name, nothing is dropped, nothing is charged", async () => {
  const blocks: Block[] = [
    { type: "image", data: "", mimeType: "image/png" },
    { type: "audio", data: "", mimeType: "audio/wav" },
    { type: "tool_use", id: "1", name: "x", input: {} },
  ];
  for (const block of blocks) {
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "look" }, block] }];
    const outcome = await local.run(call("", { messages }), () => undefined, never);
    expect(outcome).toMatchObject({ ok: false, mayHaveCost: false, usage: null });
    expect(outcome).toMatchObject({ failure: { kind: "unsupported_content", block: block.type } });
  }
  for (const empty of [call("  \n "), call("", { messages: [] })]) {
    const outcome = await local.run(empty, () => undefined, never);
    expect(outcome).toMatchObject({ ok: false, mayHaveCost: false, failure: { kind: "rejected", status: 422 } });
  }
});

test("[R4] an abort between pieces ends as aborted and charges what was handed out", async () => {
  const controller = new AbortController();
  const seen: number[] = [];
  const outcome = await local.run(
    call(PROSE),
    (count) => {
      seen.push(count);
      controller.abort();
    },
    controller.signal,
  );
  expect(outcome).toMatchObject({ ok: false, failure: { kind: "aborted" }, mayHaveCost: true });
  expect(outcome.usage?.outputTokens).toBe(seen[0]);
  const before = await local.run(call(PROSE), () => undefined, AbortSignal.abort());
  expect(before).toMatchObject({ ok: false, failure: { kind: "aborted" }, mayHaveCost: false, usage: null });
});

test("progress rises in a few steps to the final count", async () => {
  const seen: number[] = [];
  const outcome = await local.run(call(PROSE), (count) => seen.push(count), never);
  expect(seen.length).toBe(4);
  expect(seen.at(-1)).toBe(outcome.usage?.outputTokens);
  expect([...seen].sort((a, b) => a - b)).toEqual(seen);
});

test("sentences are ranked among 200 at most, however long the text", () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `Sentence number ${at} speaks of harbours.`).join(" ");
  const chosen = centralSentences(many, 3);
  expect(chosen.length).toBe(3);
  for (const sentence of chosen) expect(Number(/\d+/.exec(sentence)?.[0])).toBeLessThan(200);
});
