/** The app as built, but for the first lines of its worker's or its page's script: what no test can reach otherwise. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSite } from "../scripts/serve";

const dist = process.env.PURSER_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));

export interface FirstLines {
  readonly worker: string;
  readonly page?: string;
}

export interface PatchedSite {
  /** Without a trailing slash. */
  readonly address: string;
  /** Serves `text` at `/name` from now on. */
  put(name: string, text: string): Promise<void>;
  close(): Promise<void>;
}

export async function startPatched({ worker, page }: FirstLines): Promise<PatchedSite> {
  const folder = await mkdtemp(join(tmpdir(), "purser-patched-"));
  await cp(dist, folder, { recursive: true });
  await prepend(join(folder, "worker"), worker);
  if (page !== undefined) await prepend(join(folder, "assets"), page);
  const site = await startSite({ folder, port: 0 });
  return {
    address: site.url.replace(/\/$/, ""),
    put: (name, text) => writeFile(join(folder, name), text),
    async close() {
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Imports stand above whatever comes first in a file: what they run on loading is not reached. */
async function prepend(folder: string, lines: string): Promise<void> {
  const main = (await readdir(folder)).find((name) => /^main-.*\.js$/.test(name));
  if (main === undefined) throw new Error(`no main script in ${folder}`);
  const path = join(folder, main);
  await writeFile(path, lines + (await readFile(path, "utf8")));
}
