/** SPEC W: what a server is told, each reason by its real cause, the frame as it came in at the server's end. */
import { expect, test } from "./fixtures";
import { PROBE, pinned, prompt } from "./scripted";

test.describe.configure({ mode: "parallel" });

test("[W] [P1] sampling_disabled: a server without a block is not told of sampling and refused when it asks anyway", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, null);
  expect(scripted.probe.capabilities).not.toHaveProperty("sampling");
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: policy.sampling_disabled. It is switched off for this server. Do not retry.","data":{"reason":"policy.sampling_disabled","server":"probe","retryable":false}}}',
  );
  await run.waitEnded(/done/);
  await expect(run.notices()).toHaveCount(0);
  const rows = await purser.log({ server: PROBE, ending: "refused" });
  await expect(rows).toHaveCount(1);
});

test("[K2-08] [W] [R1] no_permitted_model: nothing on the list is known", async ({ purser, scripted }) => {
  await scripted.connect(purser, { models: ["a-model-nobody-has"] });
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: policy.no_permitted_model. None of the models this server may use is known here. Do not retry.","data":{"reason":"policy.no_permitted_model","server":"probe","retryable":false}}}',
  );
  await expect(run.notices()).toHaveText(/may use no model that is known here/);
});

test("[F34] [K4-10] [W] [M1] model_unpriced: a model with no price is refused, not free", async ({
  purser,
  scripted,
  modelApi,
}) => {
  await purser.setProviderBaseUrl("OpenAI-compatible", modelApi.openAiUrl, ["house-model"]);
  await scripted.connect(purser, { models: ["house-model"] });
  const { frame } = await scripted.ask(purser, prompt("hello"));
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: policy.model_unpriced. The model house-model has no price. Do not retry.","data":{"reason":"policy.model_unpriced","server":"probe","retryable":false,"model":"house-model"}}}',
  );
  expect(modelApi.calls).toEqual([]);
});

test("[W] input_too_large: observed and limit in tokens", async ({ purser, scripted }) => {
  await scripted.connect(purser, { max_input_tokens: 20 });
  const { frame } = await scripted.ask(purser, prompt("word ".repeat(100)));
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: policy.input_too_large. The input is 125 tokens, the limit 20. Do not retry unchanged.","data":{"reason":"policy.input_too_large","server":"probe","retryable":false,"observed":125,"limit":20}}}',
  );
});

test("[W] [M2] budget_exhausted: what is spent, the cap, and when it resets", async ({ purser, scripted }) => {
  await scripted.connect(purser, { budget: { window: "24h", usd: 0 } });
  const { frame } = await scripted.ask(purser, prompt("hello"));
  const got = await frame;
  expect(pinned(got)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: policy.budget_exhausted. $0.00 of its budget of $0.00 is spent or reserved. Do not retry before it resets at <time>.","data":{"reason":"policy.budget_exhausted","server":"probe","retryable":false,"spentUsd":0,"capUsd":0,"resetsAt":"<time>"}}}',
  );
  const midnight = new Date();
  midnight.setUTCHours(24, 0, 0, 0);
  expect(got.text).toContain(`"resetsAt":"${midnight.toISOString()}"`);
});

test("[W] [A8] rate_limit: retryable, with an absolute retryAt that is the next slot", async ({ purser, scripted }) => {
  await scripted.connect(purser, { rate_limit: { requests_per_minute: 1, burst: 1 } });
  const first = await scripted.ask(purser, prompt("one"));
  await purser.answerConsent(PROBE, "allow_session");
  expect((await first.frame).json).toHaveProperty("result");
  await first.run.waitEnded();
  const { frame } = await scripted.ask(purser, prompt("two"));
  const got = await frame;
  expect(pinned(got)).toBe(
    '{"jsonrpc":"2.0","id":1001,"error":{"code":-32004,"message":"Sampling not possible now for probe: policy.rate_limit. Too many requests. Retry at <time>.","data":{"reason":"policy.rate_limit","server":"probe","retryable":true,"retryAt":"<time>"}}}',
  );
  expect(secondsUntil(got.json)).toBeGreaterThan(30);
});

test("[W] [A3] concurrency: a request that waits for a person holds the only slot", async ({ purser, scripted }) => {
  await scripted.connect(purser, { max_concurrent: 1 });
  await scripted.ask(purser, prompt("one"));
  await purser.minimiseConsent(PROBE);
  const { frame } = await scripted.ask(purser, prompt("two"));
  const got = await frame;
  expect(pinned(got)).toBe(
    '{"jsonrpc":"2.0","id":1001,"error":{"code":-32004,"message":"Sampling not possible now for probe: policy.concurrency. Too many requests at once. Retry at <time>.","data":{"reason":"policy.concurrency","server":"probe","retryable":true,"retryAt":"<time>"}}}',
  );
  expect(secondsUntil(got.json)).toBeLessThanOrEqual(2);
});

