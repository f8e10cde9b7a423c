/** Starts `flooder.ts` in a process of its own and talks to it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FloodCount, FloodKind } from "./flooder";

export interface Flooder {
  readonly url: string;
  flood(kind: FloodKind, perSecond: number, howMany?: number): Promise<void>;
  count(): Promise<FloodCount>;
  stop(): Promise<FloodCount>;
  close(): void;
}

export async function startFlooder(): Promise<Flooder> {
  const script = fileURLToPath(new URL("./flooder.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  const { port } = (await next()) as { port: number };
  async function tell(line: string): Promise<FloodCount> {
    child.stdin.write(`${line}\n`);
    return (await next()) as FloodCount;
  }
  return {
    url: `ws://127.0.0.1:${port}/`,
    async flood(kind, perSecond, howMany = Number.MAX_SAFE_INTEGER) {
      await tell(`flood ${kind} ${perSecond} ${howMany}`);
    },
    count: () => tell("count"),
    stop: () => tell("stop"),
    close: () => child.stdin.end(),
  };
}
