import { chromiumCandidates } from "./chromium";
import { bin, node, run } from "./install.mjs";

const DOWNLOAD_LIMIT_MS = 4 * 60_000;

/** A Chromium that starts: one that is there, else Playwright's download, else Debian's package; null without any. */
export async function ensureChromium(): Promise<string | null> {
  const tries = [
    async () => 0,
    () => node(bin.playwright, ["install", "chromium"], { limitMs: DOWNLOAD_LIMIT_MS }),
    installDebian,
  ];
  for (const attempt of tries) {
    if ((await attempt()) !== 0) continue;
    for (const path of chromiumCandidates()) if (await starts(path)) return path;
  }
  return null;
}

async function installDebian(): Promise<number> {
  console.log("Installing Debian's chromium…");
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const updated = await run("apt-get", ["update", "-qq"], { env, limitMs: DOWNLOAD_LIMIT_MS });
  if (updated !== 0) return updated;
  const args = ["install", "-y", "-qq", "--no-install-recommends", "chromium"];
  return run("apt-get", args, { env, limitMs: DOWNLOAD_LIMIT_MS });
}

/** A downloaded one may lack libraries of the system; this tells. */
const starts = async (path: string): Promise<boolean> =>
  (await run(path, ["--version", "--no-sandbox"], { stdio: ["ignore", "ignore", "ignore"], limitMs: 20_000 })) === 0;
