/** Real servers and both adapters: sampling answered through consent and provider, and refused where the policy says so. */
import { createCiTriage } from "../demo/ci-triage/server";
import { serveMcp } from "../demo/transport/serve";
import { expect, test } from "./fixtures";
import { policyText } from "./policy-text";
import type { Purser } from "./purser";
import { PROBE, prompt } from "./scripted";
import { startEverything } from "./servers/everything";
import type { ModelApi } from "./servers/model-api";
import { serveModern } from "./servers/probe-modern";

test.describe.configure({ mode: "parallel" });

const PAID = { models: ["claude-haiku-4-5"] };
const BROKE = { ...PAID, budget: { window: "24h", usd: 0 } };

async function useAnthropic(purser: Purser, modelApi: ModelApi): Promise<void> {
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
}

test("[W] [K1] server-everything over HTTP is answered through consent and provider, and refused by its policy", async ({
  purser,
  modelApi,
}) => {
  const everything = await startEverything();
  modelApi.give({ kind: "text", text: "A fine answer.", inputTokens: 20, outputTokens: 4 });
  await useAnthropic(purser, modelApi);
  await purser.connectTo({ name: "everything", url: everything.url });
  await purser.loadPolicyFile(policyText({ everything: PAID }));
  await purser.waitForState("everything", "connected");
  const tool = "trigger-sampling-request";
  const run = await purser.runTool("everything", tool, { prompt: "Say something fine.", maxTokens: 50 });
  await purser.answerConsent("everything", "allow_session");
  await run.waitEnded(/done/);
  await expect(run.card).toContainText("A fine answer.");
  expect(modelApi.calls.length).toBe(1);

  await purser.loadPolicyFile(policyText({ everything: BROKE }));
  const refused = await purser.runTool("everything", tool, { prompt: "Say something else.", maxTokens: 50 });
  await refused.waitEnded();
  await expect(refused.notices()).toHaveText(/everything reached its daily limit of \$0\.00/);
  expect(modelApi.calls.length).toBe(1);
  await everything.close();
});

test("[F36] [W8] a server of protocol 2026-07-28: all embedded requests are answered, or none is spent on", async ({
  purser,
  modelApi,
}) => {
  const modern = await serveModern();
  modelApi.give({ kind: "text", text: "A modern answer.", inputTokens: 20, outputTokens: 4 });
  await useAnthropic(purser, modelApi);
  await purser.connectTo({ name: "modern", url: modern.url });
  await purser.loadPolicyFile(policyText({ modern: PAID }));
  await purser.waitForState("modern", "connected");
  modern.embed = { one: prompt("first"), two: prompt("second") };
  const run = await purser.runTool("modern", "ask");
  await purser.answerConsent("modern", "allow_session");
  await run.waitEnded(/done/);
  expect(modern.responses.map((given) => Object.keys(given).sort())).toEqual([["one", "two"]]);
  expect(JSON.stringify(modern.responses[0])).toContain("A modern answer.");
  expect(modelApi.calls.length).toBe(2);

  const tooLong = prompt("word ".repeat(20_000));
  modern.embed = { one: prompt("third"), two: tooLong };
  const refused = await purser.runTool("modern", "ask");
  await refused.waitEnded(/refused/);
  await expect(refused.card).toContainText("policy.input_too_large");
  expect(modern.responses.length).toBe(1);
  expect(modelApi.calls.length).toBe(2);
  await modern.close();
});

test("[W] the demo server over WebSocket is answered, and refused by its policy", async ({ purser }) => {
  const served = await serveMcp(createCiTriage, 0);
  await purser.connectTo({ name: "triage", url: served.wsUrl });
  await purser.loadPolicyFile(policyText({ triage: {} }));
  await purser.waitForState("triage", "connected");
  const run = await purser.runTool("triage", "triage_failures", { limit: 1 });
  await purser.answerConsent("triage", "allow_session");
  await run.waitEnded(/done/);
  await expect(run.steps().first()).toContainText("local-extractive-1");

  await purser.loadPolicyFile(policyText({ triage: { budget: { window: "24h", usd: 0 } } }));
  const refused = await purser.runTool("triage", "triage_failures", { limit: 1, again: true });
  await refused.waitEnded(/done/);
  await expect(refused.notices()).toHaveText(/triage reached its daily limit of \$0\.00/);
  await served.close();
});

