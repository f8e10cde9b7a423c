/** The computer's clock set back and forward, and a computer that slept: nothing is given twice, nothing early (M5). */
import { expect, test } from "../clock";

test("the clock of page and worker is the test's, also after a reload", async ({ purser, clock }) => {
  const told = () =>
    Promise.all([
      purser.page.evaluate(() => Date.now()),
      ...purser.page.workers().map((worker) => worker.evaluate(() => Date.now())),
    ]);
  for (const byMs of [86_400_000, -365 * 86_400_000]) {
    await clock.step(byMs);
    for (const at of await told()) expect(Math.abs(at - clock.now())).toBeLessThan(5_000);
    await purser.reload();
    expect(await told()).toHaveLength(2);
    for (const at of await told()) expect(Math.abs(at - clock.now())).toBeLessThan(5_000);
  }
});
