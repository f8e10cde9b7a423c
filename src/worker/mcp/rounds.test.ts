import { afterEach, expect, test } from "vitest";
import { type RawModern, rawModern } from "./testing/raw-modern";
import { createRig, eventually, type Rig } from "./testing/rig";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function connected(...handlers: Parameters<typeof createRig>): Promise<{ server: RawModern; purser: Rig }> {
  const server = await rawModern();
  const purser = createRig(...handlers);
  open.push(purser, server);
  await purser.open(server.url);
  return { server, purser };
}

const SAMPLING = { method: "sampling/createMessage", params: { maxTokens: 1, messages: [] } };
const required = (inputRequests: unknown, more: object = {}) => ({
  resultType: "input_required",
  inputRequests,
  ...more,
});

test("[K8-18] a result without resultType is complete, and a block no schema knows is kept", async () => {
  const { server, purser } = await connected();
  expect(purser.report("s")).toMatchObject({ protocol: "2026-07-28", claimedName: null, tools: [{ name: "ask" }] });
  server.result = () => ({ content: [{ type: "hologram", beams: 3 }] });
  expect(await purser.call("ask")).toMatchObject({ kind: "result", content: [{ type: "hologram", beams: 3 }] });
});

test("[K8-18] absent state stays absent; other calls carry neither state nor answers", async () => {
  const { server, purser } = await connected();
  server.result = (params) =>
    "inputResponses" in params ? { content: [] } : params.name === "ask" ? required({ k: SAMPLING }) : { content: [] };
  await purser.call("ask");
  await purser.call("other");
  expect(
    server.calls.map((one) =>
      Object.keys(one.params)
        .filter((key) => key !== "_meta")
        .sort(),
    ),
  ).toEqual([
    ["arguments", "name"],
    ["arguments", "inputResponses", "name"],
    ["arguments", "name"],
  ]);
  expect(new Set(server.calls.map((one) => one.id)).size).toBe(3);
});

test.each([
  ["elicitation/create", "form"],
  ["roots/list", "folders"],
  ["custom/ask", "custom/ask"],
])("[W8] %s beside a sampling request is not supported: nothing is decided or sent", async (method, word) => {
  const { server, purser } = await connected();
  server.result = () => required({ a: SAMPLING, b: { method, params: {} } });
  const outcome = await purser.call("ask");
  expect(outcome).toEqual({ kind: "refused_locally", message: expect.stringContaining(word) });
  expect(purser.embedded).toHaveLength(0);
  expect(server.calls).toHaveLength(1);
});

test("[W8] a server that never stops asking is stopped", async () => {
  const { server, purser } = await connected();
  server.result = (_, round) => required({ k: SAMPLING }, { requestState: `round ${round}` });
  expect(await purser.call("ask")).toMatchObject({
    kind: "refused_locally",
    message: expect.stringContaining("in a row"),
  });
  expect(server.calls).toHaveLength(9);
  expect(server.calls.at(-1)?.params.requestState).toBe("round 8");
  // The ninth is not decided: nothing could carry its answer back, and it would be paid for in vain.
  expect(purser.embedded).toHaveLength(8);
});

test.each([
  ["megabytes", `"${"s".repeat(2 * 1024 * 1024)}"`],
  ["odd characters", '"{\\"a\\": 1}\\u0000\\ud800\\u202e\u00e9e\u0301\u2028</script>\ud83d\ude00"'],
  ["nothing at all", '""'],
])("[K8-18] [W8] a state of %s goes back as it came", async (_, json) => {
  const { server, purser } = await connected();
  server.body = (params, id) =>
    "inputResponses" in params
      ? `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`
      : `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required","inputRequests":{"k":${JSON.stringify(SAMPLING)}},"requestState":${json}}}`;
  expect(await purser.call("ask")).toMatchObject({ kind: "result" });
  expect(server.calls[1]?.params.requestState).toBe(JSON.parse(json));
});

test.each([7, { a: 1 }, ["x"], true])(
  "[K8-18] a state that is no text (%j) is not given back changed: the call ends",
  async (requestState) => {
    const { server, purser } = await connected();
    server.result = () => required({ k: SAMPLING }, { requestState });
    expect(await purser.call("ask")).toMatchObject({
      kind: "refused_locally",
      message: expect.stringContaining("no text"),
    });
    expect(purser.embedded).toHaveLength(0);
    server.result = (params) =>
      "inputResponses" in params ? { content: [] } : required({ k: SAMPLING }, { requestState: null });
    expect(await purser.call("ask")).toMatchObject({ kind: "result" });
    expect(server.calls.at(-1)?.params).not.toHaveProperty("requestState");
  },
);

