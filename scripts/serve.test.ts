import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSite } from "./serve";

let root = "";
let site: Awaited<ReturnType<typeof startSite>>;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "purser-site-"));
  const folder = join(root, "dist");
  for (const name of ["assets", "worker"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(root, "secret.txt"), "secret");
  writeFileSync(join(folder, "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "_headers"), "x");
  writeFileSync(join(folder, "assets/page-1.js"), "1;".repeat(2000));
  writeFileSync(join(folder, "worker/main-1.js"), "1;");
  site = await startSite({ folder, port: 0, demo: { servers: [] } });
});

afterAll(async () => {
  await site.close();
  rmSync(root, { recursive: true, force: true });
});

/** `fetch` would tidy the path and refuse to set Host. */
function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(site.url);
    request({ hostname, port, path, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end();
  });
}

test("page and worker script carry their own policies", async () => {
  const page = await fetch(site.url);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toContain("connect-src 'self';");
  const worker = await fetch(`${site.url}worker/main-1.js`);
  expect(worker.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(worker.headers.get("content-security-policy")).toContain("connect-src http: https: ws: wss:;");
});

test("also an error carries the page's policy", async () => {
  const missing = await fetch(`${site.url}nothing`);
  expect(missing.status).toBe(404);
  expect(missing.headers.get("content-security-policy")).toContain("default-src 'none'");
});

test("long text is zipped and cached by its hashed name", async () => {
  const script = await fetch(`${site.url}assets/page-1.js`);
  expect(script.headers.get("content-encoding")).toBe("gzip");
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect(await script.text()).toHaveLength(4000);
});

test("demo.json is there where the demo servers are", async () => {
  expect(await (await fetch(`${site.url}demo.json`)).json()).toEqual({ servers: [] });
});

test.for(["/../secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt", "/%00", "/_headers", "/%E0%A4%A"])(
  "nothing outside the build is served: %s",
  async (path) => {
    const { status, text } = await get(path);
    expect(status).toBe(404);
    expect(text).not.toContain("secret");
  },
);

test("a request addressed to another host is refused", async () => {
  expect((await get("/", { host: "attacker.example" })).status).toBe(403);
  expect((await get("/", { host: "localhost:1" })).status).toBe(200);
});

test("a second site takes another port", async () => {
  const other = await startSite({ folder: join(root, "dist"), port: Number(new URL(site.url).port) });
  expect(other.url).not.toBe(site.url);
  expect((await fetch(`${other.url}demo.json`)).status).toBe(404);
  await other.close();
});
