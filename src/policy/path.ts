/** Paths of malformed input as they are told to servers and shown to people: `messages[0].content.text`. */

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_KEY_CHARS = 40;
const MAX_PATH_CHARS = 200;

export function pathText(keys: readonly (string | number)[]): string {
  const path = keys.map(keyText).join("");
  return (path.startsWith(".") ? path.slice(1) : path).slice(0, MAX_PATH_CHARS);
}

/** A key is the server's text, so whatever could break a line or turn its direction is spelled out. */
function keyText(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  const start = key.slice(0, MAX_KEY_CHARS);
  if (PLAIN_KEY.test(start)) return `.${start}`;
  return `[${JSON.stringify(start).replace(/[^\x20-\x7e]/g, unitText)}]`;
}

function unitText(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
