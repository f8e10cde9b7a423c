/** SPEC A4, D: what was decided stays decided, whatever the server, the tab or the browser does in between. */
import { expect, test } from "./fixtures";
import type { Purser } from "./purser";
import { PROBE, prompt, type Scripted } from "./scripted";
import type { Frame } from "./servers/probe";

test.describe.configure({ mode: "parallel" });

const PAID = { models: ["claude-haiku-4-5"] };

test("[A4] [D1] a retry cannot bypass a denial", async ({ purser, scripted, modelApi }) => {
  modelApi.give({ kind: "text", text: "never said", inputTokens: 5, outputTokens: 2 });
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
  await scripted.connect(purser, PAID);

  const first = await scripted.ask(purser, prompt("the same words"));
  await purser.answerConsent(PROBE, "deny");
  const denied = await first.frame;
  const again = await scripted.ask(purser, prompt("the same words"));
  const replayed = await again.frame;
  await again.run.waitEnded();

  expect(errorOf(replayed)).toBe(errorOf(denied));
  await expect(purser.consent(PROBE)).toHaveCount(0);
  expect(modelApi.calls).toEqual([]);
  const rows = await purser.log({ server: PROBE });
  await expect(rows.filter({ hasText: "user.denied" })).toHaveCount(1);
  await rows.getByRole("link").click();
  const record = purser.page.getByRole("article", { name: "Record" });
  await expect(record).toContainText("The same request came again 1 time and got the same answer");
});

test("[F10] [K5-06] [K5-13] [I2] [I3] the same request in other clothes is the same request", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, {});
  const first = await scripted.ask(purser, prompt("caf\u00e9"));
  await purser.answerConsent(PROBE, "deny");
  const denied = errorOf(await first.frame);
  const raw = String.raw`{"method":"sampling/createMessage","params":{"includeContext":"none","temperature":0.9,
    "maxTokens":7,"messages":[{"content":[{"text":"cafe\u0301","type":"text"}],"role":"user"}]},
    "id":$ID,"jsonrpc":"2.0"}`;
  const again = await scripted.ask(purser, null, { raw: raw.replaceAll(/\n\s*/g, "") });
  expect(errorOf(await again.frame)).toBe(denied);
  await expect(purser.consent(PROBE)).toHaveCount(0);
});

test("[C1] [M2] [E] no silent downgrade", async ({ purser, scripted, modelApi }) => {
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
  await scripted.connect(purser, { ...PAID, budget: { window: "24h", usd: 0 } });

  const narrow = await scripted.ask(purser, prompt("what failed?"));
  expect(reasonOf(await narrow.frame)).toBe("policy.budget_exhausted");
  await expect(narrow.run.notices()).toHaveText(/^probe reached its daily limit of \$0\.00 at /);

  const wider = await scripted.ask(purser, prompt("what failed?", { includeContext: "allServers" }));
  expect(reasonOf(await wider.frame)).toBe("policy.budget_exhausted");
  await expect(wider.run.notices()).toHaveText(/probe reached its daily limit of \$0\.00/);
  await expect(purser.consent(PROBE)).toHaveCount(0);
  expect(modelApi.calls).toEqual([]);

  const rows = await purser.log({ server: PROBE });
  await expect(rows.filter({ hasText: "policy.budget_exhausted" })).toHaveCount(2);
  await rows.filter({ hasText: "policy.budget_exhausted" }).first().getByRole("link").click();
  const context = purser.page.getByRole("article", { name: "Record" }).getByRole("row", { name: /^Context/ });
  await expect(context.getByRole("cell")).toHaveText(["the whole conversation", "nothing"]);
});

test("[D1] [A4] a denial outlives reload, reconnect, a restarted server and another tab", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, {});
  const first = await scripted.ask(purser, prompt("once and for all"));
  await purser.answerConsent(PROBE, "deny");
  const denied = errorOf(await first.frame);
  const same = async (tab: Purser) => expect(await deniedAgain(tab, scripted)).toBe(denied);

  await test.step("reload", async () => {
    await purser.reload();
    await purser.waitForState(PROBE, "connected");
    await same(purser);
  });
  await test.step("disconnect and connect", async () => {
    await purser.serverAction(PROBE, "Disconnect");
    await purser.waitForState(PROBE, "off");
    await purser.serverAction(PROBE, "Connect");
    await purser.waitForState(PROBE, "connected");
    await same(purser);
  });
  await test.step("the server restarts", async () => {
    await scripted.http.close();
    await scripted.http.listen();
    await purser.serverAction(PROBE, "Disconnect");
    await purser.serverAction(PROBE, "Connect");
    await purser.waitForState(PROBE, "connected");
    await same(purser);
  });
  await test.step("another tab", async () => {
    const tab = await purser.secondTab();
    await tab.waitForState(PROBE, "connected");
    await same(tab);
  });
  const rows = await purser.log({ server: PROBE, ending: "denied" });
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("asked again ×4");
});

test("[F4] [F9] [D1] [D4] a denial outlives a browser that was killed", async ({ purser, scripted }) => {
  await scripted.connect(purser, {});
  const first = await scripted.ask(purser, prompt("once and for all"));
  await purser.answerConsent(PROBE, "deny");
  const denied = errorOf(await first.frame);
  const later = await purser.restartBrowser("kill");
  await later.waitForState(PROBE, "connected");
  expect(await deniedAgain(later, scripted)).toBe(denied);
});

test("[F6] [A5] [K2] the same request in two tabs at once: one dialog, one decision, both answered", async ({
  purser,
  scripted,
}) => {
  await scripted.connect(purser, {});
  const tab = await purser.secondTab();
  await tab.waitForState(PROBE, "connected");
  const first = await scripted.ask(purser, prompt("one question"));
  await expect(purser.consent(PROBE)).toBeVisible();
  const second = await scripted.ask(tab, prompt("one question"));
  await expect(second.run.steps()).toContainText("waiting behind another consent");
  await expect(tab.consent(PROBE)).toHaveCount(0);
  await purser.answerConsent(PROBE, "deny");
  expect(errorOf(await second.frame)).toBe(errorOf(await first.frame));
  await second.run.waitEnded();
  await expect(tab.consent(PROBE)).toHaveCount(0);
});

async function deniedAgain(tab: Purser, scripted: Scripted): Promise<string> {
  const { run, frame } = await scripted.ask(tab, prompt("once and for all"));
  const error = errorOf(await frame);
  await run.waitEnded();
  await expect(tab.consent(PROBE)).toHaveCount(0);
  return error;
}

/** The error as it came, which two answers to one request must share byte for byte. */
function errorOf(frame: Frame): string {
  return frame.text.slice(frame.text.indexOf('"error":'));
}

function reasonOf(frame: Frame): unknown {
  return (frame.json.error as { data: { reason: unknown } }).data.reason;
}
