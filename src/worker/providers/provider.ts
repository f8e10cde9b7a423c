/** What the sampling driver needs of something that can run a model. One adapter per file. */
import type { ModelEntry, Usage } from "../../policy/catalog";
import type { Block } from "../../policy/request";
import type { Prompt } from "../tokens/prompt";

/** What the driver puts together for `countTokens` and `run`. */
export type { Prompt };

export interface ProviderCall extends Prompt {
  readonly model: string;
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly stopSequences: readonly string[];
}

export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse";

export type ProviderFailure =
  /** 408, 429, 5xx, 529, network; `retryAfterMs` where the provider said. `limit` is true for 429 and 529 (R7). */
  | {
      readonly kind: "unavailable";
      readonly status: number | null;
      readonly retryAfterMs: number | null;
      readonly limit: boolean;
      readonly detail: string;
    }
  | { readonly kind: "rejected"; readonly status: number; readonly detail: string }
  | { readonly kind: "unsupported_content"; readonly block: Block["type"] | "unknown" }
  | { readonly kind: "aborted" };

export type ProviderOutcome =
  | {
      readonly ok: true;
      readonly content: readonly Block[];
      /** As the provider reported it (W7). */
      readonly model: string;
      readonly stopReason: StopReason;
      /** Null where the provider reported none, or all zeros on a non-empty answer. */
      readonly usage: Usage | null;
    }
  | {
      readonly ok: false;
      readonly failure: ProviderFailure;
      /** What was reported or streamed before it failed; null where nothing was. */
      readonly usage: Usage | null;
      /** False only where the request provably never left, or the provider said it charged nothing (M3). */
      readonly mayHaveCost: boolean;
      /** True where part of `usage` was counted here, not reported: charge it, marked as an estimate (K4-03). */
      readonly usageCounted?: boolean;
    };

export interface Provider {
  readonly id: string;
  /** Models on offer now; `availability` says whether they can run. */
  models(): readonly ModelEntry[];
  /** Upper bound in tokens, found in bounded time whatever the text (M2). */
  countTokens(prompt: Prompt, model: string): Promise<number>;
  /** Runs one call. `onOutputTokens` gets the running count. Never throws; an abort ends as `aborted`. */
  run(call: ProviderCall, onOutputTokens: (count: number) => void, signal: AbortSignal): Promise<ProviderOutcome>;
}
