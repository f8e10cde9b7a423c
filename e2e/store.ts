/** What the browser tests of the store stand on: a real Chromium, and in it workers with one store each. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { test as base, type JSHandle, type Page } from "@playwright/test";
import { build } from "vite";
import type { TabCommands } from "../src/worker/storage/contract/tab";
import { Browser } from "./browser";

type Command = keyof TabCommands;
interface Line {
  call(command: Command, args: readonly unknown[]): Promise<unknown>;
  end(): void;
}

/** One worker with one store, as a tab of Purser has it. */
export interface Tab {
  readonly page: Page;
  // biome-ignore lint/suspicious/noExplicitAny: what a command answers is known where it is called
  call(command: Command, ...args: readonly unknown[]): Promise<any>;
  /** Dies without a word, as a closed or crashed tab does. */
  kill(): Promise<void>;
}

async function serve(): Promise<{ readonly server: Server; readonly address: string }> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: fileURLToPath(new URL("../src/worker/storage/contract", import.meta.url)),
    build: { write: false, minify: false, rolldownOptions: { input: "tab.ts" } },
  });
  if (!("output" in built)) throw new Error("the bundle has one output");
  const { code } = built.output[0];
  const server = createServer((request, response) => {
    const isTab = request.url === "/tab.js";
    response.setHeader("content-type", isTab ? "text/javascript" : "text/html");
    response.end(isTab ? code : "<!doctype html><title>Storage</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function startWorker(): Line {
  const worker = new Worker("/tab.js", { type: "module" });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  worker.onmessage = ({ data }) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.ok) one?.resolve(data.value);
    else one?.reject(new Error(`${data.problem}: ${data.message}`));
  };
  worker.onerror = (event) => {
    for (const one of waiting.values()) one.reject(new Error(event.message));
  };
  let last = 0;
  return {
    call(command, args) {
      last += 1;
      const id = last;
      worker.postMessage({ id, command, args });
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    end: () => worker.terminate(),
  };
}

export async function tabIn(page: Page): Promise<Tab> {
  const line: JSHandle<Line> = await page.evaluateHandle(startWorker);
  return {
    page,
    call: (command, ...args) => line.evaluate((one, [name, given]) => one.call(name, given), [command, args] as const),
    kill: () => line.evaluate((one) => one.end()),
  };
}

interface Profile {
  readonly browser: Browser;
  readonly address: string;
  /** A page of its own with a tab in it. */
  open(): Promise<Tab>;
}

export const test = base.extend<{ profile: Profile }, { address: string }>({
  address: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      const { server, address } = await serve();
      await use(address);
      server.close();
    },
    { scope: "worker" },
  ],
  profile: async ({ address }, use) => {
    const browser = await Browser.start(address);
    await use({
      browser,
      address,
      async open() {
        const page = await browser.context.newPage();
        await page.goto(address);
        return tabIn(page);
      },
    });
    await browser.close();
  },
});

/** Starts a store and lets sampling be asked for. */
export async function ready(tab: Tab, over: object = {}): Promise<Tab> {
  await tab.call("open");
  await tab.call("allow", over);
  return tab;
}

export const DAY_MS = 86_400_000;
export const isStorage = (event: { kind: string }) => event.kind === "storage";
export const DENIED = { consent: { answer: "deny", by: "Robin" } };

export function deleteDatabase(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase("purser");
        request.onsuccess = () => resolve();
        request.onerror = () => reject(request.error);
      }),
  );
}
