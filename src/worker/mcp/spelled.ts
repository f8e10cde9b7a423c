/** How words of a server are put into sentences of ours: so that they can neither hide, nor turn the line, nor pass for it. */

/** Controls, formats, lone surrogates, unassigned and private characters, all blanks but the plain one, and fillers. */
const HIDDEN = /^(?:[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs})$/u;
/** More marks than this on one letter are no letter any more, and reach into other lines. */
const MAX_MARKS = 2;
const MARK = /^\p{M}$/u;

/** `text` with every hidden or direction-changing character as its number, at most `maxChars` long. */
export function visible(text: string, maxChars: number): string {
  let shown = "";
  /** As much of it as leaves room for the mark of a cut. */
  let short = "";
  let marks = MAX_MARKS;
  for (const character of text) {
    marks = MARK.test(character) ? marks + 1 : 0;
    const next = marks > MAX_MARKS || HIDDEN.test(character) ? numbered(character) : character;
    if (shown.length + next.length > maxChars) return `${short}…`;
    shown += next;
    if (shown.length < maxChars) short = shown;
  }
  return shown;
}

/** The same between quotes, which it cannot close. */
export function spelled(text: string, maxChars = 60): string {
  return `"${visible(text.slice(0, maxChars + 1).replace(/["\\]/g, "\\$&"), maxChars)}"`;
}

function numbered(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}
