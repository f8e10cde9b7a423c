/** Who a server says it is, and what it asks before it may or wider than it may (SPEC P5, D6, C1, W1). */
import { expect, test } from "../fixtures";
import type { Purser } from "../purser";
import { prompt } from "../scripted";
import type { Frame } from "../servers/probe";
import { type Adversary, connectAll, errorOf, reasonOf, startAdversary, startAll, useModelApi } from "./adversary";
import { booksOf, countDialogs, tell } from "./books";

const NOTHING_LEFT = { budget: { window: "24h", usd: 0 }, raise: { usd: 0.5, requests: 10 } };

test("[P5] [D6] [G4] [K7-11] a server that takes another's name gets nothing of the other's policy, consent, raise or decisions", async ({
  purser,
}) => {
  test.setTimeout(120_000);
  const trusted = await startAdversary("ws", "trusted");
  const adversaries = await startAll("http", "ws");
  await connectAll(purser, [
    [trusted, NOTHING_LEFT],
    ...adversaries.map((one) => [one, { ...NOTHING_LEFT, models: ["local-extractive-1"] }] as const),
  ]);
  await purser.setProfileName("Robin");
  const same = prompt("Who may read the ledger?");

  const short = await ask(purser, trusted, same);
  expect(reasonOf(short.frame)).toBe("policy.budget_exhausted");
  await short.run.raise({ runAgain: true });
  await purser.answerConsent("trusted", "allow_session");
  await expect.poll(() => trusted.answers().filter(({ json }) => "result" in json).length).toBe(1);
  await expect.poll(async () => (await booksOf(purser, "trusted")).holds).toBe(0);
  const before = await booksOf(purser, "trusted");
  expect(before).toMatchObject({ grants: 1, consents: 1 });
  const dialogs = await countDialogs(purser);

  for (const one of adversaries) {
    one.probe.claimedName = "trusted";
    await reconnect(purser, one);
    const { frame, run } = await ask(purser, one, same);
    expect(reasonOf(frame), one.name).toBe("policy.budget_exhausted");
    expect(frame.json.error, one.name).toMatchObject({ data: { server: one.name, spentUsd: 0, capUsd: 0 } });
    await expect(run.notices()).toContainText(`${one.name} reached its daily limit of $0.00`);
    one.probe.claimedName = "somebody else";
    await reconnect(purser, one);
    const again = await ask(purser, one, same);
    expect(errorOf(again.frame), `${one.name} under a third name`).toBe(errorOf(frame));
    expect(await booksOf(purser, one.name)).toMatchObject({ settledMicros: 0, grants: 0, consents: 0, decisions: 1 });
  }
  expect(await dialogs()).toBe(0);
  expect(await booksOf(purser, "trusted")).toEqual(before);

  // Nor does what the others were refused bind the one whose name they took.
  const served = await ask(purser, trusted, same);
  expect(served.frame.json).toHaveProperty("result");
  tell({
    scenario: "under another's name, http and ws",
    sent: 4,
    answers: 4,
    completions: 0,
    records: 2,
    calls: 0,
    dialogs: 0,
  });
  await Promise.all([trusted, ...adversaries].map((one) => one.close()));
});

