import { defineConfig } from "@playwright/test";
import { findChromium } from "./scripts/chromium";

const executablePath = findChromium();
const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: ".",
  testMatch: ["e2e/**/*.e2e.ts", "src/**/*.browser.ts"],
  // A test that passes on the second try is a fault to look into, not a pass.
  retries: 0,
  workers: 2,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [["list"], ["json", { outputFile: "test-results/playwright.json" }]],
  outputDir: "test-results/browser",
  use: {
    trace: "retain-on-failure",
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Chromium refuses its sandbox to root.
      args: isRoot ? ["--no-sandbox"] : [],
    },
  },
});
