/** Runs of combining marks, found before a text is composed: composing is quadratic in their length (SPEC I4). */

/** What UAX 15's stream-safe format allows in a row. */
export const MAX_MARKS = 30;

const LONG_RUN = /\p{M}{31}/u;
const MARK = /^\p{M}$/u;

/**
 * Whether more than 30 marks stand in a row. Such a run takes 31 units or more, so one of them has an index that is a
 * multiple of 31; looking only there is a hundred times faster than a search for the run. Linear whatever the text.
 */
export function hasLongMarkRun(text: string): boolean {
  for (let at = MAX_MARKS; at < text.length; at += MAX_MARKS + 1) {
    if (!isOfMark(text, at)) continue;
    let from = at;
    while (from > 0 && isOfMark(text, from - 1)) from -= 1;
    let to = at + 1;
    while (to < text.length && isOfMark(text, to)) to += 1;
    // Marks beyond the first plane take two units, so only a run of that many units is counted in characters.
    if (to - from > MAX_MARKS && LONG_RUN.test(text.slice(from, to))) return true;
  }
  return false;
}

/** Whether the unit at `at` belongs to a mark. */
function isOfMark(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x300 || isMarkless(unit)) return false;
  if (unit < 0xd800 || unit > 0xdfff) return MARK.test(String.fromCharCode(unit));
  return MARK.test(String.fromCodePoint(text.codePointAt(unit < 0xdc00 ? at : at - 1) ?? 0));
}

/** Whether the unit is in a large range without marks: Han and their neighbours, Hangul, punctuation and signs. */
function isMarkless(unit: number): boolean {
  return (unit >= 0x3100 && unit < 0xa66f) || (unit >= 0xac00 && unit < 0xd7b0) || (unit >= 0x2000 && unit < 0x20d0);
}
