/** A list of tools made to hurt: the page stays usable, nothing is fetched, and each tool can still be called. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "../fixtures";
import { type Message, type Raw, serveRaw } from "../servers/raw";
import { absurdTools, fillers, UNUSABLE } from "./absurd-tools";
import { longTasks, watchLongTasks } from "./long-tasks";

const SERVER = "bazaar";
const ARGUMENTS = { any: ["thing", { at: "all" }] };

async function trap(): Promise<{ url: string; hits: string[]; close(): void }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, hits, close: () => void server.close() };
}

function calledWith(raw: Raw): readonly Message["params"][] {
  return raw.received.filter(({ method }) => method === "tools/call").map(({ params }) => params);
}

test("[K8-03] [K8-07] [K8-08] a thousand absurd tools, listed anew whenever they are read: each opens and runs", async ({
  purser,
}, info) => {
  test.setTimeout(180_000);
  const away = await trap();
  const raw = await serveRaw();
  const hostile = absurdTools(away.url);
  raw.list = ({ cursor }, stream) => {
    // A feedback loop: every reading of the list is answered with news of a change.
    stream.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    if (cursor === undefined) return { tools: [...hostile, ...UNUSABLE], nextCursor: "" };
    // 990 of these take the list over its bound; page 2 is in pieces, since a frame is 4 MiB at most.
    const at = cursor === "" ? 0 : Number(cursor);
    return { tools: fillers(990).slice(at, at + 250), nextCursor: at + 250 < 990 ? String(at + 250) : "more" };
  };
  await watchLongTasks(purser.page);
  await purser.connectTo({ name: SERVER, url: raw.url });
  await purser.go(`/servers/${SERVER}`);
  const details = purser.page.getByRole("complementary", { name: "Details" });
  const tools = details.getByRole("listitem").filter({ has: purser.page.getByRole("link") });
  await expect(details.getByRole("textbox", { name: "Find among 1,000 tools" })).toBeVisible();
  expect(await tools.count(), "tools drawn at once").toBe(50);
  await details.getByRole("button", { name: "Show 50 more of 950 tools" }).click();
  await expect(tools).toHaveCount(100);
  await details.getByRole("textbox", { name: "Find among 1,000 tools" }).fill("pay");
  await expect(tools).toHaveCount(1);
  await expect(tools).toContainText("payU+202Elog");

  for (const { name } of hostile) {
    await test.step(`calls ${JSON.stringify(name)}`, async () => {
      await purser.go(`/servers/${SERVER}/tools/${name === ".." ? "~.." : encodeURIComponent(name)}`);
      const form = purser.page.getByRole("form", { name: /^Run / });
      await expect(form, `the form of ${JSON.stringify(name)}`).toBeVisible();
      const written = form.getByRole("textbox", { name: "Arguments (JSON)" });
      if (!(await written.isVisible())) await form.getByRole("button", { name: "Raw JSON" }).click();
      else await expect(form).toContainText("No form can be shown");
      await written.fill(JSON.stringify(ARGUMENTS));
      const before = calledWith(raw).length;
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await expect.poll(() => calledWith(raw).length).toBe(before + 1);
      expect(calledWith(raw).at(-1)).toMatchObject({ name, arguments: ARGUMENTS });
      await expect(form).toBeHidden();
    });
  }

  await purser.go(`/servers/${SERVER}`);
  const warnings = details.getByRole("list", { name: "Warnings" });
  await expect(warnings).toContainText("keeps saying that its tools changed", { timeout: 30_000 });
  await expect(warnings).toContainText("without a usable name was left out");
  await expect(warnings).toContainText('Tool "self" is listed twice');
  await expect(warnings).toContainText("more than 1000 tools");
  const lists = raw.received.filter(({ method, params }) => method === "tools/list" && params?.cursor === undefined);
  expect(lists.length, "readings of the list").toBeLessThan(12);
  expect(away.hits, "what was fetched from the trap").toEqual([]);
  await expect(purser.page.getByRole("alertdialog")).toHaveCount(0);
  info.annotations.push({ type: "long tasks", description: JSON.stringify(await longTasks(purser.page)) });
  await raw.close();
  away.close();
});
