import { expect, test, vi } from "vitest";
import { NOW, SERVER } from "../policy/cases/given";
import type { ToolDetail } from "./mcp/connection";
import { tabLocks } from "./mcp/slot-locks";
import { memoryStore } from "./testing/memory-store";
import { createToolWatch } from "./tool-watch";

const tool = (name: string, description: string, inputSchema: unknown = { type: "object" }): ToolDetail => ({
  name,
  title: null,
  description,
  inputSchema,
  formProblem: null,
  readOnly: false,
  destructive: false,
});

function rig() {
  const store = memoryStore(() => NOW);
  const locks = tabLocks();
  const registered = new Set([SERVER]);
  const refresh = vi.fn<(name: string) => void>();
  const row = (name: string) => (registered.has(name) ? ({} as never) : undefined);
  let id = 0;
  const tab = () =>
    createToolWatch({ store, roster: { row, refresh }, locks, now: () => NOW, newId: () => `event-${++id}` });
  return { store, registered, refresh, tab };
}

test("[K7-16] description and form count, the order of a schema's keys does not", async () => {
  const { store, refresh, tab } = rig();
  const watch = tab();
  const form = { type: "object", properties: { to: { type: "string" } } };
  await watch.listed(SERVER, [tool("send", "Sends mail.", form), tool("find", "Finds \ud800.")]);
  await watch.listed(SERVER, [
    tool("send", "Sends mail.", { properties: form.properties, type: "object" }),
    tool("find", "Finds \ud800."),
  ]);
  expect([store.events, watch.news(SERVER), refresh.mock.calls]).toEqual([[], [], []]);
  await watch.listed(SERVER, [tool("send", "Sends mail, and a copy.", form), tool("find", "Finds \ud800.", form)]);
  expect(store.events).toMatchObject([
    { kind: "tools_changed", server: SERVER, text: `${SERVER} has 2 changed tools: "send", "find"` },
  ]);
  expect(refresh.mock.calls).toEqual([[SERVER]]);
  await watch.opened(SERVER, "send");
  expect(watch.news(SERVER)).toEqual([{ tool: "find", what: "changed" }]);
});

test("[K7-16] two tabs that read the same list say it once, and what one opened is seen in the other", async () => {
  const { store, tab } = rig();
  const [one, other] = [tab(), tab()];
  await Promise.all([one, other].map((watch) => watch.listed(SERVER, [tool("send", "D1")])));
  await Promise.all([one, other].map((watch) => watch.listed(SERVER, [tool("send", "D2")])));
  expect(store.events).toHaveLength(1);
  expect(other.news(SERVER)).toEqual([{ tool: "send", what: "changed" }]);
  await one.opened(SERVER, "send");
  await other.reload();
  expect(other.news(SERVER)).toEqual([]);
});

test("[K7-16] [D4] a server that was removed meanwhile, or a store that refuses, leaves nothing behind and breaks nothing", async () => {
  const { store, registered, tab } = rig();
  const watch = tab();
  registered.delete(SERVER);
  await watch.listed(SERVER, [tool("send", "D1")]);
  registered.add(SERVER);
  await watch.listed(SERVER, [tool("send", "D2")]);
  expect(store.events).toEqual([]);
  store.refuses = true;
  await watch.listed(SERVER, [tool("send", "D3")]);
  expect(watch.news(SERVER)).toEqual([]);
});
