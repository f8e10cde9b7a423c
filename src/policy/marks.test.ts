import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { hasLongMarkRun } from "./marks";

const MARKS = ["\u0301", "\u0941", "\ufe0f", "\u{1d165}", "\u{e0100}"];

test("[F18] [I4] 31 marks in a row are found wherever they begin, and 30 never are", () => {
  for (const mark of MARKS) {
    for (let before = 0; before < 100; before += 1) {
      const start = "a".repeat(before);
      expect(hasLongMarkRun(`${start}${mark.repeat(31)}z`)).toBe(true);
      expect(hasLongMarkRun(`${start}${mark.repeat(30)}z${mark.repeat(30)}`)).toBe(false);
    }
  }
});

test("[I4] the quick look finds what a search for the run finds", () => {
  const parts = constantFrom("a", "漢", "\u2014", "😀", ...MARKS, ...MARKS.map((mark) => mark.repeat(10)));
  assert(
    property(array(parts, { maxLength: 30 }), (pieces) => {
      const text = pieces.join("");
      expect(hasLongMarkRun(text)).toBe(/\p{M}{31}/u.test(text));
    }),
    { seed: 31, numRuns: 2_000 },
  );
});

test("[I4] no mark is in the ranges that are passed over", () => {
  for (let unit = 0x300; unit <= 0xffff; unit += 1) {
    const character = String.fromCharCode(unit);
    if (/^\p{M}$/u.test(character)) expect(hasLongMarkRun(character.repeat(31))).toBe(true);
  }
});
