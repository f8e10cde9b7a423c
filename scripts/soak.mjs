/**
 * `npm run soak`: the long forms of the tests that load, attack and break the product; more of everything, and times are
 * asserted. Hours on a small machine; name files to run only those.
 */
import { bin, build, ensureInstalled, node } from "./install.mjs";

await ensureInstalled();
const { register } = await import("tsx/esm/api");
register();
const { ensureChromium } = await import("./chromium-install.ts");
const chromium = await ensureChromium();
if (chromium === null) {
  console.error("No Chromium was found, and none could be installed. Set CHROMIUM_PATH to one.");
  process.exit(1);
}
const named = process.argv.slice(2);
const files = named.length > 0 ? named : ["e2e/soak", "e2e/adversary", "e2e/faults"];
const env = { PURSER_SOAK: "1", CHROMIUM_PATH: chromium };
process.exitCode = (await build()) || (await node(bin.playwright, ["test", "--workers=1", ...files], { env }));
