import { afterEach, expect, test } from "vitest";
import { type Message, type RawServer, type Reply, rawHttp } from "./testing/raw-server";
import { createRig, eventually, type Rig } from "./testing/rig";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A server whose list of tools the test answers page by page. */
async function listing(
  page: (cursor: unknown, count: number) => unknown,
): Promise<{ server: RawServer; purser: Rig; pages: () => unknown[] }> {
  const server = await rawHttp();
  const cursors: unknown[] = [];
  server.onOther = (message: Message, reply: Reply) => {
    if (message.method !== "tools/list") return false;
    cursors.push(message.params?.cursor);
    reply.send({ jsonrpc: "2.0", id: message.id, result: page(message.params?.cursor, cursors.length) });
    return true;
  };
  const purser = createRig();
  open.push(purser, server);
  await purser.open(server.url);
  return { server, purser, pages: () => cursors };
}

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });
const names = (purser: Rig) => purser.report("s")?.tools.map((one) => one.name);

test("[K8-01] '' is a cursor: it is sent and followed, and a repeated one ends the list", async () => {
  const { purser, pages } = await listing((cursor) =>
    cursor === undefined ? { tools: [tool("a")], nextCursor: "" } : { tools: [tool("b")], nextCursor: "" },
  );
  expect(pages()).toEqual([undefined, ""]);
  expect(names(purser)).toEqual(["a", "b"]);
  expect(purser.report("s")?.warnings.join()).toContain("repeats itself");
});

test("[K8-02] a cursor that never advances keeps what there is, once", async () => {
  const tools = Array.from({ length: 8 }, (_, at) => tool(`t${at}`));
  const { purser, pages } = await listing(() => ({ tools, nextCursor: "p2" }));
  expect(pages()).toEqual([undefined, "p2"]);
  expect(names(purser)).toHaveLength(8);
  expect(purser.report("s")?.warnings.join()).toContain("repeats itself");
});

test("[K8-01] a list without end stops at a page cap and at a tool cap", async () => {
  const slow = await listing((_, count) => ({ tools: [tool(`t${count}`)], nextCursor: `p${count}` }));
  expect(slow.pages()).toHaveLength(100);
  expect(slow.purser.report("s")?.warnings.join()).toContain("more than 100 pages");
  const wide = await listing((_, count) => ({
    tools: Array.from({ length: 400 }, (__, at) => tool(`t${count}-${at}`)),
    nextCursor: `p${count}`,
  }));
  expect(wide.pages()).toHaveLength(3);
  expect(names(wide.purser)).toHaveLength(1000);
});

test("[K8-07] a tool that is wrong is left out or shown without its form; the others stay", async () => {
  const nested = JSON.parse(`${'{"properties":{"a":'.repeat(2_000)}{}${"}}".repeat(2_000)}`);
  const { purser } = await listing(() => ({
    tools: [
      null,
      7,
      { name: 7 },
      { name: "" },
      { name: "x".repeat(300) },
      { name: "half \ud800" },
      { name: "bare" },
      tool("deep", { inputSchema: nested }),
      tool("wide", { inputSchema: { type: "object", description: "x".repeat(300_000) } }),
      tool("odd", { inputSchema: "text", title: 3, description: ["no"], annotations: "none" }),
      tool("fine", { title: "Fine", annotations: { readOnlyHint: true, destructiveHint: true } }),
      tool("fine", { title: "Again" }),
      tool("risky", { annotations: { title: "Risky", destructiveHint: true } }),
    ],
  }));
  const report = purser.report("s");
  expect(names(purser)).toEqual(["bare", "deep", "wide", "odd", "fine", "risky"]);
  const open = { type: "object" };
  const detail = (name: string) => purser.connections.tool("s", name);
  expect(detail("deep")).toMatchObject({ inputSchema: open, formProblem: expect.stringContaining("64 levels") });
  expect(detail("wide")).toMatchObject({ inputSchema: open, formProblem: expect.stringContaining("too large") });
  expect(detail("odd")).toMatchObject({ title: null, description: null, inputSchema: open });
  expect(detail("bare")).toMatchObject({ formProblem: null });
  expect(detail("none of this name")).toBe(null);
  expect(report?.tools[4]).toMatchObject({ title: "Fine", readOnly: true, destructive: false });
  expect(report?.tools[5]).toMatchObject({ title: "Risky", readOnly: false, destructive: true });
  expect(report?.warnings.join()).toContain("without a usable name was left out. (6 times)");
  expect(report?.warnings.join()).toContain('Tool "fine" is listed twice');
});

