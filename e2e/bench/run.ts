/**
 * `npm run bench`: what governing costs, in real Chromium, each figure beside its floor in the same run. Machines are
 * noisy, so only ratios are compared; the medians are printed to show what they are ratios of.
 */
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { build } from "vite";
import { startSite } from "../../scripts/serve";
import { Browser } from "../browser";
import { createProbe, type Probe, type Script } from "../servers/probe";
import { serveHttp } from "../servers/probe-http";
import { serveWs } from "../servers/probe-ws";
import { firstLoad } from "./first-load";
import { floods } from "./flood";
import type { BenchApi, Mode } from "./worker";

interface Row {
  readonly what: string;
  readonly floor: string;
  readonly ours: string;
  readonly ratio: number | null;
  readonly goal: string;
}

const PROMPT_CHARS = 12_000;
const ROUNDS = 8;
const BATCH = 25;
const PARALLEL = 8;
const ADMIT_MS = 3_000;

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../../.cache/bench", import.meta.url));

type Bench = { readonly [K in keyof BenchApi]: BenchApi[K] };

/** Calls the worker under measurement in the page. */
async function inPage<T>(page: Page, name: keyof Bench, ...args: unknown[]): Promise<T> {
  return page.evaluate(
    ([method, given]) =>
      (globalThis as unknown as { bench: Record<string, (...all: unknown[]) => unknown> }).bench[method as string]?.(
        ...(given as unknown[]),
      ),
    [name, args] as const,
  ) as Promise<T>;
}

let counter = 0;
/** 12 kB that no other request has, but for replays, which all have the same. */
function prompt(fresh: boolean): object {
  counter += 1;
  const mark = fresh ? `${counter} ` : "the same ";
  const text = (mark + "lorem ipsum dolor sit amet ".repeat(500)).slice(0, PROMPT_CHARS);
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 };
}

/** One call measures a batch at the server: ms of each round trip, or of each group of parallel ones. */
function batchTool(times: number[], fresh: boolean, parallel: number): (script: Script) => Promise<string> {
  return async (script) => {
    for (let at = 0; at < BATCH; at += 1) {
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: parallel }, () => script.sample(prompt(fresh))));
      times.push(performance.now() - startedAt);
    }
    return "measured";
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** Floor and ours in turns, batch by batch, so that whatever else the machine does meets both. */
async function compare(
  page: Page,
  probe: Probe,
  url: string,
  modes: readonly [Mode, Mode],
  how: { readonly fresh: boolean; readonly parallel: number },
): Promise<{ readonly floor: number; readonly ours: number }> {
  const [floor, ours] = [
    await inPage<number>(page, "connect", url, modes[0]),
    await inPage<number>(page, "connect", url, modes[1]),
  ];
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, which] of [floor, ours].entries()) {
      const batch: number[] = [];
      probe.tool = batchTool(batch, how.fresh, how.parallel);
      await inPage(page, "call", which, 1);
      // The first round warms both up.
      if (round > 0) times[at]?.push(...batch);
    }
  }
  await inPage(page, "disconnect");
  return { floor: median(times[0]), ours: median(times[1]) };
}

async function compareCalls(page: Page, probe: Probe, url: string): Promise<{ floor: number; ours: number }> {
  probe.tool = async (script) => {
    await script.sample(prompt(true));
    return "sampled";
  };
  const [floor, ours] = [
    await inPage<number>(page, "connect", url, "allow"),
    await inPage<number>(page, "connect", url, "governed"),
  ];
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, which] of [floor, ours].entries()) {
      const took = await inPage<number[]>(page, "call", which, BATCH);
      if (round > 0) times[at]?.push(...took);
    }
  }
  await inPage(page, "disconnect");
  return { floor: median(times[0]), ours: median(times[1]) };
}

async function admits(browser: Browser, address: string): Promise<readonly Row[]> {
  const rates: number[] = [];
  const pages: Page[] = [];
  for (const tabs of [1, 2, 4]) {
    while (pages.length < tabs) pages.push(await open(browser, address));
    const first = pages[0];
    if (first === undefined) throw new Error("no tab");
    await inPage(first, "prepare");
    const counts = await Promise.all(pages.map((page) => inPage<number>(page, "admits", PARALLEL, ADMIT_MS)));
    rates.push((counts.reduce((sum, count) => sum + count, 0) / ADMIT_MS) * 1000);
  }
  return rates.map((rate, at) => ({
    what: `(e) admits with their settles, ${[1, 2, 4][at]} tab${at === 0 ? "" : "s"}, ${PARALLEL} in flight each`,
    floor: at === 0 ? "" : `${(rates[0] ?? 0).toFixed(0)}/s in one tab`,
    ours: `${rate.toFixed(0)}/s in all`,
    ratio: at === 0 ? null : rate / (rates[0] ?? 1),
    goal: "",
  }));
}

async function open(browser: Browser, address: string): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(address);
  await page.locator("html[data-ready]").waitFor();
  return page;
}

function print(rows: readonly Row[]): void {
  console.log("| what | floor | Purser | ratio | goal |\n| --- | --- | --- | --- | --- |");
  for (const { what, floor, ours, ratio, goal } of rows) {
    console.log(`| ${what} | ${floor} | ${ours} | ${ratio === null ? "" : ratio.toFixed(2)} | ${goal} |`);
  }
}

async function main(): Promise<void> {
  await mkdir(out, { recursive: true });
  await build({
    root: here,
    base: "/",
    configFile: fileURLToPath(new URL("../../vite.config.ts", import.meta.url)),
    logLevel: "error",
    build: { outDir: out, emptyOutDir: true },
  });
  const site = await startSite({ folder: out, port: 0 });
  const probe = createProbe();
  const [http, ws] = [await serveHttp(probe), await serveWs(probe)];
  const browser = await Browser.start(site.url.replace(/\/$/, ""));
  const rows: Row[] = [];
  try {
    const page = await open(browser, site.url);
    const cases = [
      {
        what: "round trip, one at a time",
        modes: ["allow", "governed"],
        fresh: true,
        parallel: 1,
        goals: ["≤ 1.6", "≤ 3.5"],
      },
      {
        what: `round trips, ${PARALLEL} in parallel`,
        modes: ["allow", "governed"],
        fresh: true,
        parallel: PARALLEL,
        goals: ["≤ 1.6", "≤ 4"],
      },
      {
        what: "replay of a refused request",
        modes: ["refuse", "governed_off"],
        fresh: false,
        parallel: 1,
        goals: ["≤ 1.02", "≤ 1.2"],
      },
    ] as const;
    for (const [transport, url, at] of [
      ["HTTP", http.url, 0],
      ["WebSocket", ws.url, 1],
    ] as const) {
      for (const [number, one] of cases.entries()) {
        const { floor, ours } = await compare(page, probe, url, one.modes, one);
        const letter = at === 0 ? "abc"[number] : "d";
        rows.push({
          what: `(${letter}) ${transport}: ${one.what}`,
          floor: ms(floor),
          ours: ms(ours),
          ratio: ours / floor,
          goal: one.goals[at],
        });
      }
    }
    const call = await compareCalls(page, probe, http.url);
    rows.push({
      what: "HTTP: a tool call with one sampling",
      floor: ms(call.floor),
      ours: ms(call.ours),
      ratio: call.ours / call.floor,
      goal: "≤ 1.05",
    });
    await page.close();
    rows.push(...(await admits(browser, site.url)));
  } finally {
    await Promise.all([browser.close(), site.close(), http.close(), ws.close()]);
  }
  print(rows);
  await firstLoad();
  await floods();
}

await main();
process.exit(0);
