/** Text as lines a reader would see: without colours, time stamps and the marks of CI systems; bounded. */

const TEXT_MAX = 200_000;
const HEAD = 60_000;
const LINE_MAX = 500;

const ESCAPE = String.fromCharCode(27);
const COLOURS = new RegExp(`${ESCAPE}\\[[0-9;?]*[ -/]*[@-~]`, "g");
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z? /;
const MARK = /^##\[(?:error|warning|debug)\]/;

/** Of a longer text the beginning and, because causes stand there, most of the end. */
export function bounded(text: string): string {
  if (text.length <= TEXT_MAX) return text;
  return `${text.slice(0, HEAD)}\n${text.slice(HEAD - TEXT_MAX)}`;
}

export function linesOf(text: string): readonly string[] {
  return bounded(text)
    .replace(COLOURS, "")
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(STAMP, "").replace(MARK, "").trimEnd().slice(0, LINE_MAX));
}
