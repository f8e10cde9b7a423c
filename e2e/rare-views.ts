/** What is seen when something is wrong or too much: views a usual day does not show, for the specs that look at all of them. */
import type { Page } from "@playwright/test";
import { absurdTools, fillers } from "./adversary/absurd-tools";
import { startLines } from "./faults/lines";
import { expect } from "./fixtures";
import { policyText } from "./policy-text";
import type { Purser } from "./purser";
import { PROBE, prompt, type Scripted } from "./scripted";
import { serveRaw } from "./servers/raw";

const BAZAAR = "bazaar";
const LINE = "line";
/** More than a WebSocket is read ahead. */
const FLOOD_FRAMES = 40_000;

type Look = (where: string) => Promise<void>;

/** @param look is called with a name at each of them */
export async function visitRare(purser: Purser, scripted: Scripted, look: Look): Promise<void> {
  await toolsByTheThousand(purser, look);
  await runsOfRefusals(purser, scripted, look);
  await lineThatBreaks(purser, look);
  await storageGone(purser, look);
}

async function toolsByTheThousand(purser: Purser, look: Look): Promise<void> {
  const raw = await serveRaw();
  const [self, deep] = ["self", "deep"].map((name) => absurdTools(raw.url).find((tool) => tool.name === name));
  raw.list = ({ cursor }) => {
    const at = Number(cursor ?? 0);
    const tools = fillers(998).slice(at, at + 250);
    return { tools: at === 0 ? [self, deep, ...tools] : tools, nextCursor: at < 750 ? String(at + 250) : undefined };
  };
  await purser.connectTo({ name: BAZAAR, url: raw.url });
  const details = purser.page.getByRole("complementary", { name: "Details" });
  await purser.go(`/servers/${BAZAAR}`);
  await details.getByRole("textbox", { name: "Find among 1,000 tools" }).fill("filler 99");
  await expect(details.getByText("9 found")).toBeVisible();
  await look("tools found");
  await purser.openTool(BAZAAR, "deep");
  await expect(purser.toolForm("deep")).toContainText("No form can be shown");
  await look("tool without a form");
  await purser.serverAction(BAZAAR, "Remove");
  await raw.close();
}

async function runsOfRefusals(purser: Purser, scripted: Scripted, look: Look): Promise<void> {
  await scripted.connect(purser, { models: ["a-model-nobody-has"] });
  const { probe } = scripted;
  for (const result of ["het raam", { content: [] }]) {
    probe.tool = async ({ sample }) => {
      await Promise.all(Array.from({ length: 300 }, () => sample(prompt("translate: window"))));
      return result;
    };
    await (await purser.runTool(PROBE, "ask")).waitEnded(/done/);
  }
  await look("made while refused");
  let finish: (text: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => {
    finish = resolve;
  });
  probe.tool = () => late;
  const run = await purser.runTool(PROBE, "ask");
  await run.cancel();
  await run.waitEnded(/cancelled/);
  finish("written after all");
  await expect(run.card).toContainText("finished this call after it was given up");
  await look("finished late");
  await purser.log();
  await look("counted rows");
}

async function lineThatBreaks(purser: Purser, look: Look): Promise<void> {
  const lines = await startLines();
  await purser.connectTo({ name: LINE, url: lines.url });
  await purser.loadPolicyFile(policyText({ [LINE]: {} }));
  await purser.go("/");
  await expect.poll(() => lines.connections).toBe(2);
  const id = lines.newest().post(prompt("taken back"));
  await expect(purser.consent(LINE)).toBeVisible();
  lines.newest().cancel(id);
  await expect(purser.page.getByRole("region", { name: "Closed consent" })).toBeVisible();
  await look("consent closed");
  const line = lines.newest();
  for (let at = 0; at < FLOOD_FRAMES; at += 1) line.post(prompt(`question ${at}`, { maxTokens: 10_000 }));
  await purser.waitForState(LINE, "paused");
  await purser.go("/servers");
  await look("server paused");
  await purser.go(`/servers/${LINE}`);
  await look("paused server");
  await lines.close();
}

async function storageGone(purser: Purser, look: Look): Promise<void> {
  // The witness looks within two seconds of what it is to remember.
  await purser.page.waitForTimeout(3_000);
  await forget(purser.page);
  await purser.reload();
  await expect(purser.page.getByText("This browser lost part of Purser's memory.")).toBeVisible();
  await look("memory lost in part");
  await purser.page.evaluate(() => void indexedDB.open("purser", 1_000));
  await expect(purser.page.getByText("Nothing can be stored, so no sampling is allowed.")).toBeVisible();
  await purser.go("/settings");
  await expect(purser.page.getByText("Persistence: not granted")).toBeVisible();
  await look("storage taken");
}

/** Part of what was stored, gone behind Purser's back. */
function forget(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open("purser");
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const tx = request.result.transaction(["records", "accounts", "decisions"], "readwrite");
          for (const store of tx.objectStoreNames) tx.objectStore(store).clear();
          tx.oncomplete = () => {
            request.result.close();
            resolve();
          };
        };
      }),
  );
}
