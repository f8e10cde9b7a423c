import fc from "fast-check";
import { expect, test } from "vitest";
import { aPrice } from "./cases/given";
import type { Price, Usage } from "./catalog";
import { bought } from "./grant";
import { dollars } from "./money";
import { costMicros, estimateMicros } from "./price";

const steady = aPrice(3_000_000, 15_000_000);
/** Claude haiku 5.5: two bands at 100k prompt tokens. */
const banded: Price = {
  asOf: "2026-12-01",
  source: "table",
  bands: [
    {
      upToInputTokens: 100_000,
      inputMicros: 100_000,
      outputMicros: 500_000,
      cacheReadMicros: 10_000,
      cacheWriteMicros: 125_000,
    },
    {
      upToInputTokens: null,
      inputMicros: 500_000,
      outputMicros: 2_500_000,
      cacheReadMicros: 50_000,
      cacheWriteMicros: 625_000,
    },
  ],
};
const usage = (over: Partial<Usage>): Usage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  ...over,
});

test("[M1] the exact arithmetic of the example", () => {
  const one = estimateMicros(steady, 2_900, 700);
  expect(one).toBe(19_200);
  expect(costMicros(steady, usage({ inputTokens: 2_900, outputTokens: 700 }))).toBe(19_200);
  expect(4_020 * one).toBe(77_184_000);
  expect(dollars(4_020 * one)).toBe("$77.18");
  expect(dollars(one)).toBe("$0.0192");
  expect(bought(15_000_000, one)).toBe(781);
  expect(bought(5_000_000, one)).toBe(260);
});

test("[M2] a fraction of a micro-dollar counts whole, once for the sum", () => {
  expect(estimateMicros(banded, 1, 0)).toBe(1);
  expect(estimateMicros(banded, 1, 1)).toBe(1);
  expect(estimateMicros(banded, 5, 1)).toBe(1);
  expect(estimateMicros(banded, 6, 1)).toBe(2);
  expect(estimateMicros(banded, 0, 0)).toBe(0);
});

test("[M3] every kind of token has its own price", () => {
  const all = usage({
    inputTokens: 1_000_000,
    outputTokens: 1_000_000,
    cacheReadTokens: 1_000_000,
    cacheWriteTokens: 1_000_000,
  });
  expect(costMicros(steady, all)).toBe(3_000_000 + 15_000_000 + 300_000 + 3_750_000);
});

test("[K4-14] [M1] the band is chosen by the whole prompt, cached tokens included", () => {
  expect(costMicros(banded, usage({ inputTokens: 100_000 }))).toBe(10_000);
  expect(costMicros(banded, usage({ inputTokens: 100_001 }))).toBe(50_001);
  expect(costMicros(banded, usage({ inputTokens: 40_000, cacheReadTokens: 40_000, cacheWriteTokens: 20_000 }))).toBe(
    6_900,
  );
  expect(costMicros(banded, usage({ inputTokens: 40_000, cacheReadTokens: 40_000, cacheWriteTokens: 20_001 }))).toBe(
    34_501,
  );
  expect(estimateMicros(banded, 100_000, 1_000)).toBe(10_500);
  expect(estimateMicros(banded, 100_001, 1_000)).toBe(52_501);
});

test("[F15] [M2] absurd sizes stay whole, finite and the most there is", () => {
  for (const size of [1e15, Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
    expect(estimateMicros(steady, size, size)).toBe(Number.MAX_SAFE_INTEGER);
  }
  expect(estimateMicros(steady, -5, 0)).toBe(0);
  expect(estimateMicros({ ...steady, bands: [] }, 1, 1)).toBe(Number.MAX_SAFE_INTEGER);
});

test("[M6] usage within the estimate never costs more than the estimate", { timeout: 60_000 }, () => {
  const tokens = fc.integer({ min: 0, max: 2_000_000 });
  const micros = fc.integer({ min: 0, max: 100_000_000 });
  fc.assert(
    fc.property(tokens, tokens, tokens, tokens, micros, micros, (i, o, lessIn, lessOut, input, output) => {
      const price = aPrice(input, output);
      const spent = costMicros(price, usage({ inputTokens: Math.min(i, lessIn), outputTokens: Math.min(o, lessOut) }));
      return spent <= estimateMicros(price, i, o) && Number.isSafeInteger(spent);
    }),
    { numRuns: 2_000 },
  );
});
