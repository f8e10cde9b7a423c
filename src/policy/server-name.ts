/** The local name a person gave a server; it is shown beside money and keys everything that is kept about it. */

export const MAX_NAME_CHARS = 64;
/** Letters, digits and a few joints: nothing invisible, nothing that changes direction, no look-alike spaces. */
const SERVER_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.@-]*(?: [\p{L}\p{N}\p{M}_.@-]+)*$/u;

export function isServerName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && SERVER_NAME.test(name);
}

/** Alphabets whose letters pass for one another's; a word is written in one of them. */
const ALPHABETS = [/\p{sc=Latin}/u, /\p{sc=Cyrillic}/u, /\p{sc=Greek}/u, /\p{sc=Armenian}/u, /\p{sc=Cherokee}/u];
const WORDS = /[\p{L}\p{M}]+/gu;

/** Whether a word of it has letters of two alphabets that look alike, as nobody's language does. */
export function mixesAlphabets(name: string): boolean {
  const words = name.normalize("NFKC").match(WORDS) ?? [];
  return words.some((word) => ALPHABETS.filter((alphabet) => alphabet.test(word)).length > 1);
}

/** The first of `others` that a person could take `name` for; undefined where there is none. */
export function lookAlikeOf(name: string, others: Iterable<string>): string | undefined {
  const looks = looksOf(name);
  for (const other of others) if (other !== name && looksOf(other) === looks) return other;
  return undefined;
}

// Letters that draw as a Latin one does (after UTS 39's confusables), small, with what they draw as.
const LIKE = new Map(
  [
    ["\u0430\u03b1", "a"],
    ["\u0432\u03b2", "b"],
    ["\u0441\u03f2", "c"],
    ["\u0501", "d"],
    ["\u0435\u0451\u03b5", "e"],
    ["\u04bb\u043d\u03b7", "h"],
    ["1i|\u0131\u0456\u0457\u04cf\u03b9", "l"],
    ["\u0458", "j"],
    ["\u043a\u03ba", "k"],
    ["\u043c\u03bc", "m"],
    ["\u0578\u03bd\u0475", "v"],
    ["0\u043e\u03bf\u0585", "o"],
    ["\u0440\u03c1", "p"],
    ["\u051b", "q"],
    ["\u0455", "s"],
    ["\u0442\u03c4", "t"],
    ["\u057d", "u"],
    ["\u051d\u03c9", "w"],
    ["\u0445\u03c7", "x"],
    ["\u0443\u03c5\u04af", "y"],
    ["\u03b6", "z"],
  ].flatMap(([letters = "", latin = ""]) => [...letters].map((letter) => [letter, latin] as const)),
);

/** One text for all names that look the same: case, width, accents' spelling, joints and borrowed letters aside. */
function looksOf(name: string): string {
  const plain = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[-_.@ ]+/g, "-");
  return [...plain].map((letter) => LIKE.get(letter) ?? letter).join("");
}
