/** No view breaks a rule axe can check, in light and dark, on a desk and on a phone. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { visitRare } from "./rare-views";
import { furnish, LOOKS, type Look, misfits, show, VIEWS, wear } from "./views";

test.use({ withDemo: true });

/** Colours are all that changes between light and dark. */
async function faults(page: Page, look: Look): Promise<readonly string[]> {
  // The page's Trusted Types leave no room for axe's frame messaging; there are no frames.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  const { violations } = await (look.colorScheme === "dark" ? axe.withRules(["color-contrast"]) : axe).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.html.slice(0, 160)}`),
  );
}

test("axe finds nothing on any view, dialog or record, in light and dark, wide and narrow", async ({ purser }) => {
  test.setTimeout(240_000);
  const { page } = purser;
  const found: string[] = [];
  const look = async (where: string) => {
    for (const one of LOOKS) {
      await wear(page, one);
      found.push(...(await faults(page, one)).map((fault) => `${where} ${one.name}: ${fault}`));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  await look("empty");
  const adding = await purser.openAddServer();
  await look("add server");
  await adding.getByRole("button", { name: "Cancel" }).click();
  await furnish(purser, () => look("consent"));
  for (const view of VIEWS) {
    await show(purser, view);
    await look(view.name);
  }
  const rows = await purser.log({ server: "ci-triage", ending: "refused" });
  await rows.first().getByRole("link").click();
  await expect(page.getByRole("article", { name: "Record" })).toBeVisible();
  await look("record");
  expect(found).toEqual([]);
});

test("nor on what is seen when something is wrong or too much, and it fits", async ({ purser, scripted }) => {
  test.setTimeout(240_000);
  const { page } = purser;
  const found: string[] = [];
  // The narrow one leaves least room, and in the other all the colours differ.
  const looks = LOOKS.filter(({ name }) => name === "390-light" || name === "1280-dark");
  await visitRare(purser, scripted, async (where) => {
    for (const look of looks) {
      await wear(page, look);
      const wrong = [...(await misfits(page)), ...(await faults(page, look))];
      found.push(...wrong.map((one) => `${where} ${look.name}: ${one}`));
      await page.screenshot({ path: `test-results/look/rare ${where}-${look.name}.png` });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
  expect(found).toEqual([]);
});
