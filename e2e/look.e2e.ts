/** Pictures of every view for a person to look at, in `test-results/look`; fails only where something does not fit. */
import { expect, test } from "./fixtures";
import { furnish, LOOKS, misfits, show, VIEWS, wear } from "./views";

test.use({ withDemo: true });

const FOLDER = "test-results/look";

test("every view, light and dark, on a desk and on a phone", async ({ purser }) => {
  test.setTimeout(180_000);
  const { page } = purser;
  const unfit: string[] = [];
  const take = async (name: string) => {
    for (const look of LOOKS) {
      await wear(page, look);
      await page.waitForTimeout(100);
      await page.screenshot({ path: `${FOLDER}/${name}-${look.name}.png` });
      unfit.push(...(await misfits(page)).map((what) => `${name} ${look.name}: ${what}`));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  await take("empty");
  const adding = await purser.openAddServer();
  await take("add-server");
  await adding.getByRole("button", { name: "Cancel" }).click();
  await furnish(purser, () => take("consent"));
  for (const view of VIEWS) {
    await show(purser, view);
    await take(view.name);
  }
  const rows = await purser.log({ ending: "refused" });
  await rows.first().getByRole("link").click();
  await expect(page.getByRole("article", { name: "Record" })).toBeVisible();
  await take("record");
  expect(unfit).toEqual([]);
});
