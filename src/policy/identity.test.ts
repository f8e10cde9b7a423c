import { assert, constantFrom, dictionary, double, jsonValue, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { identityText } from "./identity";

const SEEDED = { seed: 170, numRuns: 300 };
const text = string({ unit: "grapheme", maxLength: 40 });

/** Some request that asks for `words`. */
function asking(words: unknown, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { messages: [{ role: "user", content: { type: "text", text: words } }], maxTokens: 10, ...more };
}

function identityOf(params: unknown): string {
  const read = identityText(params);
  if (!read.ok) throw new Error(`${read.path}: ${read.problem}`);
  return read.value;
}

function problemOf(params: unknown): { readonly path: string; readonly problem: string } | null {
  const read = identityText(params);
  return read.ok ? null : { path: read.path, problem: read.problem };
}

test("[I1] the text is the canonical JSON of what is asked, and of nothing else", () => {
  expect(identityOf(asking("hi", { systemPrompt: "be brief", temperature: 1, metadata: { a: 1 }, _meta: {} }))).toBe(
    '{"includeContext":"none","messages":[{"content":[{"text":"hi","type":"text"}],"role":"user"}],"systemPrompt":"be brief"}',
  );
});

describe("[I2] the same request", () => {
  test("[F10] [K5-06] composed and decomposed spellings", () => {
    expect(identityOf(asking("cafe\u0301"))).toBe(identityOf(asking("caf\u00e9")));
    expect(identityOf(asking("x", { tools: [{ "e\u0301": 1 }] }))).toBe(
      identityOf(asking("x", { tools: [{ "\u00e9": 1 }] })),
    );
  });

  test("any text, composed or not", () => {
    assert(
      property(text, (words) => {
        expect(identityOf(asking(words.normalize("NFD")))).toBe(identityOf(asking(words.normalize("NFC"))));
      }),
      SEEDED,
    );
  });

  test("null and absent, at any depth", () => {
    const full = asking("x", { systemPrompt: null, includeContext: null, modelPreferences: null, tools: null });
    expect(identityOf(full)).toBe(identityOf(asking("x")));
    expect(identityOf(asking("x", { modelPreferences: { hints: null, costPriority: 1 } }))).toBe(
      identityOf(asking("x", { modelPreferences: { costPriority: 1 } })),
    );
  });

  test("no includeContext and none", () => {
    expect(identityOf(asking("x", { includeContext: "none" }))).toBe(identityOf(asking("x")));
    expect(identityOf(asking("x", { includeContext: "thisServer" }))).not.toBe(identityOf(asking("x")));
  });

  test("a block and the list of it, and only in a message's content", () => {
    const block = { type: "text", text: "x" };
    expect(identityOf({ messages: [{ role: "user", content: block }] })).toBe(
      identityOf({ messages: [{ role: "user", content: [block] }] }),
    );
    expect(identityOf(asking("x", { tools: [{ content: block }] }))).not.toBe(
      identityOf(asking("x", { tools: [{ content: [block] }] })),
    );
  });

  test("[F10] [K5-11] keys in another order, white space, escapes", () => {
    const one = '{"messages":[{"role":"user","content":{"type":"text","text":"caf\\u00e9"}}],"maxTokens":1}';
    const other = '{ "maxTokens": 2, "messages": [ {"content": {"text": "café", "type":"text"}, "role":"user"} ] }';
    expect(identityOf(JSON.parse(one))).toBe(identityOf(JSON.parse(other)));
  });

  test("any value, its keys turned round", () => {
    assert(
      property(jsonValue({ maxDepth: 5 }), (value) => {
        expect(identityOf(asking("x", { tools: turned(value) }))).toBe(identityOf(asking("x", { tools: value })));
      }),
      SEEDED,
    );
  });

  test("numbers by value, however written [K5-07]", () => {
    const of = (number: string) =>
      identityOf(asking("x", JSON.parse(`{"modelPreferences":{"costPriority":${number}}}`)));
    expect(new Set(["1", "1.0", "1e0"].map(of)).size).toBe(1);
    expect(new Set(["0", "-0", "0.0"].map(of)).size).toBe(1);
    expect(of("1e2")).toBe(of("100"));
    expect(of("0")).not.toBe(of("1"));
  });
});

test("[I3] knobs, `task` and unknown fields make no new request [K1-16] [K5-13]", () => {
  const knobs = record(
    {
      maxTokens: double(),
      temperature: double(),
      stopSequences: jsonValue(),
      metadata: jsonValue(),
      _meta: jsonValue(),
      task: jsonValue(),
      somethingNew: jsonValue(),
    },
    { requiredKeys: [] },
  );
  assert(
    property(knobs, (given) => {
      expect(identityOf(asking("x", given))).toBe(identityOf(asking("x")));
    }),
    SEEDED,
  );
});

test("[I3] tools and toolChoice count where they are present", () => {
  const plain = identityOf(asking("x"));
  const withTools = identityOf(asking("x", { tools: [] }));
  const withChoice = identityOf(asking("x", { toolChoice: { mode: "auto" } }));
  expect(new Set([plain, withTools, withChoice]).size).toBe(3);
});

test("[F11] [I1] one changed character, role or preference is another request", () => {
  assert(
    property(text, constantFrom("a", "é", "😀", " ", '"', "\\"), (words, one) => {
      const [before, after] = [words.normalize("NFC"), (words + one).normalize("NFC")];
      expect(identityOf(asking(after)) === identityOf(asking(before))).toBe(after === before);
    }),
    SEEDED,
  );
  const assistant = { messages: [{ role: "assistant", content: { type: "text", text: "x" } }] };
  expect(identityOf(assistant)).not.toBe(identityOf(asking("x")));
  expect(identityOf(asking("x", { modelPreferences: { hints: [{ name: "a" }, { name: "b" }] } }))).not.toBe(
    identityOf(asking("x", { modelPreferences: { hints: [{ name: "b" }, { name: "a" }] } })),
  );
});

test("[I1] two contents give one text only where they are one after composing", () => {
  assert(
    property(dictionary(text, text), dictionary(text, text), (one, other) => {
      const [a, b] = [identityText(asking("x", { tools: one })), identityText(asking("x", { tools: other }))];
      if (a.ok && b.ok && a.value === b.value) expect(composed(other)).toEqual(composed(one));
    }),
    SEEDED,
  );
});

describe("[I4] refused, with the place", () => {
  test("[F18] more than 30 combining marks in a row; 30 pass", () => {
    expect(problemOf(asking(`a${"\u0301".repeat(30)}`))).toBeNull();
    for (const mark of ["\u0301", "\u{1d165}", "\u{e0100}", "\u0941"]) {
      for (const before of ["", "a", "é".repeat(29), "漢字".repeat(500)]) {
        const problem = problemOf(asking(`${before}${mark.repeat(31)} end`));
        expect(problem).toEqual({
          path: "messages[0].content.text",
          problem: "more than 30 combining marks in a row",
        });
      }
    }
    expect(problemOf(asking("\u0301a".repeat(5_000)))).toBeNull();
  });

  test("[F13] keys that are one after composing", () => {
    const params = asking("x", { tools: [{ input: { "e\u0301": 1, "\u00e9": 1 } }] });
    expect(problemOf(params)).toEqual({ path: "tools[0].input", problem: "two of its keys are the same text" });
  });

  test("a text that composing makes longer than a frame may be", () => {
    // U+FB2C decomposes into three characters and stays so.
    expect(problemOf(asking("\ufb2c".repeat(1_000)))).toBeNull();
    expect(problemOf(asking("\ufb2c".repeat(1_400_000)))?.problem).toContain("longer than 4 MiB");
  });

  test("[F14] [F15] [F16] half a character, overflow, and what is no object", () => {
    expect(problemOf(asking("cut \ud83d here"))?.path).toBe("messages[0].content.text");
    expect(problemOf(asking("x", JSON.parse('{"modelPreferences":{"costPriority":1e400}}')))?.path).toBe(
      "modelPreferences.costPriority",
    );
    expect(problemOf(null)).toEqual({ path: "", problem: "null where an object belongs" });
  });

  test("a path spells out what a server hid in a key", () => {
    const params = asking("x", { tools: [{ "\u202eevil\n": "\ud800" }] });
    expect(problemOf(params)?.path).toBe('tools[0]["\\u202eevil\\n"]');
  });
});

test("[F12] [I4] a prototype is not read and not set", () => {
  const params = JSON.parse('{"messages":[{"role":"user","content":{"__proto__":{"type":"text"},"text":"x"}}]}');
  expect(identityOf(params)).toContain('[{"__proto__":{"type":"text"},"text":"x"}]');
  expect(identityOf(Object.create(asking("x")))).toBe('{"includeContext":"none"}');
});

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}

function composed(value: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.normalize("NFC"), inner.normalize("NFC")]),
  );
}
