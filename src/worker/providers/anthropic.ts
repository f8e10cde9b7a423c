/** Claude, by the person's own key. The SDK is fetched with the first call. */
import type { ModelEntry } from "../../policy/catalog";
import { countPrompt } from "../tokens/prompt-tokens";
import { notSent, unavailable } from "./failure";
import type { Provider } from "./provider";
import { createReach } from "./reach";

export const ANTHROPIC_URL = "https://api.anthropic.com";

export interface AnthropicDeps {
  readonly models: () => readonly ModelEntry[];
  readonly key: () => string | null;
  readonly baseUrl: () => string;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

export function createAnthropic(deps: AnthropicDeps): Provider {
  const reach = createReach(deps.fetch, deps.now);
  return {
    id: "anthropic",
    models: deps.models,
    countTokens: (prompt, model) => countPrompt(prompt, model),
    async run(call, onOutputTokens, signal) {
      const key = deps.key();
      if (key === null) return notSent({ kind: "rejected", status: 401, detail: "No API key is set" });
      const adapter = await import("./anthropic-call").catch(() => null);
      if (adapter === null) return notSent(unavailable("The adapter for this provider could not be fetched"));
      const endpoint = { key, baseUrl: deps.baseUrl(), fetch: deps.fetch, reach, now: deps.now };
      return adapter.callAnthropic(endpoint, call, onOutputTokens, signal);
    },
  };
}
