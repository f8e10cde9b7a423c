/** The first part of a long text, cut at a line where one is near and never inside a character. */
export interface Excerpt {
  readonly shown: string;
  /** Characters left out; 0 where all of it is shown. */
  readonly left: number;
}

export function excerptOf(text: string, limit: number, lines: number): Excerpt {
  let end = Math.min(text.length, limit);
  let at = -1;
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf("\n", at + 1);
    if (next === -1 || next >= end) {
      at = -1;
      break;
    }
    at = next;
  }
  if (at !== -1) end = at;
  else if (end < text.length) {
    const line = text.lastIndexOf("\n", end);
    if (line > end * 0.8) end = line;
  }
  if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  return { shown: text.slice(0, end), left: text.length - end };
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** A long text in pieces of about `size` characters, cut at lines where possible; joined they are the text. */
export function piecesOf(text: string, size: number): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const rest = text.length - at;
    const line = rest > size ? text.lastIndexOf("\n", at + size - 1) : -1;
    let end = rest <= size ? text.length : line > at ? line + 1 : at + size;
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
