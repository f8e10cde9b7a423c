/** Upper bound on the input tokens of a prompt, for one model (SPEC M2). */
import type { Block } from "../../policy/request";
import { boundTokens, type CountPiece, newWork, type Work } from "./bound";
import { isClaude, isClaudeUpTo46 } from "./claude-version";
import { loadO200k } from "./o200k";
import type { Prompt } from "./prompt";

/** What providers add around a prompt and around each turn, generously. */
const PER_PROMPT = 16;
const PER_MESSAGE = 8;
const PER_TOOL_BLOCK = 32;
/** Providers add an instruction of their own where tools are given. */
const PER_TOOL_LIST = 400;

/**
 * Tokens one image costs at most, whatever its size: Claude scales down to a fixed area (1,568 px on the long edge
 * up to 4.6, 2,576 px from 4.7 on); other vision models take up to 16,384 patches.
 */
function imageTokens(model: string): number {
  if (!isClaude(model)) return 16_384;
  return isClaudeUpTo46(model) ? 1_700 : 4_800;
}

/** From o200k to the model's own vocabulary. Old small vocabularies of local models need about twice as many. */
function factorFor(model: string): number {
  if (isClaude(model)) return isClaudeUpTo46(model) ? 1.25 : 1.6;
  return /^(?:openai\/)?(?:gpt-|chatgpt|o\d)/i.test(model) ? 1.1 : 2;
}

export async function countPrompt(prompt: Prompt, model: string, work: Work = newWork()): Promise<number> {
  const count = await loadO200k();
  const weigh = { count, model, factor: factorFor(model), work };
  let tokens = PER_PROMPT;
  if (prompt.systemPrompt !== null) tokens += PER_MESSAGE + (await textTokens(prompt.systemPrompt, weigh));
  if (prompt.tools) tokens += PER_TOOL_LIST + (await textTokens(JSON.stringify(prompt.tools), weigh));
  for (const message of prompt.messages) {
    tokens += PER_MESSAGE;
    for (const block of message.content) tokens += await blockTokens(block, weigh);
  }
  return tokens;
}

/** Upper bound on the tokens of one text a model wrote, for a stream that broke off (K4-03). */
export async function countOutput(text: string, model: string): Promise<number> {
  const count = await loadO200k();
  return textTokens(text, { count, model, factor: factorFor(model), work: newWork() });
}

interface Weigh {
  readonly count: CountPiece;
  readonly model: string;
  readonly factor: number;
  readonly work: Work;
}

function textTokens(text: string, weigh: Weigh): Promise<number> {
  return boundTokens(text, weigh.count, weigh.factor, weigh.work);
}

async function blockTokens(block: Block, weigh: Weigh): Promise<number> {
  switch (block.type) {
    case "text":
      return textTokens(block.text, weigh);
    case "image":
      return imageTokens(weigh.model);
    case "audio":
      // At 8 kbit/s, the lowest common rate, a second is 1,000 bytes and at most 15 tokens.
      return 100 + Math.ceil((block.data.length * 3) / 4 / 64);
    case "tool_use":
      return PER_TOOL_BLOCK + (await textTokens(`${block.name} ${JSON.stringify(block.input)}`, weigh));
    case "tool_result": {
      let tokens = PER_TOOL_BLOCK;
      for (const inner of block.content) tokens += await blockTokens(inner, weigh);
      return tokens;
    }
  }
}
