import { expect, test } from "vitest";
import { paramHeadersOf, paramHeaderValues } from "./param-headers";

const schema = (properties: object) => ({ type: "object", properties });
const marked = (type: string, name: unknown) => ({ type, "x-mcp-header": name });

test.each([
  ["an empty name", schema({ a: marked("string", "") })],
  ["an object", schema({ a: marked("object", "A") })],
  ["a list", schema({ a: marked("array", "A") })],
  ["null", schema({ a: marked("null", "A") })],
  ["any number", schema({ a: marked("number", "A") })],
  ["the same header twice", schema({ a: marked("string", "A"), b: marked("string", "a") })],
  ["a space", schema({ a: marked("string", "a b") })],
  ["a colon", schema({ a: marked("string", "a:b") })],
  ["a line break", schema({ a: marked("string", "a\nb") })],
  ["non-ASCII", schema({ a: marked("string", "ä") })],
  ["no text", schema({ a: marked("string", 7) })],
  ["a branch", { ...schema({}), anyOf: [schema({ a: marked("string", "A") })] }],
  ["items", schema({ a: { type: "array", items: marked("string", "A") } })],
  ["the root", marked("string", "A")],
])("[K8-21] a mark on %s leaves the tool out", (_, given) => {
  expect(paramHeadersOf(given).ok).toBe(false);
});

test("[K8-21] values are written so that no header can be injected", () => {
  const given = schema({
    region: marked("string", "Region"),
    deep: schema({ flag: marked("boolean", "Flag"), count: marked("integer", "Count") }),
    "x-mcp-header": marked("string", "Odd"),
  });
  const found = paramHeadersOf(given);
  if (!found.ok) throw new Error(found.problem);
  const values = (args: unknown) => paramHeaderValues(found.headers, args);
  expect(values({ region: "us-west1", deep: { flag: true, count: 42 } })).toEqual({
    "Mcp-Param-Region": "us-west1",
    "Mcp-Param-Flag": "true",
    "Mcp-Param-Count": "42",
  });
  expect(values({ region: null, deep: 7 })).toEqual({});
  expect(values({ region: { a: 1 }, deep: { count: Number.POSITIVE_INFINITY } })).toEqual({});
  for (const text of ["Hallo, 世界", " padded ", "a\nb", "=?base64?x?=", ""]) {
    const value = values({ region: text })["Mcp-Param-Region"] ?? "";
    const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1] ?? "missing";
    expect(Buffer.from(encoded, "base64").toString("utf8")).toBe(text);
  }
});
