/** Servers that a browser cannot use as they are, all in one tab: each is told apart in words the person can act on. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "../fixtures";
import type { Purser, ServerInput } from "../purser";
import { CORS, type Raw, serveRaw } from "../servers/raw";

const HIDDEN = { ...CORS, "Access-Control-Expose-Headers": "" };

type OnHttp = (request: IncomingMessage, response: ServerResponse, body: string) => boolean;

const isPost: OnHttp = ({ method }) => method === "POST";

/** Answers every request of `method` with `status` and `headers`, CORS left out where `bare`. */
function answering(method: string, status: number, headers: Record<string, string> = {}, bare = false): OnHttp {
  return (request, response) => {
    if (request.method !== method) return false;
    if (bare) for (const name of Object.keys(CORS)) response.removeHeader(name);
    response.writeHead(status, headers).end("<h1>Sign in</h1>");
    return true;
  };
}

async function words(purser: Purser, input: ServerInput): Promise<string> {
  await purser.addServer(input);
  await purser.waitForState(input.name, "failed");
  await purser.go(`/servers/${input.name}`);
  const details = purser.page.getByRole("complementary", { name: "Details" });
  await expect(details.getByRole("heading", { name: input.name })).toBeVisible();
  return (await details.getByRole("note").first().textContent()) ?? "";
}

test("[K3-01] [K3-10] [K3-11] [K3-12] [K3-13] servers a browser cannot use: why, and what to do", async ({
  purser,
}) => {
  test.setTimeout(120_000);
  const servers: Raw[] = [];
  const server = async (onHttp: OnHttp, headers: Raw["headers"] = CORS): Promise<Raw> => {
    const raw = await serveRaw();
    servers.push(raw);
    return Object.assign(raw, { onHttp, headers });
  };

  const session = await server((request, response, body) => {
    if (!isPost(request, response, body) || body.includes('"initialize"') || body.includes("server/discover"))
      return false;
    response.writeHead(400).end("Bad Request: Server not initialized");
    return true;
  }, HIDDEN);
  const hidden = await words(purser, { name: "hidden", url: session.url });
  expect(hidden).toContain("session id cannot be read from a browser");
  expect(hidden).toContain("Access-Control-Expose-Headers: Mcp-Session-Id");
  expect(session.received.filter(({ method }) => method === "initialize").length).toBeLessThanOrEqual(2);

  const below = await server(() => false);
  const slash = await server(answering("POST", 307, { Location: `${below.url}/` }));
  const moved = await words(purser, { name: "slash", url: slash.url });
  expect(moved).toContain("redirects this address");
  expect(moved).toContain(`try ${slash.url}/`);
  expect(below.requests, "followed").toEqual([]);

  const page = await server(answering("POST", 200, { "Content-Type": "text/html" }));
  const web = await words(purser, { name: "page", url: page.url });
  expect(web).toContain("answered with a web page instead of MCP");
  expect(web).toContain(`Try ${page.url}/`);
  expect(web).not.toContain("Sign in");
  const login = await server(answering("POST", 302, { Location: "/login" }));
  expect(await words(purser, { name: "login", url: login.url })).toContain(`try ${login.url}/`);

  const other = await server(() => false);
  const away = await server(answering("POST", 308, { Location: other.url }));
  const gone = await words(purser, { name: "away", url: away.url, headers: { "X-Api-Key": "secret" } });
  expect(gone).toContain("the browser does not show the target");
  expect(gone).not.toContain(other.url);
  expect(other.requests, "reached with a secret").toEqual([]);

  const guarded = await server(answering("OPTIONS", 401, {}, true));
  const preflight = await words(purser, { name: "guarded", url: guarded.url, headers: { Authorization: "Bearer x" } });
  expect(preflight).toContain("sign-in before it allows the browser's preflight (OPTIONS)");
  expect(guarded.received, "asked in spite of it").toEqual([]);
  expect(guarded.requests.length).toBeLessThanOrEqual(4);
  await Promise.all(servers.map((one) => one.close()));
});

test("[K3-05] [K3-06] [K3-24] a stream that is not there costs nothing but what it would have carried; one that dies ends its call", async ({
  purser,
}) => {
  const servers: Raw[] = [];
  for (const [name, onHttp] of [
    ["hides", answering("GET", 405, {}, true)],
    ["knows-none", answering("GET", 404)],
    ["odd", answering("GET", 406)],
  ] as const) {
    const raw = await serveRaw();
    raw.onHttp = onHttp;
    servers.push(raw);
    await purser.connectTo({ name, url: raw.url });
    const run = await purser.runTool(name, "ask");
    await run.waitEnded(/done/);
    await purser.go(`/servers/${name}`);
    const warnings = purser.page.getByRole("list", { name: "Warnings" });
    await expect(warnings).toContainText("no standing stream a browser can read; what it sends outside of a call");
    await expect(purser.server(name)).toContainText("connected");
  }
  const [raw] = servers;
  if (raw !== undefined) raw.call = (_, stream) => stream.cut();
  const dying = await purser.runTool("hides", "ask");
  await dying.waitEnded(/outcome unknown/);
  await expect(dying.card).toContainText("may or may not have run to its end");
  expect(
    raw?.received.filter(({ method }) => method === "tools/call"),
    "sent again by itself",
  ).toHaveLength(2);
  await Promise.all(servers.map((one) => one.close()));
});
