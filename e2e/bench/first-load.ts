/** First load: bytes of script, and time until the person can act, beside MCP Inspector's in the same run. */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { startSite } from "../../scripts/serve";
import { Browser } from "../browser";

const dist = fileURLToPath(new URL("../../.cache/bench-app", import.meta.url));
const RUNS = 5;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

interface Load {
  readonly pageBytes: number;
  readonly workerBytes: number;
  readonly interactiveMs: number;
}

/** A fresh profile each time: nothing is cached, as on a first visit. */
async function load(address: string): Promise<Load> {
  const browser = await Browser.start(address);
  try {
    const page = await browser.context.newPage();
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") scripts.push(new URL(request.url()).pathname);
    });
    const startedAt = performance.now();
    await page.goto(address);
    await page.getByRole("button", { name: "Add a server" }).first().waitFor();
    const interactiveMs = performance.now() - startedAt;
    const sizes = await Promise.all([...new Set(scripts)].map(async (path) => ({ path, bytes: await gzBytes(path) })));
    const pageBytes = sizes
      .filter(({ path }) => !path.startsWith("/worker/"))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    return { pageBytes, workerBytes: await workerEntryBytes(), interactiveMs };
  } finally {
    await browser.close();
  }
}

async function gzBytes(path: string): Promise<number> {
  return gzipSync(await readFile(`${dist}${path}`)).length;
}

/** The worker's entry: everything it loads before a provider or a file is used. */
async function workerEntryBytes(): Promise<number> {
  const entry = (await readdir(`${dist}/worker`)).find((name) => name.startsWith("main-"));
  return entry === undefined ? 0 : gzBytes(`/worker/${entry}`);
}

export async function firstLoad(): Promise<void> {
  // A build of its own: nothing else may replace the files while they are measured.
  await build({ logLevel: "error", build: { outDir: dist, emptyOutDir: true } });
  const site = await startSite({ folder: dist, port: 0 });
  const loads: Load[] = [];
  for (let run = 0; run < RUNS; run += 1) loads.push(await load(site.url));
  await site.close();
  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB gz`;
  console.log(`(f) page script at first paint: ${kb(median(loads.map((one) => one.pageBytes)))} (goal ≤ 100)`);
  console.log(`(f) worker script before a provider is used: ${kb(loads[0]?.workerBytes ?? 0)} (goal ≤ 150)`);
  console.log(`(f) time to interactive: ${median(loads.map((one) => one.interactiveMs)).toFixed(0)} ms`);
}
