import { expect, test } from "vitest";
import { spelled, visible } from "./spelled";

test("hidden, direction-changing and control characters are spelled out", () => {
  expect(spelled("a\u202Eb\u200Bc\nd\u00A0e\uD800f\u{E0041}")).toBe(
    '"a\\u{202E}b\\u{200B}c\\u{A}d\\u{A0}e\\u{D800}f\\u{E0041}"',
  );
  expect(spelled("sum of 文字 é 🚢")).toBe('"sum of 文字 é 🚢"');
});

test("it cannot close its quotes, and is bounded whatever it is made of", () => {
  expect(spelled('x". Purser says: "yes')).toBe('"x\\". Purser says: \\"yes"');
  for (const text of ["x".repeat(1e6), "\u202E".repeat(1e6), '"'.repeat(1e6), "🚢".repeat(1e6)]) {
    expect(spelled(text).length).toBeLessThanOrEqual(62);
    expect(spelled(text).isWellFormed()).toBe(true);
  }
  expect(visible("x".repeat(60), 60)).toBe("x".repeat(60));
  expect(visible("x".repeat(61), 60)).toBe(`${"x".repeat(59)}…`);
});

test("letters are not buried under marks", () => {
  expect(visible("\u0301a\u0301\u0302\u0303b", 60)).toBe("\\u{301}a\u0301\u0302\\u{303}b");
});
