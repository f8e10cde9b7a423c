/**
 * A tab the system froze in the middle of its work, as it stands: its process is stopped. Whatever it holds, the other
 * tabs answer in time, spend nothing twice, and what it does on waking counts for nothing more (A2, A7, M4).
 */
import type { Page } from "@playwright/test";
import { expect, test } from "../clock";
import { policyText } from "../policy-text";
import type { Purser } from "../purser";
import { ledgerOf, peaksOf, sumOf, watchAccount } from "./ledger";
import { type Line, type Lines, reasonOf, startLines } from "./lines";
import { startStagedModel } from "./staged-model";

const SHOP = "shop";
const MAX_CONCURRENT = 3;
/** A call's deadline and the grace after it, with room; not so long that the budget's day ends. */
const LONG_PAST_MS = 120_000;

const BLOCK = { models: ["claude-haiku-4-5"], max_input_tokens: 400, max_concurrent: MAX_CONCURRENT };

const request = (words: string) => ({
  messages: [{ role: "user", content: { type: "text", text: words } }],
  maxTokens: 50,
});

async function renderers(page: Page): Promise<readonly number[]> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo } = (await session?.send("SystemInfo.getProcessInfo")) ?? { processInfo: [] };
  await session?.detach();
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

interface Frozen {
  readonly tab: Purser;
  readonly line: Line;
  freeze(): void;
  wake(): void;
}

/** Another tab, in a process of its own. */
async function tabToFreeze(purser: Purser, lines: Lines): Promise<Frozen> {
  const before = await renderers(purser.page);
  const connected = lines.connections;
  const tab = await purser.secondTab();
  await expect.poll(() => lines.connections).toBe(connected + 1);
  const own = (await renderers(tab.page)).filter((pid) => !before.includes(pid));
  expect(own.length).toBeGreaterThan(0);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of own) process.kill(pid, name);
  };
  return { tab, line: lines.newest(), freeze: () => signal("SIGSTOP"), wake: () => signal("SIGCONT") };
}

/** Keeps a transaction of the app's stores open until the page is told to let go. */
function holdTransaction(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const open = indexedDB.open("purser");
    await new Promise((resolve) => open.addEventListener("success", resolve));
    const store = open.result.transaction("accounts", "readwrite").objectStore("accounts");
    const again = () => {
      if ("letGo" in globalThis) open.result.close();
      else store.get("nobody").onsuccess = again;
    };
    again();
  });
}

function letGo(page: Page): Promise<void> {
  return page.evaluate(() => void Object.assign(globalThis, { letGo: true }));
}

test("[F27] [F2] [F42] a frozen tab holds slots, money, then a transaction: nobody hangs, nothing is spent twice", async ({
  purser,
  site,
}) => {
  test.setTimeout(120_000);
  const [lines, model] = await Promise.all([startLines(), startStagedModel()]);
  await purser.setProviderKey("Anthropic", "sk-test-0123456789", true);
  await purser.setProviderBaseUrl("Anthropic", model.url);
  await purser.connectTo({ name: SHOP, url: lines.url });
  await purser.loadPolicyFile(policyText({ [SHOP]: BLOCK }));
  await purser.go("/");
  await expect.poll(() => lines.connections).toBe(2);
  const line = lines.newest();
  const first = line.ask(request("answer first"));
  await purser.answerConsent(SHOP, "allow_session");
  expect(reasonOf(await first)).toBeNull();
  const { tab, line: frozen, freeze, wake } = await tabToFreeze(purser, lines);
  const ledger = () => ledgerOf(purser.page, SHOP);

  const held = [frozen.post(request("hold one")), frozen.post(request("stream two"))];
  await expect.poll(() => model.calls.length).toBe(3);
  freeze();

  await test.step("its slots stay taken, and the others are there for who is awake", async () => {
    await watchAccount(purser.page, SHOP);
    const asked = Array.from({ length: 6 }, (_, at) => line.ask(request(`answer ${at}`)));
    const told = (await Promise.all(asked)).map(reasonOf);
    expect(told).toContain(null);
    expect(new Set(told)).toEqual(new Set([null, "policy.concurrency"]));
    await expect.poll(async () => (await ledger()).account.holds.length).toBe(2);
    expect((await peaksOf(purser.page)).slots).toBe(MAX_CONCURRENT);
  });

  await test.step("what it holds is closed when its time is over, though it is not dead", async () => {
    await site.put("test-clock.txt", String(LONG_PAST_MS));
    await purser.reload();
    await purser.waitForState(SHOP, "connected");
    await expect.poll(async () => (await ledger()).account.holds).toEqual([]);
    const lost = (await ledger()).records.filter(({ ending }) => ending === "lost");
    expect(lost.map(({ chargedMicros, estimatedMicros }) => chargedMicros === estimatedMicros)).toEqual([true, true]);
  });

  await test.step("on waking its settles come too late and count for nothing", async () => {
    const before = await ledger();
    wake();
    model.release();
    for (const id of held) expect(reasonOf(await lines.answerTo(id))).toBeNull();
    await tab.page.waitForTimeout(200);
    const after = await ledger();
    expect(after.account.settledMicros).toBe(before.account.settledMicros);
    expect(after.records).toEqual(before.records);
    expect(sumOf(after.records)).toBe(after.days.chargedMicros);
  });

  await test.step("frozen within a transaction: answered in time, said on the screen, and over when it wakes", async () => {
    await holdTransaction(tab.page);
    freeze();
    const awake = lines.newest();
    const banner = purser.page.getByText(/Another tab holds Purser's storage/);
    expect(reasonOf(await awake.ask(request("answer in vain")))).toBe("storage.unavailable");
    await expect(banner).toBeVisible();
    wake();
    await letGo(tab.page);
    await expect.poll(async () => reasonOf(await awake.ask(request("answer after all")))).toBeNull();
    await expect(banner).toBeHidden();
    expect(model.calls.some(({ text }) => text.includes("vain"))).toBe(false);
    await expect.poll(async () => (await ledger()).account.holds).toEqual([]);
  });
  for (const given of lines.answers.values()) expect(given).toHaveLength(1);
  await Promise.all([lines.close(), model.close()]);
});
