/**
 * Finds in server-written text what the eye would not see or would be misled by: control, direction-changing,
 * zero-width, filler and tag characters, lone surrogates. Pure; ServerText shows the marks.
 */

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** `times` equal characters in a row. */
  | { readonly kind: "hidden"; readonly code: number; readonly name: string; readonly times: number };

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
  if (!SUSPECT.test(text.replace(/[\n\t]/g, ""))) return text === "" ? [] : [{ kind: "text", text }];
  const chars = [...text];
  const pieces: Piece[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    if (plain.length > 0) pieces.push({ kind: "text", text: plain.join("") });
    plain = [];
  };
  for (const [at, char] of chars.entries()) {
    const shown =
      !SUSPECT.test(char) || isLayout(char, chars[at + 1]) || joinsPictures(char, chars[at - 1], chars[at + 1]);
    if (shown) {
      plain.push(char);
      continue;
    }
    flush();
    const code = char.codePointAt(0) ?? 0;
    const last = pieces.at(-1);
    if (last?.kind === "hidden" && last.code === code) pieces[pieces.length - 1] = { ...last, times: last.times + 1 };
    else pieces.push({ kind: "hidden", code, name: nameOf(code), times: 1 });
  }
  flush();
  return pieces;
}

/** The escape shown in place of a hidden character, e.g. `U+202E`. */
export function escapeOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** One line of server text with its hidden characters spelled out, for attributes such as `title` and `aria-label`. */
export function spelledOut(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.kind === "text" ? piece.text : `⟨${escapeOf(piece.code)}⟩`))
    .join("");
}
