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
