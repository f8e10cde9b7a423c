/** All connections of this tab: one link per server, and the slots they share, with other tabs too. */
import type { ConnectionHooks, Connections, ServerConfig } from "./connection";
import { createLanes } from "./lanes";
import { createLink, type Link } from "./link";
import type { SlotLocks } from "./slot-locks";
import { createSlots } from "./slots";

export function createConnections(hooks: ConnectionHooks): Connections {
  const links = new Map<string, Link>();
  const lanes = createLanes();
  const slots = createSlots(hooks.locks ?? navigatorLocks());
  let reads = 0;
  const pageUrl = (globalThis as { location?: { href: string } }).location?.href ?? null;

  // Waiting for the next try makes no sense once the network is known to be back.
  globalThis.addEventListener?.("online", () => {
    for (const link of links.values()) link.networkIsBack();
  });

  return {
    open(config) {
      const known = links.get(config.name);
      if (known !== undefined && sameConfig(known.config, config)) return known.wake();
      void known?.close(true);
      const link = createLink(config, hooks, {
        slots,
        lane: lanes.of(config.name),
        pageUrl,
        nextRead: () => ++reads,
      });
      links.set(config.name, link);
      link.wake();
    },
    async close(name) {
      const link = links.get(name);
      links.delete(name);
      await link?.close(false);
    },
    retryNow: (name) => links.get(name)?.retryNow(),
    tool: (server, name) => links.get(server)?.tool(name) ?? null,
    async callTool(call) {
      const link = links.get(call.server);
      if (link === undefined) return { kind: "error", code: null, message: `${call.server} is not connected.` };
      return link.call(call);
    },
  };
}

/** Null outside of a secure context. */
function navigatorLocks(): SlotLocks | null {
  return (globalThis as { navigator?: { locks?: SlotLocks } }).navigator?.locks ?? null;
}

function sameConfig(a: ServerConfig, b: ServerConfig): boolean {
  const headers = (config: ServerConfig) => JSON.stringify(Object.entries(config.headers).sort());
  return a.url === b.url && a.declareSampling === b.declareSampling && headers(a) === headers(b);
}
