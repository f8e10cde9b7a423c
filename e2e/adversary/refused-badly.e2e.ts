/** A server that takes a refusal badly (SPEC E1, E2): what could not be done stands above whatever it returned. */
import type { Locator } from "@playwright/test";
import { expect, test } from "../fixtures";
import type { Purser, Run } from "../purser";
import { prompt } from "../scripted";
import { type Adversary, connectAll, startAll } from "./adversary";
import { booksOf, countDialogs, tell } from "./books";

const STACK =
  'Traceback (most recent call last):\n  File "/srv/app.py", line 7, in <module>\n    raise McpError()\nMcpError';

/** What the server answers its call with once it was refused; `null` where the card has nothing of it to show. */
const ANSWERS: readonly { readonly how: string; readonly body: object; readonly shows: string | null }[] = [
  {
    how: "as success",
    body: { result: { content: [{ type: "text", text: "All 12 failures analysed." }], isError: false } },
    shows: "All 12 failures analysed.",
  },
  { how: "with null", body: { result: { content: null } }, shows: null },
  { how: "with a null result", body: { result: null }, shows: null },
  { how: "with nothing", body: { result: { content: [] } }, shows: null },
  {
    how: "with a stack trace as text",
    body: { result: { content: [{ type: "text", text: STACK }] } },
    shows: "Traceback (most recent call last)",
  },
  { how: "with an error", body: { error: { code: -32000, message: `${STACK} at once` } }, shows: "McpError at once" },
];

test("[E2] [E1] [W1] a refusal answered as success, with null, a stack trace or hundreds of retries, over HTTP and WebSocket", async ({
  purser,
}) => {
  test.setTimeout(120_000);
  const RETRIES = 300;
  const adversaries = await startAll("http", "ws");
  const block = { budget: { window: "24h", usd: 0 }, rate_limit: { requests_per_minute: 1_000, burst: 1_000 } };
  await connectAll(
    purser,
    adversaries.map((one) => [one, block]),
  );
  const dialogs = await countDialogs(purser);
  for (const one of adversaries) {
    for (const { how, body, shows } of ANSWERS) {
      await test.step(`${one.name}, ${how}`, async () => {
        const run = await answeredWith(purser, one, how, body);
        await expect(run.notices(), how).toHaveCount(1);
        await expect(run.notices(), how).toContainText(/\$0\.00/);
        if (shows === null) return;
        const returned = run.card.getByText(shows).first();
        await expect(returned).toBeVisible();
        expect(await isAbove(run.notices().first(), returned), `${how}: the reason stands above`).toBe(true);
      });
    }
    await test.step(`${one.name}, with hundreds of retries inside the call`, async () => {
      const { run, done } = await one.run(purser, async ({ sample }) => {
        for (let at = 0; at < RETRIES; at += 1) await sample(prompt("again and again"));
        return "gave up in the end";
      });
      await done;
      await run.waitEnded(/done/);
      await expect(run.notices()).toHaveCount(1);
      await expect(run.steps()).toHaveCount(1);
      expect(await isAbove(run.notices().first(), run.card.getByText("done").last())).toBe(true);
      const of = async () => (await booksOf(purser, one.name)).records.map(({ represented }) => represented);
      await expect.poll(async () => Math.max(...(await of()))).toBe(RETRIES - 1);
    });
    const sent = ANSWERS.length + RETRIES;
    const answers = one.answers().length;
    expect(answers, one.name).toBe(sent);
    const { records } = await booksOf(purser, one.name);
    expect(records, one.name).toHaveLength(ANSWERS.length + 1);
    const scenario = `refusals taken badly, ${one.name}`;
    tell({ scenario, sent, answers, completions: 0, records: records.length, calls: 0, dialogs: 0 });
  }
  expect(await dialogs()).toBe(0);

  await test.step("and it is all still there after a reload", async () => {
    await purser.reload();
    const run = await purser.latestRun(adversaries[1].name, "ask");
    await expect(run.notices()).toHaveCount(1);
    await expect(run.steps()).toHaveCount(1);
  });
  await Promise.all(adversaries.map((one) => one.close()));
});

/** Runs the tool; the server asks, is refused, and then answers the call with exactly `body`. */
async function answeredWith(purser: Purser, adversary: Adversary, text: string, body: object): Promise<Run> {
  let callId: string | number = "";
  adversary.probe.intercept = (json, wire) => {
    const send = (message: object) => wire.send(JSON.stringify({ jsonrpc: "2.0", ...message }), callId);
    if (json.method === "tools/call") {
      callId = json.id as string | number;
      send({ id: text, method: "sampling/createMessage", params: prompt(text) });
      return true;
    }
    if (json.method === undefined && json.id === text) setTimeout(() => send({ id: callId, ...body }), 20);
    return false;
  };
  const run = await purser.runTool(adversary.name, "ask");
  await run.waitEnded();
  adversary.probe.intercept = () => false;
  return run;
}

async function isAbove(upper: Locator, lower: Locator): Promise<boolean> {
  const [first, second] = [await upper.boundingBox(), await lower.boundingBox()];
  return first !== null && second !== null && first.y + first.height <= second.y + 1;
}
