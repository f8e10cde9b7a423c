/** A server's prompt cut for the screen: all of it, in pieces the browser can skip, with empty stretches told in words. */
import type { DialogView } from "../../../worker/api";
import { piecesOf } from "../work/content/pieces";

export type PromptPart =
  | { readonly kind: "text"; readonly text: string }
  /** Lines with nothing on them, which would push the rest out of sight. */
  | { readonly kind: "gap"; readonly lines: number };

const PIECE = 4_000;
/** This many empty lines in a row are told instead of shown. */
const GAP_LINES = 12;
/** Blanks of any kind make a line empty to the eye, not only those of the keyboard. */
const GAP = /\n(?:[^\S\n]*\n){12,}/g;

export function promptParts(text: string): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  const add = (stretch: string) => {
    for (const piece of piecesOf(stretch, PIECE)) parts.push({ kind: "text", text: piece });
  };
  let at = 0;
  for (const found of text.matchAll(GAP)) {
    const lines = found[0].split("\n").length - 2;
    if (lines < GAP_LINES) continue;
    add(text.slice(at, found.index));
    parts.push({ kind: "gap", lines });
    at = found.index + found[0].length;
  }
  add(text.slice(at));
  return parts;
}

/** Characters the server wrote, all turns and the system prompt together. */
export function lengthOf(dialog: DialogView): number {
  const turns = dialog.turns.flatMap((turn) => turn.blocks.map((block) => block.text.length));
  return turns.reduce((sum, length) => sum + length, dialog.systemPrompt?.length ?? 0);
}

/** One block the server wrote, under words of ours. */
export interface WrittenBlock {
  readonly who: string;
  readonly text: string;
}

/** System prompt and turns in the order they are sent in. */
export function blocksOf(dialog: Pick<DialogView, "systemPrompt" | "turns">): readonly WrittenBlock[] {
  const system = dialog.systemPrompt === null ? [] : [{ who: "System prompt", text: dialog.systemPrompt }];
  const many = dialog.turns.length > 1;
  const turns = dialog.turns.flatMap(({ role, blocks }, at) =>
    blocks.map(({ kind, text }) => {
      const speaker = role === "assistant" ? "Put in the assistant's mouth" : "As the user";
      const place = many ? `Turn ${at + 1}: ` : "";
      return { who: `${place}${speaker}${kind === "text" ? "" : `, ${kind}`}`, text };
    }),
  );
  return [...system, ...turns];
}

/** So many are drawn at each end, and so many more each time they are asked for: thousands at once stop the page. */
const AT_EACH_END = 50;
const MORE = 200;

/** How many blocks stand first and how many after them are left out; `more`: how often more were asked for. */
export function foldOf(blocks: number, more: number): { readonly first: number; readonly folded: number } {
  const first = AT_EACH_END + MORE * more;
  if (blocks <= first + AT_EACH_END) return { first: blocks, folded: 0 };
  return { first, folded: blocks - first - AT_EACH_END };
}
