/** Plain JavaScript on Node alone: it runs before anything is installed. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command to its end with our output; answers its exit code. Given time, it is stopped and counts as failed. */
export function run(command, args, { env = {}, limitMs = 0, stdio = ["ignore", "inherit", "inherit"] } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio, env: { ...process.env, ...env } });
    const timer = limitMs > 0 ? setTimeout(() => child.kill("SIGKILL"), limitMs) : undefined;
    const stop = (signal) => child.kill(signal);
    process.once("SIGINT", stop).once("SIGTERM", stop);
    const end = (code) => {
      clearTimeout(timer);
      process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
      resolve(code);
    };
    child.once("error", () => end(127));
    child.once("exit", (code, signal) => end(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}

const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

/** Whether node_modules holds what package-lock.json asks for, by the list npm keeps of what it installed. */
function isInstalled() {
  try {
    const wanted = readJson("package-lock.json").packages;
    const there = readJson("node_modules/.package-lock.json").packages;
    return Object.entries(wanted).every(
      ([path, { version, optional, devOptional, link }]) =>
        path === "" || link || there[path]?.version === version || ((optional || devOptional) && !there[path]),
    );
  } catch {
    return false;
  }
}

/** Installs the exact versions of the lock file where they are not there yet. Exits when that fails. */
export async function ensureInstalled() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Purser needs Node 20.19 or newer; this is ${process.versions.node}.`);
    process.exit(1);
  }
  if (isInstalled()) return;
  console.log("Installing dependencies (npm ci)…");
  // npm started us, and tells where it is; a shell finds it otherwise, on Windows by its .cmd name.
  const npm = process.env.npm_execpath;
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund"];
  const code = npm?.endsWith(".js") ? await run(process.execPath, [npm, ...args]) : await run("npm", args);
  if (code !== 0) {
    console.error(`npm ci failed (exit code ${code}).`);
    process.exit(code);
  }
}

/** The script behind a package's command, to run under this Node without a shell. */
export const bin = {
  biome: "node_modules/@biomejs/biome/bin/biome",
  tsc: "node_modules/typescript/bin/tsc",
  vite: "node_modules/vite/bin/vite.js",
  vitest: "node_modules/vitest/vitest.mjs",
  playwright: "node_modules/@playwright/test/cli.js",
};

export const node = (script, args = [], options = {}) => run(process.execPath, [script, ...args], options);

export const build = () => node(bin.vite, ["build", "--logLevel", "warn"]);
