/** What `decide` may know of models: prices and providers as plain values, handed in by the worker. */
import type { Block } from "./request";

/** µ$ per million tokens, in one band of prompt sizes. All four are given; a provider without caching repeats `inputMicros`. */
export interface PriceBand {
  /** The band holds for prompts of at most this many tokens; null for the last one. */
  readonly upToInputTokens: number | null;
  readonly inputMicros: number;
  readonly outputMicros: number;
  readonly cacheReadMicros: number;
  readonly cacheWriteMicros: number;
}

export interface Price {
  /** Rising by `upToInputTokens`, the last one open. */
  readonly bands: readonly PriceBand[];
  /** The day this price was taken from its source, `YYYY-MM-DD`, or of the person's own override. */
  readonly asOf: string;
  readonly source: "table" | "override";
}

export type Availability =
  | { readonly state: "ready" }
  /** The provider asked for quiet (R7); `untilAt` is epoch ms. */
  | { readonly state: "backing_off"; readonly untilAt: number }
  /** No key, no base URL, or the model is not offered. */
  | { readonly state: "not_configured" };

export interface ModelEntry {
  readonly id: string;
  /** Other names that resolve to `id` before any allowlist check (R1). */
  readonly aliases: readonly string[];
  readonly provider: string;
  readonly price: Price | null;
  readonly availability: Availability;
  /** Kinds of block the model takes. */
  readonly accepts: readonly Block["type"][];
  /** 0 to 1, relative to the others here; used only when no hint matched. */
  readonly cheapness: number;
  readonly speed: number;
  readonly intelligence: number;
}

export interface Catalog {
  readonly models: readonly ModelEntry[];
  /** Day of the price table in use, `YYYY-MM-DD`. */
  readonly pricesAsOf: string;
}

/** Tokens by kind, as a provider reports them. `input` excludes the two cache kinds. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}