test("[K8-07] a million entries that are no tools, and descriptions without end, leave little behind", async () => {
  const { purser, pages } = await listing((_, count) => ({
    tools: Array.from({ length: 6_000 }, (__, at) =>
      count === 1 && at < 3
        ? tool(`t${at}`, { description: "d".repeat(50_000), outputSchema: { description: "o".repeat(100_000) } })
        : at,
    ),
    nextCursor: `p${count}`,
  }));
  // The second page adds nothing, so there is no third.
  expect(pages()).toHaveLength(2);
  const report = await purser.until("s", ({ tools }) => tools.length === 3);
  expect(report.tools[0]?.description).toHaveLength(200);
  expect(purser.connections.tool("s", "t0")?.description).toHaveLength(4_000);
  expect(report.warnings.length).toBeLessThan(5);
});

test("[K8-01] a cursor too long to be one is not followed", async () => {
  const { purser, pages } = await listing((_, count) => ({
    tools: [tool(`t${count}`)],
    nextCursor: `${count}${"c".repeat(100_000)}`,
  }));
  expect(pages()).toEqual([undefined]);
  expect(purser.report("s")?.warnings.join()).toContain("too long to ask for");
});

test("[K8-08] an address in $ref is never fetched", async () => {
  const seen: string[] = [];
  const outputSchema = { type: "object", properties: { a: { $ref: "" } } };
  const { server, purser } = await listing(() => ({
    tools: [tool("ask", { inputSchema: outputSchema, outputSchema })],
  }));
  outputSchema.properties.a.$ref = `${server.url}/schema.json`;
  server.onHttp = (request) => {
    seen.push(request.url ?? "");
    return false;
  };
  purser.connections.open({ name: "s", url: server.url, headers: {}, declareSampling: false });
  await purser.until("s", (report) => report.state.state === "connected" && !report.samplingDeclared);
  server.onCall = ({ id }, reply) =>
    reply.send({ jsonrpc: "2.0", id, result: { content: [], structuredContent: { a: 1 } } });
  expect(await purser.call("ask")).toMatchObject({
    kind: "result",
    structured: { a: 1 },
    warnings: [expect.stringContaining("not checked")],
  });
  expect(seen.filter((path) => path.includes("schema.json"))).toEqual([]);
});

test("[K8-03] a storm of changes is read a few times, and the last change is not lost", async () => {
  const { server, purser, pages } = await listing((_, count) => ({ tools: [tool(`v${count}`)] }));
  const standing = await eventually(() => server.standing);
  for (let at = 0; at < 200; at += 1) standing.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await purser.until("s", ({ tools }) => tools[0]?.name === "v2");
  expect(pages().length).toBe(2);
  standing.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await purser.until("s", ({ tools }) => tools[0]?.name === "v3");
});

test("a list that cannot be read leaves a connection that says so", async () => {
  const { purser } = await listing(() => "no list");
  expect(purser.report("s")).toMatchObject({ state: { state: "connected" }, tools: [] });
});

test("[K8-02] a page that cannot be read ends the list, and what came before it is kept", async () => {
  const { purser } = await listing((cursor) =>
    cursor === undefined ? { tools: [tool("kept")], nextCursor: "2" } : { tools: [tool("x".repeat(5 * 1024 * 1024))] },
  );
  const { tools } = await purser.until("s", ({ warnings }) => warnings.join().includes("Page 2"));
  expect(tools.map((one) => one.name)).toEqual(["kept"]);
});

test("what a server says of itself is cut to a length", async () => {
  const server = await rawHttp();
  server.onOther = (message, reply) => {
    if (message.method !== "initialize") return false;
    const serverInfo = { name: "n".repeat(10_000), version: "v".repeat(10_000) };
    const capabilities = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`c${at}`, {}]));
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { experimental: capabilities },
      serverInfo,
      instructions: "i".repeat(100_000),
    };
    reply.send({ jsonrpc: "2.0", id: message.id, result });
    return true;
  };
  const purser = createRig();
  open.push(purser, server);
  const report = await purser.open(server.url);
  expect(report.claimedName).toHaveLength(200);
  expect(report.claimedVersion).toHaveLength(200);
  expect(report.instructions).toHaveLength(8_000);
  expect(report.protocol).toBe("2025-06-18");
});

test("a tool's name is spelled out and quoted in warnings, and kept as it is in the list", async () => {
  const name = "pay\u202Elog\u200B\n";
  const { purser } = await listing(() => ({ tools: [tool(name, { inputSchema: "none" })] }));
  const { warnings } = await purser.until("s", (report) => report.warnings.length > 0);
  expect(warnings).toEqual([
    'The form of tool "pay\\u{202E}log\\u{200B}\\u{A}" is not shown: its schema is no object.',
  ]);
  expect(names(purser)).toEqual([name]);
});