test("[W] [K5] consent.pending: nobody answers for 45 s, the dialog stays, a late yes serves the retry", async ({
  purser,
  scripted,
}) => {
  test.setTimeout(90_000);
  await scripted.connect(purser, {});
  const asked = await scripted.ask(purser, prompt("hello"));
  await expect(purser.consent(PROBE)).toBeVisible();
  expect(pinned(await asked.frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32004,"message":"Sampling not possible now for probe: consent.pending. The person has not answered yet. Retry at <time>.","data":{"reason":"consent.pending","server":"probe","retryable":true,"retryAt":"<time>"}}}',
  );
  await expect(purser.consent(PROBE)).toContainText("was told to come back");
  await purser.answerConsent(PROBE, "allow_once");
  const again = await scripted.ask(purser, prompt("hello"));
  expect((await again.frame).json).toHaveProperty("result");
});

test("[W] [K4] [K2-01] user.denied", async ({ purser, scripted }) => {
  await scripted.connect(purser, {});
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  await purser.answerConsent(PROBE, "deny");
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-1,"message":"Sampling refused for probe: user.denied. The person said no. Do not retry.","data":{"reason":"user.denied","server":"probe","retryable":false}}}',
  );
  await expect(run.notices()).toHaveText(/You denied probe's request/);
});

test("[W] [R4] policy.deadline: a stream that goes on is cut, what streamed is charged", async ({
  purser,
  scripted,
  modelApi,
}) => {
  modelApi.give({ kind: "slow", everyMs: 100, inputTokens: 40 });
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
  await scripted.connect(purser, { models: ["claude-haiku-4-5"], deadline_ms: 2_000 });
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  await purser.answerConsent(PROBE, "allow_session");
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32004,"message":"Sampling not possible now for probe: policy.deadline. It took longer than its deadline. Retry at <time>.","data":{"reason":"policy.deadline","server":"probe","retryable":true,"retryAt":"<time>"}}}',
  );
  await expect(run.notices()).toHaveText(/stopped at its deadline of 2 s and cost \$0\.00/);
  expect(modelApi.calls.length).toBe(1);
});

test("[W] [R7] provider.unavailable: overloaded", async ({ purser, scripted, modelApi }) => {
  modelApi.give({ kind: "status", status: 529, message: "Overloaded" });
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
  await scripted.connect(purser, { models: ["claude-haiku-4-5"] });
  const { frame } = await scripted.ask(purser, prompt("hello"));
  await purser.answerConsent(PROBE, "allow_session");
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32004,"message":"Sampling not possible now for probe: provider.unavailable. No permitted model can be reached. Retry at <time>.","data":{"reason":"provider.unavailable","server":"probe","retryable":true,"retryAt":"<time>"}}}',
  );
  expect(modelApi.calls.length).toBe(1);
});

test("[W] provider.rejected: a key the provider does not take", async ({ purser, scripted, modelApi }) => {
  modelApi.give({ kind: "status", status: 401, message: "invalid x-api-key" });
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
  await scripted.connect(purser, { models: ["claude-haiku-4-5"] });
  const { frame } = await scripted.ask(purser, prompt("hello"));
  await purser.answerConsent(PROBE, "allow_session");
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: provider.rejected. The model\'s provider rejected it with status 401. Do not retry.","data":{"reason":"provider.rejected","server":"probe","retryable":false,"status":401}}}',
  );
});

test("[W] provider.unsupported_content: named, not dropped", async ({ purser, scripted }) => {
  await scripted.connect(purser, {});
  const audio = { type: "audio", mimeType: "audio/wav", data: "AAAA" };
  const { frame } = await scripted.ask(purser, { messages: [{ role: "user", content: audio }], maxTokens: 10 });
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: provider.unsupported_content. No permitted model takes audio content. Do not retry unchanged.","data":{"reason":"provider.unsupported_content","server":"probe","retryable":false,"block":"audio"}}}',
  );
});

