/** From tokens to micro-dollars (SPEC M1 to M3). Products are taken in BigInt, so no size of request loses a digit. */
import type { Price, PriceBand, Usage } from "./catalog";
import { wholeUp } from "./money";

const PER_TOKENS = 1_000_000n;

/** The band for a prompt of this size, cached tokens included; undefined for a price without bands, which is none. */
export function bandFor(price: Price, promptTokens: number): PriceBand | undefined {
  const fitting = price.bands.find((band) => band.upToInputTokens === null || promptTokens <= band.upToInputTokens);
  return fitting ?? price.bands.at(-1);
}

/**
 * The most one call can cost, µ$, rounded up: `M2`.
 * @param inputTokens upper bound, prompt and context together
 * @param outputTokens what the call may produce, already clamped by the policy
 */
export function estimateMicros(price: Price, inputTokens: number, outputTokens: number): number {
  const band = bandFor(price, inputTokens);
  if (band === undefined) return Number.MAX_SAFE_INTEGER;
  return roundedUp([
    [inputTokens, band.inputMicros],
    [outputTokens, band.outputMicros],
  ]);
}

/** What reported usage costs, µ$, every kind of token at its own price; a fraction of a micro-dollar counts whole. */
export function costMicros(price: Price, usage: Usage): number {
  const band = bandFor(price, usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens);
  if (band === undefined) return Number.MAX_SAFE_INTEGER;
  return roundedUp([
    [usage.inputTokens, band.inputMicros],
    [usage.outputTokens, band.outputMicros],
    [usage.cacheReadTokens, band.cacheReadMicros],
    [usage.cacheWriteTokens, band.cacheWriteMicros],
  ]);
}

function roundedUp(parts: readonly (readonly [tokens: number, microsPerMillion: number])[]): number {
  let sum = 0n;
  for (const [tokens, micros] of parts) sum += BigInt(wholeUp(tokens)) * BigInt(wholeUp(micros));
  return wholeUp(Number((sum + PER_TOKENS - 1n) / PER_TOKENS));
}
