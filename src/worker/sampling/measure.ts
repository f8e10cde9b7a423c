/** Attaching context and counting tokens, once per model and scope (SPEC A1, C, M2). */
import type { Measured } from "../../policy/decide";
import type { Scope } from "../../policy/policy";
import type { ManifestEntry } from "../../policy/record";
import type { Message } from "../../policy/request";
import type { Prompt, Provider } from "../providers/provider";
import type { DriverDeps } from "./deps";
import type { Exchange } from "./intake";

/** What was counted is what will be sent: the prompt travels with its measure. */
export interface MeasuredPrompt {
  readonly measured: Measured;
  readonly prompt: Prompt;
}

export interface MeasureFor {
  readonly model: string;
  readonly scope: Scope;
  /** The policy's input limit: context is attached, newest first, into what the request leaves of it. */
  readonly limitTokens: number | null;
}

/** Rejects only where no provider serves the model; the policy never chooses such a model. */
export async function measure(
  deps: Pick<DriverDeps, "models" | "context">,
  { request, incoming }: Exchange,
  { model, scope, limitTokens }: MeasureFor,
): Promise<MeasuredPrompt> {
  const provider = deps.models.forModel(model);
  if (provider === undefined) throw new Error(`no provider serves ${model}`);
  const { systemPrompt, messages } = request;
  const own = await provider.countTokens({ systemPrompt, messages }, model);
  const context = deps.context(scope, incoming.server, incoming.runId);
  const room = limitTokens === null ? Number.POSITIVE_INFINITY : limitTokens - own;
  const attached = await newestInto(room, context.messages, context.manifest, provider, model);
  const tokens = attached.reduce((sum, { entry }) => sum + entry.tokens, 0);
  return {
    measured: { model, scope, inputTokens: own + tokens, manifest: attached.map(({ entry }) => entry) },
    prompt: { systemPrompt, messages: [...attached.map(({ message }) => message), ...messages] },
  };
}

interface Attached {
  readonly message: Message;
  readonly entry: ManifestEntry;
}

/** Oldest first again. Context never makes a request too large that is not so by itself. */
async function newestInto(
  room: number,
  messages: readonly Message[],
  manifest: readonly Omit<ManifestEntry, "tokens">[],
  provider: Provider,
  model: string,
): Promise<readonly Attached[]> {
  const attached: Attached[] = [];
  let left = room;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const [message, about] = [messages[at], manifest[at]];
    if (message === undefined || about === undefined) continue;
    const tokens = await provider.countTokens({ systemPrompt: null, messages: [message] }, model);
    if (tokens > left) break;
    left -= tokens;
    attached.unshift({ message, entry: { ...about, tokens } });
  }
  return attached;
}