test("[W] [D4] storage.unavailable: another version took the store away, so nothing is decided from memory", async ({
  purser,
  scripted,
  expectComplaints,
}) => {
  expectComplaints(/./);
  await scripted.connect(purser, {});
  // What an upgrade in another tab does to this one: it must give its connection up and cannot get it back.
  await purser.page.evaluate(async () => {
    const [database] = await indexedDB.databases();
    await new Promise<void>((resolve, reject) => {
      const newer = indexedDB.open(database?.name ?? "", 9_999);
      newer.onsuccess = () => resolve();
      newer.onerror = () => reject(newer.error ?? new Error("no error given"));
    });
  });
  const { frame } = await scripted.ask(purser, prompt("hello"));
  expect(pinned(await frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32003,"message":"Sampling refused for probe: storage.unavailable. It cannot be recorded here, so it is not run. Do not retry.","data":{"reason":"storage.unavailable","server":"probe","retryable":false}}}',
  );
  await expect(purser.page.getByText("no sampling is allowed")).toBeVisible();
});

test("[W9] malformed: the path of what is wrong, no dialog, and the connection lives", async ({ purser, scripted }) => {
  await scripted.connect(purser, {});
  const wrong = { messages: [{ role: "system", content: { type: "text", text: "x" } }], maxTokens: 10 };
  const first = await scripted.ask(purser, wrong);
  expect(pinned(await first.frame)).toBe(
    '{"jsonrpc":"2.0","id":1000,"error":{"code":-32602,"message":"Malformed sampling request from probe at messages[0].role: neither user nor assistant. Do not retry unchanged.","data":{"reason":"malformed","server":"probe","retryable":false,"path":"messages[0].role","problem":"neither user nor assistant"}}}',
  );
  const second = await scripted.ask(purser, { ...prompt("x"), maxTokens: -5 });
  expect(pinned(await second.frame)).toBe(
    '{"jsonrpc":"2.0","id":1001,"error":{"code":-32602,"message":"Malformed sampling request from probe at maxTokens: -5 is less than 1. Do not retry unchanged.","data":{"reason":"malformed","server":"probe","retryable":false,"path":"maxTokens","problem":"-5 is less than 1"}}}',
  );
  await expect(purser.consent(PROBE)).toHaveCount(0);
  const third = await scripted.ask(purser, prompt("x"));
  await purser.answerConsent(PROBE, "allow_once");
  expect((await third.frame).json).toHaveProperty("result");
});

test("[W6] [W7] trimming is success: the result says what was asked and what was applied", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, { max_output_tokens: 64 });
  const { run, frame } = await scripted.ask(
    purser,
    prompt("Say something short.", {
      maxTokens: 500,
      includeContext: "allServers",
      modelPreferences: { hints: [{ name: "gpt-9" }] },
    }),
  );
  await purser.answerConsent(PROBE, "allow_session");
  const { result } = (await frame).json as { result: Record<string, unknown> };
  expect(JSON.stringify(result._meta)).toBe(
    '{"context":{"requested":"allServers","applied":"none","reason":"policy.max_scope"},"maxTokens":{"requested":500,"applied":64,"reason":"policy.max_output_tokens"},"model":{"requested":["gpt-9"],"applied":"local-extractive-1","reason":"policy.models"}}',
  );
  expect(result).toMatchObject({ role: "assistant", model: "local-extractive-1", stopReason: "endTurn" });
  await run.waitEnded(/done/);
  await expect(run.notices()).toHaveText([
    /probe asked for the whole conversation, was given none/,
    /probe asked for 500 tokens of output, was given 64/,
    /probe asked for another model, was given local-extractive-1/,
  ]);
});

test("[W1] [K7] a request the server cancelled gets no response; its dialog closes and is no denial", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, { max_concurrent: 1 });
  let told: unknown = "not yet";
  let seen: () => void = () => undefined;
  const dialogSeen = new Promise<void>((resolve) => {
    seen = resolve;
  });
  scripted.probe.tool = async ({ post, cancel, answerTo }) => {
    const id = post(prompt("hello"));
    await dialogSeen;
    cancel(id);
    told = await answerTo(id, 2_000);
    return "cancelled";
  };
  const run = await purser.runTool(PROBE, "ask");
  await expect(purser.consent(PROBE)).toBeVisible();
  seen();
  await expect(purser.consent(PROBE)).toBeHidden();
  await run.waitEnded(/done/);
  expect(told).toBeNull();
  await expect(run.steps()).toContainText("cancelled");
  // The slot is free again, and nobody was counted as having said no.
  const { frame } = await scripted.ask(purser, prompt("hello"));
  await purser.answerConsent(PROBE, "allow_once");
  expect((await frame).json).toHaveProperty("result");
});

function secondsUntil(json: Record<string, unknown>): number {
  const { data } = json.error as { data: { retryAt: string } };
  return (Date.parse(data.retryAt) - Date.now()) / 1000;
}
