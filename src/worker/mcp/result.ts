/** From the result of `tools/call` as the server sent it to what the rest of the worker shows. */
import type { ToolOutcome } from "./connection";
import { deeperThan, isMembers, MAX_DEPTH, type Members } from "./frame";
import { outputProblem } from "./output-check";
import { cut } from "./tool-list";

const MAX_TEXT_CHARS = 512 * 1024;
const MAX_BLOCKS = 1_000;
const UNREAD_CHARS = 10_000;

export function readResult(raw: unknown, outputSchema: unknown): ToolOutcome {
  if (!isMembers(raw)) return { kind: "error", code: null, message: "The server's answer is not a tool result." };
  const warnings: string[] = [];
  const isError = raw.isError === true;
  const content = readContent(raw.content, warnings);
  const tooDeep = deeperThan(raw.structuredContent, MAX_DEPTH);
  if (tooDeep) warnings.push(`The structured output nests deeper than ${MAX_DEPTH} levels and is not shown.`);
  const structured = tooDeep ? undefined : raw.structuredContent;
  // An error's structured content follows no output schema.
  const problem = isError || tooDeep ? null : outputProblem(outputSchema, structured);
  if (problem !== null) warnings.push(problem);
  return { kind: "result", isError, content, structured, warnings };
}

function readContent(content: unknown, warnings: string[]): readonly Members[] {
  if (content === undefined) return [];
  if (!Array.isArray(content)) {
    warnings.push("The result's content is not a list; it is shown as text.");
    return [asText(content)];
  }
  const blocks = content as readonly unknown[];
  if (blocks.length > MAX_BLOCKS)
    warnings.push(`The result has ${blocks.length} blocks; the first ${MAX_BLOCKS} are shown.`);
  return blocks.slice(0, MAX_BLOCKS).map((block) => readBlock(block, warnings));
}

/** Unknown kinds of blocks are kept as they are. */
function readBlock(block: unknown, warnings: string[]): Members {
  if (!isMembers(block) || deeperThan(block, MAX_DEPTH)) {
    warnings.push("A block of the result could not be read; it is shown as text.");
    return asText(block);
  }
  const { text } = block;
  if (typeof text !== "string" || text.length <= MAX_TEXT_CHARS) return block;
  warnings.push(`A text of ${text.length} characters was cut to ${MAX_TEXT_CHARS}.`);
  return { ...block, text: cut(text, MAX_TEXT_CHARS) };
}

function asText(value: unknown): Members {
  return { type: "text", text: cut(JSON.stringify(value) ?? "", UNREAD_CHARS) };
}
