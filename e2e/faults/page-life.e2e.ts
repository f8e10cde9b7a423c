/** A page's own life: left and come back to, and a worker that is slow to come or does not come at all. */
import type { Page, Route } from "@playwright/test";
import { expect, test } from "../fixtures";
import { policyText } from "../policy-text";
import { reasonOf, startLines } from "./lines";

const SHOP = "shop";
const words = (text: string) => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 50,
});

/** Whether the browser kept the page while it was away, and if not, why: it may decide either way. */
async function leaveAndComeBack(page: Page, elsewhere: string): Promise<string> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.enable");
  const reasons = new Set<string>();
  devtools.on("Page.backForwardCacheNotUsed", ({ notRestoredExplanations }) => {
    for (const { reason } of notRestoredExplanations) reasons.add(reason);
  });
  await page.evaluate(() => {
    addEventListener("pageshow", (event) => {
      if (event.persisted) document.documentElement.dataset.kept = "";
    });
  });
  await page.goto(elsewhere);
  // Playwright's own way back waits for a load, which a kept page has none of; a script that looks at it too early
  // would end its keeping.
  const back = new Promise<void>((resolve) => devtools.once("Page.frameNavigated", () => resolve()));
  await page.evaluate(() => history.back());
  await back;
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  const kept = await page.evaluate(() => "kept" in document.documentElement.dataset);
  await devtools.detach();
  return kept ? "kept in the back/forward cache" : `loaded anew: ${[...reasons].sort().join(", ")}`;
}

test("[K6-11] a page that was left with a dialog open is come back to: connected anew, nothing old to press, decisions known", async ({
  purser,
  address,
}, info) => {
  const { page } = purser;
  const lines = await startLines();
  await purser.connectTo({ name: SHOP, url: lines.url });
  await purser.loadPolicyFile(policyText({ [SHOP]: {} }));
  await purser.go("/");
  // Enabling reconnects (P1).
  await expect.poll(() => lines.connections).toBe(2);
  const refused = lines.newest().ask(words("denied before"));
  await purser.answerConsent(SHOP, "deny");
  expect(reasonOf(await refused)).toBe("user.denied");
  for (const [at, way] of (["as the browser likes", "never kept"] as const).entries()) {
    await test.step(way, async () => {
      const asked = lines.newest().post(words(`open when the page was left, ${way}`));
      await expect(purser.consent(SHOP)).toBeVisible();
      if (way === "never kept") await page.evaluate(() => addEventListener("unload", () => undefined));
      const what = await leaveAndComeBack(page, `${address}/no-such-page`);
      info.annotations.push({ type: way, description: what });
      await purser.ready();
      await purser.waitForState(SHOP, "connected");
      await expect.poll(() => lines.connections, what).toBe(3 + at);
      expect(lines.probe.initializations, what).toBe(3 + at);
      // Its request went with the connection it came on.
      await expect(page.getByRole("alertdialog"), what).toHaveCount(0);
      await expect(purser.consentChip(SHOP), what).toHaveCount(0);
      expect(lines.answers.get(asked), `${what}: no answer on another connection`).toEqual([]);
      expect(reasonOf(await lines.newest().ask(words("denied before"))), what).toBe("user.denied");
      await expect(page.getByRole("alertdialog"), what).toHaveCount(0);
    });
  }
  // A dialog of now can be answered.
  const asked = lines.newest().ask(words("asked after coming back"));
  await purser.answerConsent(SHOP, "allow_once");
  expect((await asked).json).toHaveProperty("result");
  await lines.close();
});

/** What the page loads after it has started the worker. */
const PAGE = /\/assets\/main-[^/]*\.js$/;
const WORKER = /\/worker\/main-[^/]*\.js$/;

test("[K6-13] a worker that is slow to load loses nothing it was sent, and one that never comes says so with a way on", async ({
  browser_,
  expectComplaints,
}) => {
  expectComplaints(/404/);
  const purser = await browser_.tab(null);
  const { page } = purser;
  const lines = await startLines();
  const held: Route[] = [];
  await page.route(WORKER, (route) => void held.push(route));
  await page.goto(`${purser.address}/#/activity`);

  await test.step("what was asked before it listens is done once it does", async () => {
    const adding = purser.addServer({ name: SHOP, url: lines.url });
    await expect(page.getByText("Purser's worker has not answered yet")).toBeVisible({ timeout: 15_000 });
    await expect(page.getByRole("button", { name: "Start it again" })).toBeVisible();
    expect(lines.probe.initializations).toBe(0);
    for (const route of held.splice(0)) await route.continue();
    await adding;
    await purser.waitForState(SHOP, "connected");
    await expect(page.getByText("Purser's worker has not answered yet")).toBeHidden();
  });

  await test.step("started again while its script hangs, it comes", async () => {
    await page.reload();
    await page.getByRole("button", { name: "Start it again" }).click();
    await expect.poll(() => held.length).toBe(2);
    await held.pop()?.continue();
    await purser.waitForState(SHOP, "connected");
    await held
      .pop()
      ?.abort()
      .catch(() => undefined);
  });

  await test.step("its script is gone", async () => {
    await page.unroute(WORKER);
    const pages: Route[] = [];
    await page.route(PAGE, (route) => void pages.push(route));
    await page.route(WORKER, async (route) => {
      await route.fulfill({ status: 404, body: "Not found." });
      // The page comes after that, so that it has to hear of what happened before.
      await expect.poll(() => pages.length).toBe(1);
      await page.waitForTimeout(300);
      await pages.pop()?.continue();
    });
    await page.reload();
    await expect(page.getByText("Purser's worker is not running.")).toBeVisible();
    // A worker that was asked for meanwhile may still wait in its handler, for a page that comes no more.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Start it again" }).click();
    await purser.waitForState(SHOP, "connected");
    await expect(page.getByText("Purser's worker is not running.")).toBeHidden();
  });
  await lines.close();
});
