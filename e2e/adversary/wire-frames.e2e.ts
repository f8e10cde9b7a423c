/** Frames made to break a client: each is answered with what is wrong with it, and whoever else is connected goes on. */
import { expect, test } from "../fixtures";
import { PROBE } from "../scripted";
import { type Adversary, startAdversary, WAYS } from "./adversary";
import { BAD_FRAMES, sizedFrames, UNANSWERABLE } from "./wire-frames";

/** Whatever is well formed is refused by a budget of nothing: no request needs a person. */
const BROKE = { budget: { window: "24h", usd: 0 } };

interface Refused {
  readonly error?: { readonly code: number; readonly data?: { readonly path?: string; readonly reason?: string } };
}

/** What each frame was answered with, in words, and what it should have been. */
async function answersTo(adversary: Adversary, purser: Parameters<Adversary["run"]>[0]) {
  const { run, done } = await adversary.run(purser, async ({ sample, send }) => {
    const got: string[] = [];
    const wanted: string[] = [];
    for (const text of UNANSWERABLE) adversary.probe.wire?.send(text, null);
    for (const [at, { what, text, path }] of [...BAD_FRAMES, ...sizedFrames(9_000)].entries()) {
      const sized = at - BAD_FRAMES.length;
      const { json } = await sample({}, { raw: text, ...(sized < 0 ? {} : { id: 9_000 + sized }) });
      const { error } = json as Refused;
      got.push(`${what}: ${error?.code} ${error?.data?.path ?? error?.data?.reason}`);
      wanted.push(`${what}: ${path === null ? "-32003 policy." : `-32602 ${path}`}`);
    }
    for (let at = 0; at < 2_000; at += 1) {
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: `none ${at}`, progress: at } });
      send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "flood" } });
      send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: `unknown ${at}` } });
      send({ jsonrpc: "2.0", method: `notifications/never heard of ${at}` });
      if (at % 20 === 0) send({ jsonrpc: "2.0", id: `ping ${at}`, method: "ping" });
    }
    const after = await sample({
      messages: [{ role: "user", content: { type: "text", text: "after it" } }],
      maxTokens: 1,
    });
    got.push(`after the flood: ${(after.json as Refused).error?.code}`);
    wanted.push("after the flood: -32003");
    return { got, wanted };
  });
  return { run, ...(await done) };
}

test("[W9] [F12] [F13] [F14] [F15] [F16] [F17] [F18] frames made to break it are answered one by one, and others notice nothing", async ({
  purser,
  scripted,
}) => {
  test.setTimeout(180_000);
  for (const way of WAYS) {
    const adversary = await startAdversary(way, `adversary-${way}`);
    await adversary.connect(purser, BROKE);
    const running = answersTo(adversary, purser);
    const { run, got, wanted } = await running;
    // Of a policy's refusal it is enough that there is one.
    expect(got.map((line) => line.replace(/policy\..*/, "policy."))).toEqual(wanted);
    await run.waitEnded(/done/);
    const pongs = adversary.answers().filter(({ json }) => String(json.id).startsWith("ping"));
    expect(
      pongs.filter(({ json }) => "result" in json),
      "pings answered",
    ).toHaveLength(100);
    const ids = adversary.answers().map(({ json }) => JSON.stringify(json.id));
    expect(ids.length, "W1: one response each").toBe(new Set(ids).size);
    expect(adversary.probe.initializations, "connections opened").toBeLessThanOrEqual(2);

    // The connection breaks off in the middle of a call: that call's end is unknown, and it is opened again.
    const { run: broken } = await adversary.run(purser, async () => {
      adversary.cut();
      await new Promise(() => undefined);
    });
    await broken.waitEnded(/outcome unknown/);
    await expect(broken.card).toContainText("may or may not have run to its end");
    await purser.waitForState(adversary.name, "connected");
    await expect(purser.page.getByRole("alertdialog")).toHaveCount(0);
    if (way === "http") {
      await scripted.connect(purser, BROKE);
      continue;
    }
    const asked = await scripted.ask(purser, {
      messages: [{ role: "user", content: { type: "text", text: "hi" } }],
      maxTokens: 1,
    });
    expect(((await asked.frame).json as Refused).error?.code).toBe(-32003);
    await expect(purser.server(PROBE)).toContainText("connected");
    await adversary.close();
  }
  const rows = await purser.log({ server: "adversary-ws", ending: "refused" });
  await expect(rows.first()).toBeVisible();
});
