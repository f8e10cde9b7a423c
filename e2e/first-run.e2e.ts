/** The way a newcomer goes: one click, one tool, one consent, one budget that ends, one raise; and all still there after a reload. */
import { expect, test } from "./fixtures";

test.use({ withDemo: true });

test("[E] [G1] [G4] first run: connect, triage, consent, trimmed context, budget out once, raise, reload", async ({
  purser,
}) => {
  test.setTimeout(120_000);
  await purser.connectDemo();
  await purser.waitForState("ci-triage", "connected");
  await purser.waitForState("wiki-search", "connected");

  const run = await purser.runTool("ci-triage", "triage_failures");
  const dialog = purser.consent("ci-triage");
  await expect(dialog.getByRole("button", { name: "Deny", exact: true })).toBeFocused();
  const knows = dialog.getByRole("group", { name: "What Purser knows" });
  await expect(knows).toContainText("local-extractive-1");
  await expect(knows).toContainText("asked for the whole conversation");
  await expect(dialog.getByRole("group", { name: "Written by the server" })).toContainText(
    "You read logs of failed tests",
  );
  await purser.answerConsent("ci-triage", "allow_session");
  await run.waitEnded(/done/, 60_000);

  const trimmed = run.notices().filter({ hasText: "ci-triage asked for the whole conversation, was given none" });
  await expect(trimmed.first()).toBeVisible();
  const limit = run.notices().filter({ hasText: "daily limit" });
  await expect(limit).toHaveCount(1);
  await expect(limit).toHaveText(/ci-triage reached its daily limit of \$0\.008 at \d\d:\d\d\. Resets at \d\d:\d\d/);
  await expect(purser.page.getByRole("meter", { name: "ci-triage budget" }).first()).toBeVisible();

  await run.raise({ runAgain: true });
  await purser.nameGrantor("Ada");
  await expect(purser.page.getByRole("article", { name: "triage_failures on ci-triage" })).toHaveCount(2);
  const second = await purser.latestRun("ci-triage", "triage_failures");
  await purser.answerConsentIfAsked("ci-triage", "allow_session", second);
  await second.waitEnded(/done/, 60_000);
  await expect(second.notices().filter({ hasText: "daily limit" })).toHaveCount(0);
  await expect(second.card).toContainText("14 of 14 failures analysed");

  await purser.reload();
  const kept = purser.page.getByRole("note").filter({ hasText: "ci-triage reached its daily limit of $0.008" });
  await kept.first().scrollIntoViewIfNeeded();
  await expect(kept).toHaveCount(1);
});

test("[P1] wiki-search is never told of sampling, and what it does asks no one", async ({ purser }) => {
  await purser.connectDemo();
  await purser.waitForState("wiki-search", "connected");
  await purser.go("/servers/wiki-search");
  const details = purser.page.getByRole("complementary", { name: "Details" });
  await expect(details).toContainText("Sampling is off");
  await expect(details).toContainText("Told of samplingno");
});
