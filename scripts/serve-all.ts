import { fileURLToPath } from "node:url";
import { startDemo } from "../demo/start";
import { startSite } from "./serve";

/** The port is fixed where it can be: what a browser stored belongs to the address, port included. */
const PORT = 4780;

/** Serves the build and the demo servers, prints the address, and stops both on SIGINT or SIGTERM. */
export async function serveAll(): Promise<void> {
  const demo = await startDemo();
  const folder = fileURLToPath(new URL("../dist", import.meta.url));
  const port = Number(process.env.PORT) || PORT;
  const site = await startSite({ folder, port, demo: demo.info });
  for (const { name, url } of demo.info.servers) console.log(`Demo server ${name}: ${url}`);
  if (!site.url.endsWith(`:${port}/`)) {
    console.log(`Port ${port} is taken. A browser keeps policies and records by address, so this one starts empty.`);
  }
  console.log(`\nPurser is at ${site.url}  (Ctrl-C stops it)`);

  const stop = async () => {
    await Promise.all([site.close(), demo.close()]);
    process.exit(0);
  };
  process.once("SIGINT", () => void stop());
  process.once("SIGTERM", () => void stop());
  stopWithNpm(stop);
}

/** A signal to npm alone ends npm and its shell, which does not pass it on: then this process has another parent. */
function stopWithNpm(stop: () => Promise<void>): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop();
  }, 500).unref();
}
