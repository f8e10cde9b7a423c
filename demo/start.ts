import { readFile } from "node:fs/promises";
import type { DemoInfo } from "../src/worker/api";
import { createCiTriage } from "./ci-triage/server";
import { serveMcp } from "./transport/serve";
import { createWikiSearch } from "./wiki-search/server";

interface Demo {
  readonly info: DemoInfo;
  /** The same servers over WebSocket. */
  readonly wsUrls: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts both demo servers on loopback, at 4781 and 4782 or where there is room. */
export async function startDemo(): Promise<Demo> {
  const [triage, wiki] = await Promise.all([serveMcp(createCiTriage, 4781), serveMcp(createWikiSearch, 4782)]);
  return {
    info: {
      servers: [
        { name: "ci-triage", url: triage.url },
        { name: "wiki-search", url: wiki.url },
      ],
      policyText: await readFile(new URL("sampling-policy.yaml", import.meta.url), "utf8"),
    },
    wsUrls: { "ci-triage": triage.wsUrl, "wiki-search": wiki.wsUrl },
    close: async () => {
      await Promise.all([triage.close(), wiki.close()]);
    },
  };
}
