/**
 * One server's block inside the policy file, by lines: cutting it out for its editor and putting it back, with every
 * other line left as it is. Works on the file Purser itself writes, where each server is a key indented under
 * `servers:`. Pure; whether the text is a policy is the worker's to say.
 */

export interface Block {
  /** The block's lines, outdented to the left edge. */
  readonly text: string;
  /** Zero-based line of the file where it starts, and the line after its end. */
  readonly start: number;
  readonly end: number;
  readonly indent: number;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isBlank(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

/** The key of a line such as `  "wiki search": # note`; null where it is not a key. */
function keyOf(line: string): string | null {
  const match = /^\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#"'][^:]*?))\s*:(?:\s|$)/.exec(line);
  if (match === null) return null;
  if (match[1] !== undefined) {
    try {
      return JSON.parse(`"${match[1]}"`) as string;
    } catch {
      return null;
    }
  }
  return match[2]?.replaceAll("''", "'") ?? match[3] ?? null;
}

/** Null where the file has no block of this name. */
export function findBlock(file: string, server: string): Block | null {
  const lines = file.split("\n");
  const top = lines.findIndex((line) => /^servers\s*:/.test(line));
  if (top < 0) return null;
  const first = lines.findIndex((line, at) => at > top && !isBlank(line));
  const indent = indentOf(lines[first] ?? "");
  if (first < 0 || indent === 0) return null;
  const start = lines.findIndex(
    (line, at) =>
      at >= first && !isBlank(line) && indentOf(line) === indent && keyOf(line)?.normalize("NFC") === server,
  );
  if (start < 0) return null;
  let end = lines.findIndex((line, at) => at > start && !isBlank(line) && indentOf(line) <= indent);
  if (end < 0) end = lines.length;
  // Comments above the next server belong to it.
  while (end > start + 1 && isBlank(lines[end - 1] ?? "") && indentOf(lines[end - 1] ?? "") <= indent) end -= 1;
  const text = lines
    .slice(start, end)
    .map((line) => line.slice(Math.min(indent, indentOf(line))))
    .join("\n");
  return { text, start, end, indent };
}

/** The file with the block's lines replaced by `text`. */
export function withBlock(file: string, block: Block, text: string): string {
  const pad = " ".repeat(block.indent);
  const body = text
    .replace(/\s+$/, "")
    .split("\n")
    .map((line) => (line.trim() === "" ? "" : pad + line));
  const lines = file.split("\n");
  return [...lines.slice(0, block.start), ...body, ...lines.slice(block.end)].join("\n");
}
