import { expect, test } from "vitest";
import { dollars, usdOf, wholeUp } from "./money";

test.each([
  [0, "$0.00"],
  [1, "$0.000001"],
  [800, "$0.0008"],
  [12_345, "$0.0123"],
  [19_200, "$0.0192"],
  [250_000, "$0.25"],
  [249_600, "$0.2496"],
  [456, "$0.000456"],
  [100_000, "$0.10"],
  [999_999, "$1.00"],
  [15_000_000, "$15.00"],
  [77_184_000, "$77.18"],
  [1_234_567_890, "$1,234.57"],
  [-19_200, "-$0.0192"],
  [Number.NaN, "$?"],
])("[M1] %i µ$ reads %s", (micros, text) => {
  expect(dollars(micros)).toBe(text);
});

test("[W] dollars on the wire are plain numbers", () => {
  expect(usdOf(19_200)).toBe(0.0192);
});

test("[M1] what is no whole number in reach becomes the nearest one up", () => {
  expect([0.1, -3, Number.NaN, 1e300].map(wholeUp)).toEqual([1, 0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
});
