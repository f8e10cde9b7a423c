/** A real Chromium on a profile of its own on disk: only such a one keeps IndexedDB across a restart. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Browser as Driven, type Page } from "@playwright/test";
import { findChromium } from "../scripts/chromium";
import { Purser } from "./purser";

/** What was printed or reported on any tab that no test expects: CSP violations, page errors, console errors. */
export interface Complaint {
  readonly kind: "console" | "page" | "csp";
  readonly text: string;
}

const FLAGS = [
  "--headless=new",
  "--remote-debugging-port=0",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--window-size=1280,800",
];

export class Browser {
  readonly complaints: Complaint[] = [];
  private child: ChildProcess | null = null;
  private driven: Driven | null = null;
  private debugging = "";

  private constructor(
    private readonly profile: string,
    private readonly address: string,
    private readonly flags: readonly string[],
  ) {}

  /** `address`: where the app is served, without a trailing slash. */
  static async start(address: string, flags: readonly string[] = []): Promise<Browser> {
    const browser = new Browser(await mkdtemp(join(tmpdir(), "purser-profile-")), address, flags);
    await browser.launch();
    return browser;
  }

  private async launch(): Promise<void> {
    const path = findChromium();
    if (path === null) throw new Error("no Chromium; `npm test` installs one");
    const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const args = [...FLAGS, ...root, ...this.flags, `--user-data-dir=${this.profile}`, "about:blank"];
    const child = spawn(path, args, { stdio: ["ignore", "ignore", "pipe"], detached: true });
    this.child = child;
    // A group of its own outlives a test run that is broken off.
    process.once("exit", () => killGroup(child));
    this.debugging = await debuggingUrl(this.child);
    this.driven = await chromium.connectOverCDP(this.debugging);
  }

  /**
   * Lets go of the browser while `work` runs: one that is watched reports every frame of every socket, through the page's
   * own thread, which nobody's browser does. Comes back with the tab that was open first.
   */
  async unwatched<T>(work: () => Promise<T>): Promise<readonly [T, Purser]> {
    await this.driven?.close();
    const done = await work();
    this.driven = await chromium.connectOverCDP(this.debugging);
    const page = this.context.pages().find((one) => one.url().startsWith(this.address));
    if (page === undefined) throw new Error("the tab is gone");
    return [done, this.watched(page)];
  }

  get context(): BrowserContext {
    const context = this.driven?.contexts()[0];
    if (context === undefined) throw new Error("the browser is not running");
    return context;
  }

  /** A new tab at a hash route; null where the test opens it itself. */
  async tab(route: string | null = "/"): Promise<Purser> {
    const purser = this.watched(await this.context.newPage());
    return route === null ? purser : purser.open(route);
  }

  private watched(page: Page): Purser {
    // Less than a test's own time, so that what was waited for is named.
    page.setDefaultTimeout(15_000);
    this.listen(page);
    return new Purser(page, this.address, this);
  }

  private listen(page: Page): void {
    page.on("pageerror", (error) => this.complaints.push({ kind: "page", text: error.message }));
    page.on("console", (message) => {
      if (message.type() !== "error") return;
      const text = message.text();
      this.complaints.push({ kind: /Content Security Policy|TrustedScript/i.test(text) ? "csp" : "console", text });
    });
  }

  /**
   * `kill`: every process of it at once, as a crash or a power cut of the browser would.
   *
   * @param meanwhile what happens to its profile on the disk while it is down
   */
  async restart(how: "close" | "kill", meanwhile?: (profile: string) => Promise<void>): Promise<void> {
    await this.end(how);
    await meanwhile?.(this.profile);
    await this.launch();
  }

  private async end(how: "close" | "kill"): Promise<void> {
    const { child } = this;
    if (child === null || child.pid === undefined) return;
    const running = child.exitCode === null && child.signalCode === null;
    const gone = running ? once(child, "exit") : Promise.resolve();
    if (how === "close") {
      const session = await this.driven?.newBrowserCDPSession();
      await session?.send("Browser.close").catch(() => undefined);
    } else killGroup(child);
    await gone;
    await this.driven?.close().catch(() => undefined);
    this.child = null;
  }

  async close(): Promise<void> {
    await this.end("kill");
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended in between.
  }
}

async function debuggingUrl(child: ChildProcess): Promise<string> {
  let said = "";
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    const url = said.match(/ws:\/\/\S+/)?.[0];
    if (url !== undefined) {
      // Left unread, the pipe would fill and stop the browser.
      child.stderr?.resume();
      return url;
    }
  }
  throw new Error(`Chromium did not start: ${said}`);
}
