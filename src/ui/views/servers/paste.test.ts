import { expect, test } from "vitest";
import { nameFor, readHeaderLine, readPasted } from "./paste";

test("a pasted URL suggests a name", () => {
  expect(readPasted(" https://mcp.example.com/mcp ")).toEqual({
    name: "example",
    url: "https://mcp.example.com/mcp",
    headers: [],
  });
  expect(nameFor("http://127.0.0.1:4001/mcp")).toBe("local-4001");
  expect(nameFor("ws://localhost/mcp")).toBe("local");
});

test("a pasted client configuration fills name, URL and headers, with or without its outer braces", () => {
  const wanted = {
    name: "wiki",
    url: "https://wiki.example/mcp",
    headers: [{ name: "Authorization", value: "Bearer x" }],
  };
  const inner = '{"type":"http","url":"https://wiki.example/mcp","headers":{"Authorization":"Bearer x"}}';
  expect(readPasted(`{"mcpServers":{"wiki":${inner}}}`)).toEqual(wanted);
  expect(readPasted(`"wiki": ${inner}`)).toEqual(wanted);
});

test("anything else is left as typed", () => {
  for (const text of ["ci-triage", "example.com/mcp", "{", "{}", '{"a":1}', '"x"']) expect(readPasted(text)).toBeNull();
});

test("a pasted header line is split", () => {
  expect(readHeaderLine("Authorization: Bearer a:b")).toEqual({ name: "Authorization", value: "Bearer a:b" });
  expect(readHeaderLine("X-Api-Key")).toBeNull();
});
