/** A long text in pieces, so that drawing it does not stop the page. Pure. */
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
