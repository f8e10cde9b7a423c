import { expect, test } from "vitest";
import { IMAGE_MAX_BYTES, openable, shownOf } from "./blocks";
import { piecesOf } from "./pieces";

test("raster pictures are shown, a picture that can carry markup is not", () => {
  expect(shownOf({ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }).kind).toBe("image");
  expect(shownOf({ type: "image", mimeType: "image/svg+xml", data: "PHN2Zz4=" }).kind).toBe("withheld");
  expect(shownOf({ type: "image", mimeType: "image/png", data: "x' onerror='y" }).kind).toBe("withheld");
});

test("a picture over the bound is described instead", () => {
  const data = "A".repeat(Math.ceil((IMAGE_MAX_BYTES * 4) / 3) + 8);
  expect(shownOf({ type: "image", mimeType: "image/png", data }).kind).toBe("withheld");
});

test("blocks of any shape have an answer", () => {
  for (const block of [{}, { type: 4 }, { type: "text" }, { type: "resource" }, { type: "resource", resource: null }])
    expect(shownOf(block).kind).toBe("unknown");
  expect(shownOf({ type: "resource", resource: { uri: "file:///a", text: "hello" } })).toMatchObject({ text: "hello" });
});

test("only plain web addresses can be opened", () => {
  expect(openable("https://ci.example/build/1")?.host).toBe("ci.example");
  for (const uri of [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/hosts",
    "https://bank.example@evil.example/",
    "x",
  ])
    expect(openable(uri)).toBeNull();
});

test("[K3] the pieces of a long prompt are the whole prompt", () => {
  for (const text of [
    "",
    "x".repeat(5000),
    "line\n".repeat(2000),
    "😀".repeat(3000),
    `${"y".repeat(999)}\n`.repeat(7),
  ]) {
    const pieces = piecesOf(text, 1000);
    expect(pieces.join("")).toBe(text);
    expect(Math.max(0, ...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(1000);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  }
});