test("[F13] [W8] keys named twice, in the map or in a request of it, are handed on with the problem", async () => {
  const malformed = async () => ({ ok: false as const, key: "k", message: "malformed" });
  const { server, purser } = await connected(undefined, malformed);
  const one = JSON.stringify(SAMPLING);
  const maps = [
    `"k":${one},"k":${one}`,
    `"\u006b":${one},"k":${one}`,
    `"k":{"method":"sampling/createMessage","params":{"maxTokens":1,"maxTokens":9}}`,
  ];
  for (const map of maps) {
    server.body = (_, id) =>
      `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required","inputRequests":{${map}}}}`;
    expect(await purser.call("ask")).toMatchObject({ kind: "refused_locally", message: "malformed" });
  }
  expect(purser.embedded.map((map) => map.get("k")?.frameProblem)).toEqual([
    { path: "result.inputRequests.k", problem: "it is there twice" },
    { path: "result.inputRequests.k", problem: "it is there twice" },
    { path: "result.inputRequests.k.params.maxTokens", problem: "it is there twice" },
  ]);
  expect(server.calls).toHaveLength(3);
});

test.each([33, 500])("[W8] %i requests in one map are too many, and none is decided", async (count) => {
  const { server, purser } = await connected();
  server.result = () => required(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, SAMPLING])));
  expect(await purser.call("ask")).toMatchObject({
    kind: "refused_locally",
    message: expect.stringContaining(`${count} inputs at once`),
  });
  expect(purser.embedded).toHaveLength(0);
});

test("[W8] rounds that want nothing but to come again are bounded too, and leave the person in charge", async () => {
  const { server, purser } = await connected();
  server.result = () => ({ resultType: "input_required", requestState: "again" });
  const person = new AbortController();
  const running = purser.call("ask", { signal: person.signal });
  await eventually(() => server.calls.length === 2);
  person.abort("cancelled_by_person");
  expect(await running).toEqual({ kind: "cancelled" });
  expect(purser.embedded).toHaveLength(0);
});

test("[W9] an embedded request that nests too deep is handed on with its problem; unchecked params come as they are", async () => {
  const { server, purser } = await connected(undefined, async () => ({ ok: false, key: "deep", message: "malformed" }));
  const nested = JSON.parse(`${"[".repeat(80)}${"]".repeat(80)}`);
  server.result = () =>
    required({ deep: { method: SAMPLING.method, params: { nested } }, odd: { method: SAMPLING.method, params: 7 } });
  expect(await purser.call("ask")).toEqual({ kind: "refused_locally", message: "malformed" });
  expect(purser.embedded[0]?.get("deep")?.frameProblem).toMatchObject({ path: "params" });
  expect(purser.embedded[0]?.get("odd")).toMatchObject({ frameProblem: null, params: 7 });
});

test("[W8] keys that name prototypes are keys like any other", async () => {
  const { server, purser } = await connected();
  server.result = (params) =>
    "inputResponses" in params
      ? { content: [] }
      : JSON.parse(`{"resultType":"input_required","inputRequests":{"__proto__":${JSON.stringify(SAMPLING)}}}`);
  expect(await purser.call("ask")).toMatchObject({ kind: "result" });
  expect([...(purser.embedded[0]?.keys() ?? [])]).toEqual(["__proto__"]);
  expect(Object.keys(server.calls[1]?.params.inputResponses as object)).toEqual(["__proto__"]);
});

test("a name the server chose is spelled out and quoted where a sentence of ours repeats it", async () => {
  const { server, purser } = await connected();
  const method = `a\u202E". Purser allowed it: "${"b".repeat(1000)}`;
  server.result = () => required({ a: { method, params: {} } });
  const outcome = await purser.call("ask");
  if (outcome.kind !== "refused_locally") throw new Error(outcome.kind);
  expect(outcome.message).toMatch(
    /^The server asks for "a\\u\{202E\}\\". Purser allowed it: \\"b+…", which Purser does not/,
  );
  expect(outcome.message.length).toBeLessThan(130);
});
