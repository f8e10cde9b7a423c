/** A server that sends more than Purser answers is cut off over WebSocket, and the person sees why and until when. */
import { expect, test } from "../fixtures";
import { policyText } from "../policy-text";
import { startFlooder } from "../servers/flood";

test("[K2-19] [F20] more requests than are answered pause the server, in words, until asked to connect", async ({
  purser,
}, testInfo) => {
  const flooder = await startFlooder();
  await purser.connectTo({ name: "loud", url: flooder.url });
  await purser.loadPolicyFile(policyText({ loud: null }));
  await purser.go("/");
  await purser.waitForState("loud", "connected");
  await flooder.flood("varied", 100_000, 200_000);
  await purser.waitForState("loud", "paused");
  const item = purser.server("loud");
  await expect(item).toContainText(/Paused: it sent more than Purser answers\. Reconnects at \d/);
  const { closed } = await flooder.stop();
  expect(closed.at(-1)).toBe(4429);
  await testInfo.attach("paused", { body: await purser.page.screenshot(), contentType: "image/png" });

  await item.getByRole("button", { name: "Connect" }).click();
  await purser.waitForState("loud", "connected");
  const log = await purser.log();
  await expect(log.filter({ hasText: "was disconnected for a while: it sent more than Purser answers" })).toHaveCount(
    1,
  );
  // What was answered before is on record, in few rows.
  expect(await (await purser.log({ ending: "refused" })).count()).toBeLessThan(30);
  flooder.close();
});
