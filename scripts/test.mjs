/**
 * `npm test`: installs what is missing, then lint, types, unit tests, build and browser tests, all of them whatever
 * fails. Ends with a line `N passed, N failed`: the tests of vitest and Playwright, and one more failed for each stage
 * that failed without a failed test (lint, types, build, a file that does not load).
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bin, build, ensureInstalled, node, ROOT } from "./install.mjs";

const UNIT = "test-results/vitest.json";
const BROWSER = "test-results/playwright.json";

const none = { passed: 0, failed: 0 };
const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

const unitCounts = () => {
  const { numPassedTests, numFailedTests } = readJson(UNIT);
  return { passed: numPassedTests, failed: numFailedTests };
};
const browserCounts = () => {
  const { expected, unexpected, flaky } = readJson(BROWSER).stats;
  return { passed: expected, failed: unexpected + flaky };
};

async function stage(name, work, counts = () => none) {
  console.log(`\n== ${name}`);
  const startedAt = Date.now();
  const code = await work();
  let { passed, failed } = none;
  try {
    ({ passed, failed } = counts());
  } catch {
    // No report: the stage ended before it wrote one, which its exit code tells.
  }
  if (code !== 0 && failed === 0) failed = 1;
  return { name, passed, failed, ok: code === 0 && failed === 0, seconds: (Date.now() - startedAt) / 1000 };
}

async function browserTests() {
  const { register } = await import("tsx/esm/api");
  register();
  const { ensureChromium } = await import("./chromium-install.ts");
  const chromium = await ensureChromium();
  if (chromium === null) {
    console.error("No Chromium was found, and none could be installed. Set CHROMIUM_PATH to one.");
    return 1;
  }
  console.log(`Chromium: ${chromium}`);
  return node(bin.playwright, ["test"], { env: { CHROMIUM_PATH: chromium } });
}

await ensureInstalled();
mkdirSync(join(ROOT, "test-results"), { recursive: true });
for (const report of [UNIT, BROWSER]) rmSync(join(ROOT, report), { force: true });

const unitReports = ["--reporter=default", "--reporter=json", `--outputFile.json=${UNIT}`];
const stages = [
  await stage("lint", () => node(bin.biome, ["check", "--error-on-warnings"])),
  await stage("types", () => node(bin.tsc, ["-b"])),
  await stage("unit tests", () => node(bin.vitest, ["run", ...unitReports]), unitCounts),
  await stage("build", build),
  await stage("browser tests", browserTests, browserCounts),
];

console.log("");
for (const { name, ok, seconds } of stages)
  console.log(`${ok ? "ok    " : "FAILED"} ${name} (${seconds.toFixed(1)} s)`);
const sum = (key) => stages.reduce((total, one) => total + one[key], 0);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = stages.every(({ ok }) => ok) ? 0 : 1;
