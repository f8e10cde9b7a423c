/**
 * `local-extractive-1`: needs no key and no network, and is not a language model. It takes sentences and facts out of
 * the text it is given. Its token is four bytes of UTF-8, counted and charged alike.
 */
import type { ModelEntry } from "../../policy/catalog";
import type { Block } from "../../policy/request";
import type { Prompt } from "../tokens/prompt";
import { utf8Length } from "../tokens/utf8";
import { notSent } from "./failure";
import type { Answered } from "./local/answer";
import type { Provider, ProviderCall, ProviderOutcome } from "./provider";
import { toolMode } from "./turns";

export const LOCAL_MODEL = "local-extractive-1";

const CHUNKS = 4;

export function createLocal(models: () => readonly ModelEntry[]): Provider {
  return {
    id: "local",
    models,
    countTokens: async (prompt) => inputTokens(prompt),
    run,
  };
}

async function run(
  call: ProviderCall,
  onOutputTokens: (count: number) => void,
  signal: AbortSignal,
): Promise<ProviderOutcome> {
  const foreign = foreignBlock(call);
  if (foreign !== null) return notSent({ kind: "unsupported_content", block: foreign });
  if (call.tools?.length && toolMode(call.toolChoice) === "required") return declined("It cannot use tools");
  if (signal.aborted) return notSent({ kind: "aborted" });
  // The extractor is wanted only once something is asked of it.
  const { answerTo } = await import("./local/answer");
  const answer = answerTo(call);
  if (answer === null) return declined("There is no text to take anything from");
  const written = await streamed(answer.text, onOutputTokens, signal);
  return outcome(call, answer, written);
}

/** Hands the text out in a few pieces, a task each, so that an abort is seen between them. Answers what was handed out. */
async function streamed(text: string, onOutputTokens: (count: number) => void, signal: AbortSignal): Promise<string> {
  const characters = [...text];
  const step = Math.max(1, Math.ceil(characters.length / CHUNKS));
  let written = "";
  for (let at = 0; at < characters.length; at += step) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (signal.aborted) return written;
    written += characters.slice(at, at + step).join("");
    onOutputTokens(tokensOf(written));
  }
  return written;
}

function outcome(call: ProviderCall, answer: Answered, written: string): ProviderOutcome {
  const usage = {
    inputTokens: inputTokens(call),
    outputTokens: tokensOf(written),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  if (written !== answer.text) return { ok: false, failure: { kind: "aborted" }, usage, mayHaveCost: true };
  const content = [{ type: "text", text: answer.text }] as const;
  return { ok: true, content, model: LOCAL_MODEL, stopReason: answer.stopReason, usage };
}

function declined(detail: string): ProviderOutcome {
  return notSent({ kind: "rejected", status: 422, detail: `${LOCAL_MODEL} is not a language model. ${detail}.` });
}

function foreignBlock(prompt: Prompt): Block["type"] | null {
  for (const message of prompt.messages) {
    for (const block of message.content) if (block.type !== "text") return block.type;
  }
  return null;
}

export function tokensOf(text: string): number {
  return Math.ceil(utf8Length(text) / 4);
}

function inputTokens(prompt: Prompt): number {
  let bytes = utf8Length(prompt.systemPrompt ?? "");
  for (const { content } of prompt.messages) {
    for (const block of content) bytes += utf8Length(block.type === "text" ? block.text : JSON.stringify(block));
  }
  return Math.ceil(bytes / 4);
}
