/**
 * Finds in server-written text what the eye would not see or would be misled by: control, direction-changing,
 * zero-width, filler and tag characters, lone surrogates, marks piled on one letter, and letters of another script
 * inside a Latin word. Pure; ServerText shows the marks.
 */

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** `times` equal characters in a row. */
  | { readonly kind: "hidden"; readonly code: number; readonly name: string; readonly times: number }
  /** Letters that look like the Latin ones they stand among. */
  | { readonly kind: "alike"; readonly text: string };

const NAMES: Readonly<Record<number, string>> = {
  173: "soft hyphen",
  847: "combining grapheme joiner",
  1564: "Arabic letter mark",
  4447: "Hangul filler",
  4448: "Hangul filler",
  6068: "Khmer inherent vowel",
  6069: "Khmer inherent vowel",
  6158: "Mongolian vowel separator",
  8203: "zero width space",
  8204: "zero width non-joiner",
  8205: "zero width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "pop directional formatting",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "pop directional isolate",
  10240: "braille blank",
  12644: "Hangul filler",
  65279: "zero width no-break space",
  65440: "Hangul filler",
};

// Everything that draws nothing (Default_Ignorable), formats (Cf), controls (Cc), lone surrogates (Cs), unassigned and
// private characters, and a few blanks that are neither.
const SUSPECT = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2028\u2029\u2800]/u;
/** More marks than this on one letter are no writing: they reach into the lines above and below. */
const PILE_FROM = 5;
const PILE = /\p{M}{5}/u;
const MARK = /^\p{M}$/u;
const PILE_NAME = "combining marks piled on one letter";
/**
 * Letters that pass for Latin ones (after UTS 39's confusables), beside a Latin letter. A word that is all of one
 * script is somebody's language, and left alone.
 */
const LIKE_LATIN = [
  "\\p{sc=Armenian}\\p{sc=Cherokee}",
  // Cyrillic, small and capital; Greek.
  "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u04bb\u04cf\u0501\u051b\u051d\u0475",
  "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405\u04c0\u050c\u051a\u051c",
  "\u03bf\u03bd\u03c1\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
].join("");
const ALIKE = new RegExp(`(?<=\\p{sc=Latin})[${LIKE_LATIN}]+|[${LIKE_LATIN}]+(?=\\p{sc=Latin})`, "gu");
const PICTOGRAPH = /\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;

export function nameOf(code: number): string {
  const known = NAMES[code];
  if (known !== undefined) return known;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return "control character";
  if (code >= 0xe0000 && code <= 0xe007f) return "tag character";
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return "variation selector";
  if (code >= 0xd800 && code <= 0xdfff) return "lone surrogate";
  return "invisible or unassigned character";
}

/** Line feeds and tabs are layout; a carriage return before a line feed is half of one. */
function isLayout(char: string, next: string | undefined): boolean {
  return char === "\n" || char === "\t" || (char === "\r" && next === "\n");
}

/** The joiner and the emoji selector inside a picture are what makes it one. */
function joinsPictures(char: string, before: string | undefined, after: string | undefined): boolean {
  if (before === undefined) return false;
  if (char === "\ufe0f") return PICTOGRAPH.test(before) || /[0-9#*]/.test(before);
  const left = before === "\ufe0f" || PICTOGRAPH.test(before);
  return char === "\u200d" && left && after !== undefined && PICTOGRAPH.test(after);
}

/** Linear in the text. */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of text.matchAll(ALIKE)) {
    pieces.push(...unseenIn(text.slice(at, found.index)), { kind: "alike", text: found[0] });
    at = found.index + found[0].length;
  }
  pieces.push(...unseenIn(text.slice(at)));
  return pieces;
}

function unseenIn(text: string): readonly Piece[] {
  if (!SUSPECT.test(text.replace(/[\n\t]/g, "")) && !PILE.test(text))
    return text === "" ? [] : [{ kind: "text", text }];
  const chars = [...text];
  const pieces: Piece[] = [];
  let plain: string[] = [];
  let marks = 0;
  const flush = (): void => {
    if (plain.length > 0) pieces.push({ kind: "text", text: plain.join("") });
    plain = [];
  };
  for (const [at, char] of chars.entries()) {
    const suspect = SUSPECT.test(char);
    marks = !suspect && MARK.test(char) ? marks + 1 : 0;
    const piled = marks >= PILE_FROM;
    const shown = !suspect || isLayout(char, chars[at + 1]) || joinsPictures(char, chars[at - 1], chars[at + 1]);
    if (shown && !piled) {
      plain.push(char);
      continue;
    }
    flush();
    const code = char.codePointAt(0) ?? 0;
    const name = piled ? PILE_NAME : nameOf(code);
    const last = pieces.at(-1);
    const same = last?.kind === "hidden" && (piled ? last.name === PILE_NAME : last.code === code);
    if (same) pieces[pieces.length - 1] = { ...last, times: last.times + 1 };
    else pieces.push({ kind: "hidden", code, name, times: 1 });
  }
  flush();
  return pieces;
}

/** The escape shown in place of a hidden character, e.g. `U+202E`. */
export function escapeOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The numbers of letters that look like others. */
export function escapesOf(text: string): string {
  return [...text].map((char) => escapeOf(char.codePointAt(0) ?? 0)).join(" ");
}

/** One line of server text with its hidden characters spelled out, for attributes such as `title` and `aria-label`. */
export function spelledOut(text: string): string {
  return piecesOf(text).map(spelled).join("");
}

function spelled(piece: Piece): string {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "alike":
      return `${piece.text}⟨${escapesOf(piece.text)}⟩`;
    case "hidden":
      return `⟨${escapeOf(piece.code)}${piece.times > 1 ? `×${piece.times}` : ""}⟩`;
  }
}
