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

test("[K3] [F37] letters of another script inside a Latin word are told; a word of its own script is not", () => {
  expect(spelledOut("p\u0430ypal-wiki")).toBe("p\u0430⟨U+0430⟩ypal-wiki");
  expect(spelledOut("m\u0443-server")).toBe("m\u0443⟨U+0443⟩-server");
  expect(spelledOut("\u0410\u0420I")).toBe("\u0410\u0420⟨U+0410 U+0420⟩I");
  for (const text of ["сервер раз", "10 μm, 4 kΩ, TNFα", "Ελλάδα", "IT-отдел"]) expect(spelledOut(text)).toBe(text);
});

test("[K3] [F37] marks piled on one letter are one mark, and what languages pile is shown", () => {
  expect(piecesOf(`Z${"\u0301\u0316".repeat(20)}!`)).toEqual([
    { kind: "text", text: "Z\u0301\u0316\u0301\u0316" },
    { kind: "hidden", code: 0x301, name: "combining marks piled on one letter", times: 36 },
    { kind: "text", text: "!" },
  ]);
  for (const text of ["Việt".normalize("NFD"), "שָׁ֑לוֹם", "བསྒྲུབས", "กำลัง"]) expect(spelledOut(text)).toBe(text);
});

test("[K3] tag characters, isolates, selectors and escape sequences are visible (K7-07)", () => {
  expect(spelledOut("\u{E0041}\u{E007F}")).toBe("⟨U+E0041⟩⟨U+E007F⟩");
  expect(spelledOut("\u2066a\u2069\u{E0100}\u180B")).toBe("⟨U+2066⟩a⟨U+2069⟩⟨U+E0100⟩⟨U+180B⟩");
  expect(spelledOut("\u001b[2Kgone\u0007\u000b")).toBe("⟨U+001B⟩[2Kgone⟨U+0007⟩⟨U+000B⟩");
});

test("[K3] a run of one hidden character is one mark", () => {
  expect(piecesOf(`a${"\u200B".repeat(500)}b`)).toEqual([
    { kind: "text", text: "a" },
    { kind: "hidden", code: 0x200b, name: "zero width space", times: 500 },
    { kind: "text", text: "b" },
  ]);
});
