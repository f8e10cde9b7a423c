/** Attaching context and counting tokens, once per model and scope (SPEC A1, C, M2). */
import type { Measured } from "../../policy/decide";
import type { Scope } from "../../policy/policy";
import type { ManifestEntry } from "../../policy/record";
import type { Message } from "../../policy/request";
import type { Prompt } from "../providers/provider";
import type { DriverDeps } from "./deps";
import type { Exchange } from "./intake";

/** What was counted is what will be sent: the prompt travels with its measure. */
export interface MeasuredPrompt {
  readonly measured: Measured;
  readonly prompt: Prompt;
}

/** Rejects only where no provider serves `model`; the policy never chooses such a model. */
export async function measure(
  deps: DriverDeps,
  exchange: Exchange,
  model: string,
  scope: Scope,
): Promise<MeasuredPrompt> {
  const provider = deps.models.forModel(model);
  if (provider === undefined) throw new Error(`no provider serves ${model}`);
  const { messages, manifest } = deps.context(scope, exchange.incoming.server, exchange.incoming.runId);
  const prompt: Prompt = {
    systemPrompt: exchange.request.systemPrompt,
    messages: [...messages, ...exchange.request.messages],
  };
  const [inputTokens, entries] = await Promise.all([
    provider.countTokens(prompt, model),
    Promise.all(manifest.map((entry, at) => weighed(entry, messages[at]))),
  ]);
  return { measured: { model, scope, inputTokens, manifest: entries }, prompt };

  async function weighed(entry: Omit<ManifestEntry, "tokens">, message: Message | undefined): Promise<ManifestEntry> {
    if (message === undefined || provider === undefined) return { ...entry, tokens: 0 };
    return { ...entry, tokens: await provider.countTokens({ systemPrompt: null, messages: [message] }, model) };
  }
}