test("[M3] [K4-04] cached and cache-write tokens are charged at their own prices", async ({
  purser,
  scripted,
  modelApi,
}) => {
  const usage = {
    input_tokens: 1_000,
    output_tokens: 100,
    cache_read_input_tokens: 10_000,
    cache_creation_input_tokens: 2_000,
  };
  modelApi.give({ kind: "cached", text: "From the cache.", model: "claude-haiku-4-5-20251001", usage });
  await useAnthropic(purser, modelApi);
  await scripted.connect(purser, PAID);
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  await purser.answerConsent(PROBE, "allow_session");
  expect((await frame).json).toMatchObject({
    result: { model: "claude-haiku-4-5-20251001", content: { type: "text", text: "From the cache." } },
  });
  await run.waitEnded(/done/);
  const rows = await purser.log({ server: PROBE, ending: "completed" });
  await rows.getByRole("link").click();
  const record = purser.page.getByRole("article", { name: "Record" });
  // 1,000 × 1 + 10,000 × 0.1 + 2,000 × 1.25 + 100 × 5 micro-dollars.
  await expect(record).toContainText("$0.005 ");
  await expect(record).toContainText("1,000 in, 100 out, 10,000 read from cache, 2,000 written to it");
});

test("[R7] after a 429 sampling backs off: the next request makes no call", async ({ purser, scripted, modelApi }) => {
  modelApi.give({ kind: "status", status: 429, message: "slow down" });
  await useAnthropic(purser, modelApi);
  await scripted.connect(purser, PAID);
  const first = await scripted.ask(purser, prompt("one"));
  await purser.answerConsent(PROBE, "allow_session");
  expect((await first.frame).text).toContain('"reason":"provider.unavailable"');
  const second = await scripted.ask(purser, prompt("two"));
  expect((await second.frame).text).toContain('"reason":"provider.unavailable"');
  expect(modelApi.calls.length).toBe(1);
  await purser.go("/settings");
  await expect(purser.provider("Anthropic")).toContainText("asked us to wait");
});

test("[R2] an unavailable model gives way to another permitted one, and that is said", async ({
  purser,
  scripted,
  modelApi,
}) => {
  modelApi.give({ kind: "status", status: 529, message: "Overloaded" });
  await useAnthropic(purser, modelApi);
  await scripted.connect(purser, { models: ["claude-haiku-4-5", "local-extractive-1"] });
  const { run, frame } = await scripted.ask(purser, prompt("Read this."));
  await purser.answerConsent(PROBE, "allow_once");
  // Another model is another question: it was not what the first dialog showed.
  await purser.answerConsent(PROBE, "allow_once");
  expect((await frame).json).toMatchObject({ result: { model: "local-extractive-1" } });
  await expect(run.notices()).toHaveText(/claude-haiku-4-5 could not be reached, so this ran on local-extractive-1/);
});

test("[W] [M1] an OpenAI-compatible server: priced by the person, answered, then 401 and a deadline", async ({
  purser,
  scripted,
  modelApi,
}) => {
  modelApi.give({ kind: "text", text: "House words.", inputTokens: 1_000, outputTokens: 500 });
  await purser.setProviderKey("OpenAI-compatible", "sk-house-0123456789");
  await purser.setProviderBaseUrl("OpenAI-compatible", modelApi.openAiUrl, ["house-model"]);
  await purser.setPrice("house-model", { input: "2", output: "10" });
  await scripted.connect(purser, { models: ["house-model"], deadline_ms: 2_000 });
  const asked = await scripted.ask(purser, prompt("hello", { maxTokens: 800 }));
  await purser.answerConsent(PROBE, "allow_session");
  expect((await asked.frame).json).toMatchObject({ result: { content: { text: "House words." } } });
  await asked.run.waitEnded(/done/);
  // 1,000 × 2 + 500 × 10 micro-dollars.
  await expect(asked.run.steps()).toContainText("$0.007");
  expect(modelApi.calls[0]?.key).toBe("Bearer sk-house-0123456789");

  modelApi.give({ kind: "status", status: 401, message: "no such key" });
  const rejected = await scripted.ask(purser, prompt("again"));
  expect((await rejected.frame).text).toContain('"status":401');
  await rejected.run.waitEnded();
  modelApi.give({ kind: "slow", everyMs: 100, inputTokens: 10 });
  const late = await scripted.ask(purser, prompt("slowly"));
  expect((await late.frame).text).toContain('"reason":"policy.deadline"');
  expect(modelApi.calls.length).toBe(3);
});
