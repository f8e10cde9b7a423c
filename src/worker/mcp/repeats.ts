/**
 * Members that a JSON text names twice. A parser keeps the last one without a word, another reader may keep the first:
 * what two readers understand differently is not to be decided on (SPEC W9), so it is looked for in the text itself.
 */

interface Open {
  /** The first key, and the set of all once there are two: most small objects need no set. */
  first: string | null;
  keys: Set<string> | null;
  /** Where in it the reader is: its key, or its number in a list. */
  at: string | number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Path of the first member named twice in `json`, e.g. `params.messages[0].role`; null where there is none. Linear. */
export function repeatedMember(json: string): string | null {
  const open: Open[] = [];
  /** Whether the next text is a key. */
  let atKey = false;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    const here = open.at(-1);
    if (unit === QUOTE) {
      const end = endOfText(json, at);
      if (atKey && here !== undefined) {
        here.at = keyIn(json, at, end);
        if (isKnown(here, here.at)) return pathOf(open);
        atKey = false;
      }
      at = end;
    } else if (unit === OPEN_OBJECT) {
      open.push({ first: null, keys: null, at: "" });
      atKey = true;
    } else if (unit === OPEN_LIST) {
      open.push({ first: null, keys: null, at: 0 });
      atKey = false;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) {
      open.pop();
      atKey = false;
    } else if (unit === COMMA && here !== undefined) {
      atKey = typeof here.at === "string";
      if (typeof here.at === "number") here.at += 1;
    }
  }
  return null;
}

function isKnown(here: Open, key: string): boolean {
  if (here.first === null) {
    here.first = key;
    return false;
  }
  here.keys ??= new Set([here.first]);
  if (here.keys.has(key)) return true;
  here.keys.add(key);
  return false;
}

/** Index of the quote that ends the text which begins at `from`. */
function endOfText(json: string, from: number): number {
  for (let end = json.indexOf('"', from + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}

/** Two spellings of one key are one key. */
function keyIn(json: string, from: number, end: number): string {
  const written = json.slice(from + 1, end);
  return written.includes("\\") ? String(JSON.parse(`"${written}"`)) : written;
}

const MAX_KEY_CHARS = 40;
const MAX_PATH_CHARS = 200;

/** Keys are the server's words: what is not plain is quoted and spelled out. */
function pathOf(open: readonly Open[]): string {
  const steps = open.map(({ at }, level) => {
    if (typeof at === "number") return `[${at}]`;
    const key = at.slice(0, MAX_KEY_CHARS);
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return level === 0 ? key : `.${key}`;
    return `[${JSON.stringify(key).replace(/[^\x20-\x7e]/g, escaped)}]`;
  });
  return steps.join("").slice(0, MAX_PATH_CHARS);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
