/** What one tab does that another tab still shows: raises, policy edits, removals. */
import { expect, test } from "./fixtures";
import { PROBE, prompt } from "./scripted";

test.describe.configure({ mode: "parallel" });

test("[G2] an offer taken in one tab is gone from the tab that ran the tool", async ({ purser, scripted }) => {
  await scripted.connect(purser, { budget: { window: "24h", usd: 0 }, raise: { usd: 0.5, requests: 10 } });
  await purser.setProfileName("Robin");
  await purser.go("/");
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  await frame;
  await run.waitEnded(/done/);
  const offer = run.notices().getByRole("button", { name: /^Raise by \$0\.50/ });
  await expect(offer.first()).toBeVisible();

  const other = await purser.secondTab();
  await (await other.latestRun(PROBE, "ask")).raise({ runAgain: false });
  await expect(offer).toHaveCount(0);
});

test("[K5] a late dialog goes with the policy it asked under, whichever tab edits it", async ({ purser, scripted }) => {
  await scripted.connect(purser, {});
  const { frame } = await scripted.ask(purser, prompt("hello"));
  const dialog = purser.consent(PROBE);
  await expect(dialog).toBeVisible();
  // Told after 45 s; the dialog stays for a late answer.
  expect((await frame).text).toContain('"reason":"consent.pending"');
  await expect(dialog).toBeVisible();

  const other = await purser.secondTab();
  await other.editPolicy(PROBE, { "Output tokens": "99" });
  await expect(dialog).toBeHidden();
});
