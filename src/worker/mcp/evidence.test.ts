import { expect, test } from "vitest";
import { noEvidence, troubleOf } from "./evidence";
import { spaceHint } from "./local-network";

const network = { ...noEvidence(), last: { kind: "network" } as const };
const redirect = (location: string | null) => ({ ...noEvidence(), last: { kind: "redirect", location } as const });

test("[K3-10] a redirect that leads down to http is explained with the https address to try", () => {
  const { problem, hint, passing } = troubleOf(
    redirect("http://host.example/mcp/"),
    "https://host.example/mcp",
    null,
    false,
  );
  expect(problem).toContain("host.example redirects");
  expect(hint).toContain("https://host.example/mcp/");
  expect(passing).toBe(false);
});

test("[K3-12] where the browser hides the target, the words do not pretend to know it", () => {
  const { hint } = troubleOf(redirect(null), "https://host.example/mcp/", null, true);
  expect(hint).toContain("does not show the target");
  expect(hint).toContain("https://host.example/mcp.");
});

test("[K3-22] a public page and a server on the local network: the browser's permission comes first", () => {
  const { hint } = troubleOf(network, "http://127.0.0.1:5700/mcp", "https://app.example/", false);
  expect(hint).toMatch(/^The browser may be waiting for your permission/);
  expect(troubleOf(network, "http://127.0.0.1:5700/mcp", "http://localhost:8080/", false).hint).not.toContain(
    "permission",
  );
});

test("a secure page may not call a plain address elsewhere", () => {
  for (const url of ["http://host.example/mcp", "ws://host.example/mcp"]) {
    const { problem, passing } = troubleOf(network, url, "https://app.example/", false);
    expect(problem).toContain("The browser blocks host.example");
    expect(passing).toBe(false);
  }
});

test("[K3-05] [K3-13] a failure a browser does not explain lists its likely causes, sign-in on OPTIONS among them", () => {
  const { hint, passing } = troubleOf(network, "https://host.example/mcp", "https://app.example/", true);
  expect(hint).toContain("CORS");
  expect(hint).toContain("OPTIONS");
  expect(hint).toContain("https://app.example");
  expect(passing).toBe(true);
});

test("[K3-22] a request to this machine or network says so, where the page is elsewhere", () => {
  const page = "https://app.example/";
  expect(spaceHint("http://127.0.0.1:5700/mcp", page)).toEqual({ targetAddressSpace: "loopback" });
  expect(spaceHint("http://192.168.1.7/mcp", page)).toEqual({ targetAddressSpace: "local" });
  expect(spaceHint("http://printer.local/mcp", page)).toEqual({ targetAddressSpace: "local" });
  expect(spaceHint("https://host.example/mcp", page)).toEqual({});
  expect(spaceHint("http://127.0.0.1:5700/mcp", "http://localhost:8080/")).toEqual({});
  expect(spaceHint("http://127.0.0.1:5700/mcp", null)).toEqual({});
  // Whether a secure page may call a plain address there is for the person to say, so it is not told to be impossible.
  expect(troubleOf(network, "http://192.168.1.7/mcp", page, false).hint).toMatch(/^The browser may be waiting/);
});

test("[K3-31] a wildcard that does not cover the sign-in header is named", () => {
  const { hint } = troubleOf(network, "https://host.example/mcp", "https://app.example/", true);
  expect(hint).toContain("by name (* does not cover authorization in every browser)");
});
