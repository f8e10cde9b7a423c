/** Where a text stops being JSON. Engines word this differently and some leave the place out, so we look ourselves. */
export interface Break {
  readonly offset: number;
  /** What would have fitted there. */
  readonly expected: string;
}

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /"(?:[ !#-[\]-\u{10FFFF}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,]/uy;

type Expect = "value" | "value or ]" | "name" | "name or }" | ":" | ", or }" | ", or ]" | "end";

const AFTER_VALUE = { "{": ", or }", "[": ", or ]" } as const;

const WORDS: Record<Expect, string> = {
  value: "a value",
  "value or ]": "a value or ]",
  name: "a name in double quotes",
  "name or }": "a name in double quotes or }",
  ":": "a colon",
  ", or }": "a comma or }",
  ", or ]": "a comma or ]",
  end: "nothing more",
};

/** The first place where `text` breaks; null where it is JSON. Linear in its length. */
export function breakOf(text: string): Break | null {
  const open: ("{" | "[")[] = [];
  let expect: Expect = "value";
  for (let at = 0; ; ) {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
    if (at >= text.length) return expect === "end" ? null : { offset: at, expected: WORDS[expect] };
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    const next: Expect | null = token === undefined ? null : step(token, expect, open);
    if (next === null || token === undefined) return { offset: at, expected: WORDS[expect] };
    expect = next;
    at += token.length;
  }
}

/** What may follow `token`, or null where it may not stand here. Keeps the open brackets up to date. */
function step(token: string, expect: Expect, open: ("{" | "[")[]): Expect | null {
  const afterValue = (): Expect => {
    const around = open.at(-1);
    return around === undefined ? "end" : AFTER_VALUE[around];
  };
  switch (token) {
    case "{":
    case "[":
      if (!expect.startsWith("value")) return null;
      open.push(token);
      return token === "{" ? "name or }" : "value or ]";
    case "}":
    case "]": {
      if (!expect.endsWith(token)) return null;
      open.pop();
      return afterValue();
    }
    case ":":
      return expect === ":" ? "value" : null;
    case ",":
      if (!expect.startsWith(",")) return null;
      return open.at(-1) === "{" ? "name" : "value";
    default:
      if (expect.startsWith("name")) return token.startsWith('"') ? ":" : null;
      return expect.startsWith("value") ? afterValue() : null;
  }
}
