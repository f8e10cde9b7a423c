/**
 * An upper bound on the tokens of a text, in bounded work whatever the text (SPEC M2).
 *
 * Byte-pair merging is quadratic in the length of an unbroken run, so words and runs are cut short before they are
 * counted (a cut can only add tokens), work is paid from a budget, and what the budget does not reach is counted in
 * UTF-8 bytes: no token of a byte-level vocabulary is shorter than one byte.
 */
import { utf8Length } from "./utf8";

/** Tokens of one short piece of text in the reference vocabulary. */
export type CountPiece = (piece: string) => number;

/** Shared by all texts of one prompt. `steps` is what was spent, in about the unit of one comparison. */
export interface Work {
  readonly limit: number;
  steps: number;
}

export function newWork(limit = 24_000_000): Work {
  return { limit, steps: 0 };
}

/** A word with the blank before it, at most 32 characters; or blanks up to the last one before a word. */
const PIECE = /\s?\S{1,32}|\s{1,64}(?!\S)|\s/gu;

const STEPS_PER_PIECE = 32;
const STEPS_PER_KNOWN_PIECE = 4;
const KNOWN_PIECES = 20_000;
/** Between two pauses the worker answers nobody else. */
const STEPS_BETWEEN_PAUSES = 2_000_000;

/** `factor` carries the count over from the reference vocabulary to the model's. */
export async function boundTokens(text: string, count: CountPiece, factor: number, work: Work): Promise<number> {
  const known = new Map<string, number>();
  const pieces = new RegExp(PIECE);
  let counted = 0;
  let reached = 0;
  let pauseAt = work.steps + STEPS_BETWEEN_PAUSES;
  while (work.steps < work.limit) {
    const piece = pieces.exec(text)?.[0];
    if (piece === undefined) break;
    reached = pieces.lastIndex;
    let tokens = known.get(piece);
    if (tokens === undefined) {
      work.steps += STEPS_PER_PIECE + utf8Length(piece) ** 2;
      tokens = count(piece);
      if (known.size < KNOWN_PIECES) known.set(piece, tokens);
    } else work.steps += STEPS_PER_KNOWN_PIECE;
    counted += tokens;
    if (work.steps > pauseAt) {
      pauseAt = work.steps + STEPS_BETWEEN_PAUSES;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
  const countedBytes = utf8Length(text.slice(0, reached));
  return Math.min(Math.ceil(counted * factor), countedBytes) + utf8Length(text.slice(reached));
}
