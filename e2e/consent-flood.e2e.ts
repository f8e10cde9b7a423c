/** SPEC K under a flood: however many requests a server makes, from however many calls and tabs, a person is asked once. */
import { startAdversary } from "./adversary/adversary";
import { countDialogs } from "./dialogs";
import { expect, test } from "./fixtures";
import { policyText } from "./policy-text";
import { prompt } from "./scripted";
import type { Frame } from "./servers/probe";

test.describe.configure({ mode: "parallel" });

const REQUESTS = 1_340;
const WIDE_OPEN = {
  max_concurrent: 64,
  rate_limit: { requests_per_minute: 100_000, burst: 100_000 },
  budget: { window: "24h", usd: 500 },
};

function gate(): readonly [Promise<void>, () => void] {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, open];
}

function reasonOf({ json }: Frame): string {
  if ("result" in json) return "answered";
  return String((json.error as { data?: { reason?: unknown } }).data?.reason);
}

function sums(frames: readonly Frame[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const frame of frames) counts[reasonOf(frame)] = (counts[reasonOf(frame)] ?? 0) + 1;
  return counts;
}

test("[K1] [K2] [K7-04] 1,340 different requests, from four calls in two tabs: one dialog in all", async ({
  purser,
}) => {
  const server = await startAdversary("ws");
  try {
    await server.connect(purser, WIDE_OPEN);
    const other = await purser.secondTab();
    await other.waitForState(server.name, "connected");
    const counts = await Promise.all([purser, other].map(({ page }) => countDialogs(page)));
    const dialogs = async () => (await Promise.all(counts.map((one) => one.total()))).reduce((a, b) => a + b, 0);

    const quarter = REQUESTS / 4;
    const answers: Promise<readonly Frame[]>[] = [];
    const [started, start] = gate();
    const [flooding, flood] = gate();
    for (const [at, tab] of [purser, other, purser, other].entries()) {
      const { done } = await server.run(tab, async ({ sample }) => {
        await started;
        // The first of each call has a slot before the flood takes them all.
        const first = sample(prompt(`question ${at}`));
        await flooding;
        const rest = Array.from({ length: quarter - 1 }, (_, n) => sample(prompt(`question ${at} and ${n}`)));
        return Promise.all([first, ...rest]);
      });
      answers.push(done);
    }
    start();
    await expect.poll(dialogs).toBe(1);
    const [asks, waits] = (await purser.consent(server.name).isVisible()) ? [purser, other] : [other, purser];
    const behind = "waiting behind another consent of this server; answer it in the tab that runs it";
    await expect(waits.page.getByText(behind)).not.toHaveCount(0);
    flood();
    // All but the slots are answered while the one dialog stands.
    await expect.poll(() => server.answers().length).toBe(REQUESTS - 64);
    expect(await dialogs()).toBe(1);
    await expect(asks.consent(server.name)).toContainText(/more of its requests wait/);
    await asks.answerConsent(server.name, "allow_session");
    const frames = (await Promise.all(answers)).flat();
    expect(frames).toHaveLength(REQUESTS);
    expect(new Set(frames.map(({ json }) => json.id)).size).toBe(REQUESTS);
    const ended = sums(frames);
    expect(Object.keys(ended).sort()).toEqual(["answered", "policy.concurrency"]);
    expect(ended.answered).toBe(64);

    const { done } = await server.run(other, ({ sample }) =>
      Promise.all(Array.from({ length: 60 }, (_, n) => sample(prompt(`and now ${n}`)))),
    );
    expect(sums(await done)).toEqual({ answered: 60 });
    expect(await dialogs()).toBe(1);
  } finally {
    await server.close();
  }
});

/** SPEC K6, K4, K1 in one tab: what a person said once holds until they say otherwise. */
test("[K6] [K4] [K7-17] three denials make it quiet, over reconnect and reload; mute, revoke and once hold", async ({
  purser,
}) => {
  const server = await startAdversary("http");
  let asked = 0;
  const reasons = async (many: number) => {
    const { run, done } = await server.run(purser, ({ sample }) =>
      Promise.all(Array.from({ length: many }, () => sample(prompt(`question ${++asked}`)))),
    );
    return { run, done: done.then((frames) => sums(frames)) };
  };
  const one = async () => (await reasons(1)).done;
  const dialog = purser.consent(server.name);
  const marks = purser.server(server.name);
  try {
    await server.connect(purser, { ...WIDE_OPEN, consent: "per_request" });
    let seen = await countDialogs(purser.page);

    await test.step("forty requests at once: three denials, then none is shown", async () => {
      const { done } = await reasons(40);
      for (const _ of [1, 2, 3]) await purser.answerConsent(server.name, "deny");
      expect(await done).toEqual({ "user.denied": 40 });
      expect(await seen.total()).toBe(3);
      await expect(marks).toContainText("quiet after three denials");
    });
    await test.step("reconnected and reloaded it stays quiet, and what it is told is the same", async () => {
      server.cut();
      await purser.waitForState(server.name, "connected");
      expect(await one()).toEqual({ "user.denied": 1 });
      await purser.reload();
      await purser.waitForState(server.name, "connected");
      seen = await countDialogs(purser.page);
      expect(await one()).toEqual({ "user.denied": 1 });
      expect(await seen.total()).toBe(0);
      await expect(marks).toContainText("quiet after three denials");
      const rows = await purser.log({ server: server.name, ending: "denied" });
      await expect(rows.first()).toContainText("quiet, not asked");
      await purser.go("/");
    });
    await test.step("the person listens again; allow this one covers that one, and offers no more than it keeps", async () => {
      await marks.getByRole("button", { name: "Listen again" }).click();
      await expect(marks).not.toContainText("quiet");
      for (const _ of [1, 2]) {
        const { done } = await reasons(1);
        await expect(dialog).toBeVisible();
        await expect(dialog.getByRole("button", { name: /Allow/ })).toHaveText(["Allow this one"]);
        await purser.answerConsent(server.name, "allow_once");
        expect(await done).toEqual({ answered: 1 });
      }
    });
    await test.step("deny and mute: nothing is shown until the window ends or the person listens again", async () => {
      const { done } = await reasons(1);
      await purser.answerConsent(server.name, "deny_and_mute");
      expect(await done).toEqual({ "user.denied": 1 });
      await expect(marks).toContainText("muted until");
      const before = await seen.total();
      await purser.reload();
      await purser.waitForState(server.name, "connected");
      seen = await countDialogs(purser.page);
      expect(await one()).toEqual({ "user.denied": 1 });
      expect([before > 0, await seen.total()]).toEqual([true, 0]);
      await marks.getByRole("button", { name: "Listen again" }).click();
    });
    await test.step("a session's consent outlives a reload, and ends when it is taken back", async () => {
      await purser.loadPolicyFile(policyText({ [server.name]: WIDE_OPEN }));
      await purser.go("/");
      const { done } = await reasons(3);
      await purser.answerConsent(server.name, "allow_session");
      expect(await done).toEqual({ answered: 3 });
      await purser.reload();
      await purser.waitForState(server.name, "connected");
      seen = await countDialogs(purser.page);
      expect(await one()).toEqual({ answered: 1 });
      expect(await seen.total()).toBe(0);
      await purser.go(`/servers/${server.name}`);
      await purser.page.getByRole("button", { name: "Revoke" }).click();
      await expect(purser.page.getByRole("button", { name: "Revoke" })).toHaveCount(0);
      const again = await reasons(1);
      await purser.answerConsent(server.name, "deny");
      expect(await again.done).toEqual({ "user.denied": 1 });
    });
  } finally {
    await server.close();
  }
});
