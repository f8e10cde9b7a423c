/** SPEC K4 with real keys and clicks: nothing that was meant for something else answers a consent; and no page may frame Purser. */
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Locator } from "@playwright/test";
import { expect, test } from "./fixtures";
import { PROBE, prompt } from "./scripted";

test.describe.configure({ mode: "parallel" });

const PAST_ARMING_MS = 700;

test("[K4] [F41] [K7-12] held keys, early, double and stray clicks, Escape: nothing is answered by any of them", async ({
  purser,
  scripted,
}) => {
  const { page } = purser;
  await scripted.connect(purser, { consent: "per_request" });
  const dialog = purser.consent(PROBE);
  const deny = dialog.getByRole("button", { name: "Deny", exact: true });
  const allow = dialog.getByRole("button", { name: "Allow this one" });
  const armed = () => expect(allow).not.toHaveAttribute("aria-disabled", "true");
  let go: () => void = () => undefined;
  const said = new Promise<void>((resolve) => {
    go = resolve;
  });
  let answered = 0;
  scripted.probe.tool = async ({ sample }) => {
    await said;
    const frames = ["first", "second", "third"].map((words) => sample(prompt(words)).finally(() => (answered += 1)));
    return (await Promise.all(frames)).map(({ json }) => ("result" in json ? "yes" : "no")).join(" ");
  };
  const run = await purser.runTool(PROBE, "ask");
  const stillOpen = async () => {
    await expect(dialog).toBeVisible();
    expect(answered).toBe(0);
  };

  await test.step("Enter held since before the dialog, through its arming, and released", async () => {
    await page.keyboard.down("Enter");
    await page.keyboard.down("Enter");
    go();
    await expect(deny).toBeFocused();
    const until = Date.now() + PAST_ARMING_MS;
    while (Date.now() < until) await page.keyboard.down("Enter");
    await allow.focus();
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await stillOpen();
  });
  await test.step("a space held on Allow since before it armed", async () => {
    await purser.minimiseConsent(PROBE);
    await page.keyboard.down("Space");
    await purser.consentChip(PROBE).click();
    await expect(deny).toBeFocused();
    await allow.focus();
    await armed();
    await page.keyboard.down("Space");
    await page.keyboard.up("Space");
    await stillOpen();
  });
  await test.step("a key typed at the moment the dialog takes the focus", async () => {
    await purser.minimiseConsent(PROBE);
    await purser.consentChip(PROBE).click();
    await page.keyboard.press("Space");
    await stillOpen();
  });
  await test.step("clicks before it arms: on reopening, back in sight, in front again, after a change of size", async () => {
    await purser.minimiseConsent(PROBE);
    // In one turn of the page, so that a slow machine cannot make the click a late one.
    await purser.consentChip(PROBE).evaluate((chip) => {
      (chip as HTMLElement).click();
      const buttons = [...document.querySelectorAll("[role=alertdialog] button")];
      const found = buttons.find((button) => button.textContent === "Allow this one");
      if (found === undefined) throw new Error("the dialog is not open");
      found.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
    });
    await stillOpen();
    await armed();
    for (const [on, name] of [
      ["document", "visibilitychange"],
      ["window", "focus"],
      ["window", "resize"],
    ] as const) {
      await allow.evaluate(
        (button, [target, event]) => {
          (target === "window" ? window : document).dispatchEvent(new Event(event));
          button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
        },
        [on, name] as const,
      );
      await stillOpen();
      await armed();
    }
  });
  await test.step("the second half of a double click, on Allow and on Deny", async () => {
    await clickAt(allow, 2);
    await clickAt(deny, 2);
    await stillOpen();
  });
  await test.step("Escape answers nothing, however often, and says so", async () => {
    for (let times = 0; times < 3; times += 1) await page.keyboard.press("Escape");
    await expect(dialog.getByText(/^Escape does not answer/)).toBeVisible();
    await stillOpen();
  });
  await test.step("the next dialog in the same place arms anew, with the focus on Deny again", async () => {
    await page.evaluate(() => {
      const before = document.querySelector("[role=alertdialog]");
      new MutationObserver((_, observer) => {
        const next = document.querySelector("[role=alertdialog]");
        if (next === null || next === before) return;
        observer.disconnect();
        for (const button of next.querySelectorAll("button")) {
          if (!button.textContent?.startsWith("Allow")) continue;
          button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
        }
      }).observe(document.body, { childList: true, subtree: true });
    });
    await clickAt(allow);
    await expect.poll(() => answered).toBe(1);
    await expect(dialog).toContainText("second");
    await expect(deny).toBeFocused();
    await armed();
    expect(answered).toBe(1);
    await clickAt(deny);
    await expect(dialog).toContainText("third");
    await purser.answerConsent(PROBE, "allow_once");
  });
  await run.waitEnded(/done/);
  await expect(run.card).toContainText("yes no yes");
});

/** Where the element is, whatever it says of itself; `nth`: as the nth click of a row. */
async function clickAt(target: Locator, nth = 1): Promise<void> {
  const box = await target.boundingBox();
  if (box === null) throw new Error("it is not on the screen");
  const { mouse } = target.page();
  await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await mouse.down({ clickCount: nth });
  await mouse.up({ clickCount: nth });
}

const DIST = process.env.PURSER_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));

test("[K7-12] no page may frame Purser: every file says so, by npm start and on static hosts, and a frame gets nothing", async ({
  address,
  browser_,
}) => {
  const files = (await readdir(DIST, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith("_"))
    .map((entry) => `${entry.parentPath.slice(DIST.length)}/${entry.name}`);
  expect(files.length).toBeGreaterThan(10);
  for (const path of ["/", "/nowhere", ...files]) {
    const { headers } = await fetch(`${address}${path}`, { method: "HEAD" });
    const said = [
      headers.get("x-frame-options"),
      headers.get("content-security-policy")?.match(/frame-ancestors [^;]*/)?.[0],
    ];
    expect(said, path).toEqual(["DENY", "frame-ancestors 'none'"]);
  }
  const blocks = (await readFile(`${DIST}/_headers`, "utf8")).trim().split("\n\n");
  for (const block of blocks) expect(block).toMatch(/frame-ancestors 'none'[\s\S]*X-Frame-Options: DENY/);

  const page = `<iframe src="${address}/"></iframe><object data="${address}/"></object><embed src="${address}/">`;
  const trap = createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(page));
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  try {
    const tab = await browser_.context.newPage();
    await tab.goto(`http://127.0.0.1:${(trap.address() as AddressInfo).port}/`);
    const inside = () => tab.frames().filter((frame) => frame !== tab.mainFrame());
    expect(inside().length).toBeGreaterThan(0);
    for (const frame of inside()) {
      await frame.waitForLoadState().catch(() => undefined);
      expect(frame.url()).not.toContain(address);
      expect(await frame.evaluate(() => document.querySelectorAll("main, nav, dialog").length)).toBe(0);
    }
  } finally {
    trap.close();
  }
});
