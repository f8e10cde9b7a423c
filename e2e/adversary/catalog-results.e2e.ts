/** Results made to hurt: each is shown as what it is, and nothing in it reaches anybody else. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "../fixtures";
import { policyText } from "../policy-text";
import { type Message, type Raw, type Stream, serveRaw } from "../servers/raw";

const SERVER = "oracle";
const OUTPUT = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };

async function trap(): Promise<{ url: string; hits: string[]; close(): void }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits, close: () => void server.close() };
}

const text = (said: string) => ({ content: [{ type: "text", text: said }] });

test("[F38] [K8-10] [K8-12] [K8-20] [K8-23] results made to hurt are shown as what they are, and fetch nothing", async ({
  purser,
}) => {
  test.setTimeout(120_000);
  const away = await trap();
  const raw: Raw = await serveRaw();
  raw.list = () => ({ tools: [{ name: "ask", inputSchema: { type: "object" }, outputSchema: OUTPUT }] });
  await purser.connectTo({ name: SERVER, url: raw.url });
  const answered = async (result: unknown, state: RegExp) => {
    raw.call = (_, stream) => stream.result(result);
    const run = await purser.runTool(SERVER, "ask");
    await run.waitEnded(state);
    return run.card;
  };

  const err = { isError: true, structuredContent: { err: "NOT_FOUND" }, ...text("not found") };
  const failed = await answered(err, /failed/);
  await expect(failed).toContainText("not found");
  await expect(failed).not.toContainText("does not fit");
  const odd = await answered({ ...text("kept"), structuredContent: { id: "x" } }, /done/);
  await expect(odd).toContainText("kept");
  await expect(odd).toContainText("does not fit the tool's own output schema");
  const unknown = await answered(
    { content: [{ type: "error", text: "account locked" }, ...text("see above").content] },
    /done/,
  );
  await expect(unknown).toContainText("account locked");
  await expect(unknown).toContainText("see above");
  await expect(await answered(text("node error: unknown tool foo"), /done/)).toContainText("unknown tool foo");
  await expect(await answered("no object", /failed/)).toContainText("not a tool result");
  await expect(await answered(text("x".repeat(4 * 1024 * 1024 - 200)), /done/)).toContainText("was cut to 524288");

  const markdown = [
    `![image](${away.url}/image.png) [link](${away.url}/link) ![reference][r]`,
    `<img src="${away.url}/tag"> <link rel=prefetch href="${away.url}/prefetch">`,
    `\n[r]: ${away.url}/reference.png\n\n# **Look**`,
  ].join("\n");
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${away.url}/svg"/></svg>`).toString(
    "base64",
  );
  const lured = await answered(
    {
      content: [
        { type: "text", text: markdown },
        { type: "image", mimeType: "image/svg+xml", data: svg },
        { type: "image", mimeType: "image/png", data: svg },
        {
          type: "resource_link",
          uri: `${away.url}/resource`,
          name: "a resource",
          icons: [{ src: `${away.url}/icon` }],
        },
        { type: "resource_link", uri: "javascript:fetch('/')", name: "a script" },
        { type: "resource", resource: { uri: `${away.url}/embedded`, mimeType: "text/html", text: markdown } },
      ],
    },
    /done/,
  );
  const plain = lured.getByRole("button", { name: "Formatted" });
  while ((await plain.count()) > 0) await plain.first().click();
  await expect(lured.getByRole("button", { name: "Plain text" }).first()).toBeVisible();
  await expect(lured.getByRole("link", { name: "a script" })).toHaveCount(0);
  expect(away.hits, "what was fetched from the trap").toEqual([]);

  let late: Stream | null = null;
  raw.call = (_, stream) => {
    late = stream;
  };
  const given = await purser.runTool(SERVER, "ask");
  await expect.poll(() => late !== null).toBe(true);
  await given.cancel();
  await given.waitEnded(/cancelled/);
  (late as Stream | null)?.result(text("done after all"));
  await expect(given.card).toContainText("finished this call after it was given up");
  await raw.close();
  away.close();
});

const sampling = (params: unknown) => ({ method: "sampling/createMessage", params });
const asks = (said: string) =>
  sampling({ messages: [{ role: "user", content: { type: "text", text: said } }], maxTokens: 5 });

test("[W8] [W9] [F13] [F36] [K8-18] what is embedded in a result: malformed refuses the call, an endless one is ended, its state goes back as it came", async ({
  purser,
}) => {
  test.setTimeout(120_000);
  const raw = await serveRaw();
  raw.modern = true;
  await purser.connectTo({ name: SERVER, url: raw.url });
  await purser.loadPolicyFile(policyText({ [SERVER]: {} }));
  await purser.go("/");
  await purser.waitForState(SERVER, "connected");
  const calls = () => raw.received.filter(({ method }) => method === "tools/call");

  const good = JSON.stringify(asks("hello"));
  const twice = '"params":{"maxTokens":1,"maxTokens":9,"messages":[]}';
  const malformed: readonly (readonly [string, string])[] = [
    [`"k":${JSON.stringify(sampling({ messages: [], maxTokens: 5 }))}`, "messages: no messages"],
    [`"k":${good},"odd":{"method":"sampling/createMessage","params":{"maxTokens":1e999}}`, "maxTokens"],
    [`"k":${good},"k":${good}`, "inputRequests.k: it is there twice"],
    [`"k":{"method":"sampling/createMessage",${twice}}`, "maxTokens: it is there twice"],
    [
      `"k":${good},"deep":{"method":"sampling/createMessage","params":${"[".repeat(100)}${"]".repeat(100)}}`,
      "64 levels",
    ],
  ];
  for (const [map, words] of malformed) {
    raw.call = ({ id }: Message, stream) => {
      stream.send(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"input_required","inputRequests":{${map}}}}`,
      );
      stream.end();
    };
    const before = calls().length;
    const run = await purser.runTool(SERVER, "ask");
    await run.waitEnded(/refused/);
    await expect(run.card, map.slice(0, 80)).toContainText(words);
    expect(calls().length, "the call was not repeated").toBe(before + 1);
    await expect(purser.page.getByRole("alertdialog")).toHaveCount(0);
  }

  const state = `{"a": 1}\u0000\ud800\u202e${"s".repeat(100_000)}`;
  raw.call = (_, stream) =>
    stream.result({ resultType: "input_required", inputRequests: { k: asks("again") }, requestState: state });
  const before = calls().length;
  const endless = await purser.runTool(SERVER, "ask");
  await purser.answerConsent(SERVER, "allow_session");
  await endless.waitEnded(/refused/);
  await expect(endless.card).toContainText("asked for more input 9 times in a row");
  expect(calls().length - before).toBe(9);
  expect(
    calls()
      .slice(before + 1)
      .every(({ params }) => params?.requestState === state),
    "the state as it came",
  ).toBe(true);
  // Eight answers went back and were paid for; the ninth request was not decided.
  await expect(endless.steps()).toHaveCount(8);
  await raw.close();
});
