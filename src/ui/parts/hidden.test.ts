import { expect, test } from "vitest";
import { piecesOf, spelledOut } from "./hidden";

test("[K3] direction-changing, zero-width, control and tag characters become visible", () => {
  expect(spelledOut("pay\u202Eevil")).toBe("pay⟨U+202E⟩evil");
  expect(spelledOut("a\u200Bb\u2066c\u0000d\u{E0041}e")).toBe("a⟨U+200B⟩b⟨U+2066⟩c⟨U+0000⟩d⟨U+E0041⟩e");
  expect(spelledOut("x\uD800y")).toBe("x⟨U+D800⟩y");
  expect(spelledOut("x\uFE0Fy")).toBe("x⟨U+FE0F⟩y");
});

test("[K3] a carriage return alone is marked, with its line feed it is layout", () => {
  expect(spelledOut("safe\rbad")).toBe("safe⟨U+000D⟩bad");
  expect(spelledOut("one\r\ntwo\tthree")).toBe("one\r\ntwo\tthree");
});

test("[K3] ordinary writing in any script passes unchanged", () => {
  for (const text of ["", "naïve café", "שלום עולם", "日本語", "👩‍💻 ❤️ 👍🏽", "1\ufe0f\u20e3"])
    expect(spelledOut(text)).toBe(text);
});

test("[K3] a run of one hidden character is one mark", () => {
  expect(piecesOf(`a${"\u200B".repeat(500)}b`)).toEqual([
    { kind: "text", text: "a" },
    { kind: "hidden", code: 0x200b, name: "zero width space", times: 500 },
    { kind: "text", text: "b" },
  ]);
});