test("[C1] [C2] [F8] asking wider after a refusal is a new question, and never wider than the ceiling", async ({
  purser,
  modelApi,
}) => {
  test.setTimeout(120_000);
  const other = await startAdversary("ws", "other");
  const adversaries = await startAll("http", "ws");
  modelApi.give({ kind: "text", text: "answered", inputTokens: 20, outputTokens: 4 });
  await useModelApi(purser, modelApi);
  const paid = { models: ["claude-haiku-4-5"], max_context_scope: "this_server", max_input_tokens: 2_000 };
  await connectAll(purser, [[other, null], ...adversaries.map((one) => [one, paid] as const)]);
  const spoken = await other.run(purser, async () => "done");
  other.probe.tool = async () => "THE-OTHER-SERVERS-WORDS";
  await spoken.run.waitEnded(/done/);
  const secret = await purser.runTool("other", "ask");
  await secret.waitEnded(/done/);
  await expect(secret.card).toContainText("THE-OTHER-SERVERS-WORDS");

  for (const one of adversaries) {
    const { name } = one;
    const denied = await askAnd(purser, one, prompt("Sum it up."), "deny");
    expect(reasonOf(denied), name).toBe("user.denied");
    const tooLong = await ask(purser, one, prompt("word ".repeat(4_000)));
    expect(reasonOf(tooLong.frame), name).toBe("policy.input_too_large");
    const dialogs = await countDialogs(purser);
    const longAndWide = await ask(purser, one, prompt("word ".repeat(4_000), { includeContext: "allServers" }));
    expect(reasonOf(longAndWide.frame), `${name}, too long and wider`).toBe("policy.input_too_large");
    const narrower = await ask(purser, one, prompt("Sum it up.", { includeContext: "none" }));
    expect(errorOf(narrower.frame), `${name}, the default said`).toBe(errorOf(denied));
    expect(await dialogs()).toBe(0);

    const wide = await askAnd(purser, one, prompt("Sum it up.", { includeContext: "allServers" }), "allow_once");
    expect(wide.json, name).toMatchObject({
      result: { _meta: { context: { requested: "allServers", applied: "thisServer", reason: "policy.max_scope" } } },
    });
    const sent = JSON.stringify(modelApi.calls.at(-1)?.body);
    expect(sent, `${name}: the other server's words`).not.toContain("THE-OTHER-SERVERS-WORDS");
    const granted = (await booksOf(purser, name)).records.map(({ scopeGranted }) => scopeGranted);
    expect(granted, name).not.toContain("conversation");
  }
  expect(modelApi.calls).toHaveLength(2);
  tell({
    scenario: "wider after a refusal, http and ws",
    sent: 10,
    answers: 10,
    completions: 2,
    records: 8,
    calls: 2,
    dialogs: 4,
  });
  await Promise.all([other, ...adversaries].map((one) => one.close()));
});

test("[W1] [D1] [P1] what is asked before the handshake is over is governed like anything else", async ({ purser }) => {
  const adversaries = await startAll("http", "ws");
  const off = await startAdversary("ws", "never-enabled");
  await connectAll(purser, [[off, null], ...adversaries.map((one) => [one, NOTHING_LEFT] as const)]);
  const dialogs = await countDialogs(purser);
  const early = prompt("Before anything was agreed.");
  for (const one of [off, ...adversaries]) {
    const { frame } = await ask(purser, one, early);
    const before = one.answers().length;
    let asked = 0;
    one.probe.intercept = (json, wire) => {
      const post = (id: string) => {
        asked += 1;
        const request = { jsonrpc: "2.0", id, method: "sampling/createMessage", params: early };
        wire.send(JSON.stringify(request), (json.id as number | undefined) ?? null);
      };
      if (json.method === "initialize") {
        post("before the answer");
        // The answer is written at once after this; over HTTP it ends the stream, so only a socket carries more.
        if (one.url.startsWith("ws")) queueMicrotask(() => post("before initialized"));
      }
      return false;
    };
    await reconnect(purser, one);
    await expect.poll(() => one.answers().length - before, one.name).toBe(asked);
    expect(asked, one.name).toBe(one.url.startsWith("ws") ? 2 : 1);
    for (const answer of one.answers().slice(before)) expect(errorOf(answer), one.name).toBe(errorOf(frame));
  }
  expect(await dialogs()).toBe(0);
  tell({
    scenario: "before the handshake is over",
    sent: 8,
    answers: 8,
    completions: 0,
    records: 3,
    calls: 0,
    dialogs: 0,
  });
  await Promise.all([off, ...adversaries].map((one) => one.close()));
});

async function reconnect(purser: Purser, { name }: Adversary): Promise<void> {
  await purser.serverAction(name, "Disconnect");
  await purser.waitForState(name, "off");
  await purser.serverAction(name, "Connect");
  await purser.waitForState(name, "connected");
}

async function ask(purser: Purser, adversary: Adversary, params: unknown) {
  const { run, done } = await adversary.run(purser, ({ sample }) => sample(params));
  const frame = await done;
  await run.waitEnded(/done/);
  return { run, frame };
}

async function askAnd(
  purser: Purser,
  adversary: Adversary,
  params: unknown,
  answer: "deny" | "allow_once",
): Promise<Frame> {
  const { run, done } = await adversary.run(purser, ({ sample }) => sample(params));
  await purser.answerConsent(adversary.name, answer);
  const frame = await done;
  await run.waitEnded(/done/);
  return frame;
}
