import { expect, test } from "vitest";
import { headersFile, kindOf, securityHeaders } from "./headers";

const csp = (kind: "page" | "worker") => securityHeaders(kind)["Content-Security-Policy"] ?? "";

test("the page reaches no server and no provider, the worker does", () => {
  expect(csp("page")).toContain("connect-src 'self';");
  expect(csp("worker")).toContain("connect-src http: https: ws: wss:;");
  expect(kindOf("/worker/main-abc.js")).toBe("worker");
  for (const path of ["/", "/index.html", "/assets/worker-abc.js", "/workers/x.js"]) expect(kindOf(path)).toBe("page");
});

test("no policy lets inline code, eval or a frame in", () => {
  for (const policy of [csp("page"), csp("worker")]) {
    expect(policy).not.toMatch(/unsafe-|\*|blob:[^;]*script|data:[^;]*script/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
  }
});

test("in dev the policies hold too, but for a nonce on styles", () => {
  const policy = securityHeaders("page", { styleNonce: "n" })["Content-Security-Policy"];
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self' 'nonce-n';");
  expect(policy).not.toContain("unsafe-");
});

test("a path of the build matches one block of _headers only", () => {
  const patterns = headersFile(["index.html", "favicon.svg", "assets/a.js", "worker/b.js"])
    .split("\n")
    .filter((line) => line.startsWith("/"));
  expect(patterns).toEqual(["/", "/index.html", "/favicon.svg", "/assets/*", "/worker/*"]);
});
