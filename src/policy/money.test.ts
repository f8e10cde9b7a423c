import { expect, test } from "vitest";
import cases from "./cases/words/dollars.json";
import { dollars, dollarsApart, usdOf, wholeUp } from "./money";

test.each(cases)("[M1] $micros µ$ reads $text", ({ micros, text }) => {
  expect(dollars(micros)).toBe(text);
});

test("[M1] no amount at all is not shown as one", () => {
  expect(dollars(Number.NaN)).toBe("$?");
});

test("[M1] amounts that differ never read alike beside each other", () => {
  expect(dollarsApart(2_910, 2_940)).toEqual(["$0.00291", "$0.00294"]);
  expect(dollarsApart(2_940, 3_120)).toEqual(["$0.0029", "$0.0031"]);
  expect(dollarsApart(5_000_001, 5_000_002)).toEqual(["$5.000001", "$5.000002"]);
  expect(dollarsApart(800, 800)).toEqual(["$0.0008", "$0.0008"]);
});

test("[W] dollars on the wire are plain numbers", () => {
  expect(usdOf(19_200)).toBe(0.0192);
});

test("[M1] what is no whole number in reach becomes the nearest one up", () => {
  expect([0.1, -3, Number.NaN, 1e300].map(wholeUp)).toEqual([1, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
});
