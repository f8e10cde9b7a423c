import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Every Chromium there is, most wanted first: CHROMIUM_PATH, those on the PATH, Playwright's own download. */
export function chromiumCandidates(): readonly string[] {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env.CHROMIUM_PATH ?? "", ...onPath, chromium.executablePath()].filter(
    (path) => path !== "" && runs(path),
  );
}

/** Path of the Chromium to test with; null where there is none. */
export const findChromium = (): string | null => chromiumCandidates()[0] ?? null;
