/** First load: bytes of script, and time until the person can act, beside MCP Inspector's in the same run. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { build } from "vite";
import { listen } from "../../scripts/listen";
import { startSite } from "../../scripts/serve";
import { Browser } from "../browser";

const dist = fileURLToPath(new URL("../../.cache/bench-app", import.meta.url));
const inspectorHome = fileURLToPath(new URL("../../.cache/inspector", import.meta.url));
/** The smaller and faster of the two Inspectors in use; 2.x loads nearly three times as much. */
const INSPECTOR = "@modelcontextprotocol/inspector-client";
const INSPECTOR_VERSION = "0.15.0";
const RUNS = 7;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Ms from the start of the navigation until `act` is on the screen; a fresh profile, so nothing is cached. */
async function interactive(address: string, act: (page: Page) => Promise<void>): Promise<number> {
  const browser = await Browser.start(address);
  try {
    const page = await browser.context.newPage();
    const startedAt = performance.now();
    await page.goto(address, { waitUntil: "commit" });
    await act(page);
    return performance.now() - startedAt;
  } finally {
    await browser.close();
  }
}

const ours = (page: Page) => page.getByRole("button", { name: "Add a server" }).first().waitFor();
const theirs = (page: Page) => page.getByRole("button", { name: "Connect" }).first().waitFor();

/** Script the page asks for until it can be used; the worker's own is counted by its entry. */
async function pageBytes(address: string): Promise<number> {
  const browser = await Browser.start(address);
  try {
    const page = await browser.context.newPage();
    const paths = new Set<string>();
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (request.resourceType() === "script" && !pathname.startsWith("/worker/")) paths.add(pathname);
    });
    await page.goto(address);
    await ours(page);
    const sizes = await Promise.all([...paths].map((path) => gzBytes(path)));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  } finally {
    await browser.close();
  }
}

async function gzBytes(path: string): Promise<number> {
  return gzipSync(await readFile(`${dist}${path}`)).length;
}

/** The worker's entry is all it loads before a provider or a file is used. */
async function workerBytes(): Promise<number> {
  const entry = (await readdir(`${dist}/worker`)).find((name) => name.startsWith("main-"));
  if (entry === undefined) throw new Error("the build has no worker");
  return gzBytes(`/worker/${entry}`);
}

/** Installs the Inspector's client beside the build and serves it as it is, with gzip as ours has. */
async function serveInspector(): Promise<{ readonly url: string; close(): void }> {
  const spec = `${INSPECTOR}@${INSPECTOR_VERSION}`;
  await promisify(execFile)("npm", ["install", "--no-save", "--prefix", inspectorHome, spec]);
  const folder = join(inspectorHome, "node_modules", INSPECTOR, "dist");
  const types: Readonly<Record<string, string>> = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    const path = pathname === "/" ? "/index.html" : pathname;
    readFile(join(folder, path)).then(
      (body) => {
        response.writeHead(200, {
          "Content-Type": types[extname(path)] ?? "image/svg+xml",
          "Content-Encoding": "gzip",
        });
        response.end(gzipSync(body));
      },
      () => response.writeHead(404).end(),
    );
  });
  const url = await listen(server, 0);
  return { url, close: () => void server.close() };
}

export async function firstLoad(): Promise<void> {
  // A build of its own: nothing else may replace the files while they are measured.
  await build({ logLevel: "error", build: { outDir: dist, emptyOutDir: true } });
  const [site, inspector] = [await startSite({ folder: dist, port: 0 }), await serveInspector()];
  const times: { readonly ours: number[]; readonly theirs: number[] } = { ours: [], theirs: [] };
  for (let run = 0; run < RUNS; run += 1) {
    times.ours.push(await interactive(site.url, ours));
    times.theirs.push(await interactive(inspector.url, theirs));
  }
  const [page, worker] = [await pageBytes(site.url), await workerBytes()];
  await site.close();
  inspector.close();
  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB gz`;
  const [mine, other] = [median(times.ours), median(times.theirs)];
  console.log(`| (f) page script at first paint | | ${kb(page)} | | ≤ 100 kB |`);
  console.log(`| (f) worker script before a provider is used | | ${kb(worker)} | | ≤ 150 kB |`);
  console.log(
    `| (f) time to interactive, MCP Inspector ${INSPECTOR_VERSION} | ${other.toFixed(0)} ms | ${mine.toFixed(0)} ms | ${(mine / other).toFixed(2)} | ≤ 0.5 |`,
  );
}
