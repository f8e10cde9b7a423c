/** Whatever speaks the chat completions API at an address the person gave. */
import type { ModelEntry } from "../../policy/catalog";
import { countPrompt } from "../tokens/prompt-tokens";
import { notSent, unavailable } from "./failure";
import type { Provider } from "./provider";
import { createReach } from "./reach";

export interface OpenAiDeps {
  readonly models: () => readonly ModelEntry[];
  readonly key: () => string | null;
  /** Null until the person gave one. */
  readonly baseUrl: () => string | null;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

export function createOpenAiCompatible(deps: OpenAiDeps): Provider {
  const reach = createReach(deps.fetch, deps.now);
  return {
    id: "openai",
    models: deps.models,
    countTokens: (prompt, model) => countPrompt(prompt, model),
    async run(call, onOutputTokens, signal) {
      const baseUrl = deps.baseUrl();
      if (baseUrl === null) return notSent(unavailable("No base URL is set"));
      const adapter = await import("./openai-call").catch(() => null);
      if (adapter === null) return notSent(unavailable("The adapter for this provider could not be fetched"));
      const endpoint = { key: deps.key(), baseUrl, fetch: deps.fetch, reach, now: deps.now };
      return adapter.callChat(endpoint, call, onOutputTokens, signal);
    },
  };
}
