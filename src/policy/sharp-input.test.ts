/** Edges of what is read from servers that mutation found, or would have found, unwatched. */
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical";
import { identityText } from "./identity";
import { jsonProblem } from "./json-check";
import { hasLongMarkRun } from "./marks";
import { pathText } from "./path";
import { Bad, fields, list, number, optional, own, text } from "./read";
import { parseRequest } from "./request";

function said(work: () => unknown): string {
  try {
    return `ok ${String(work())}`;
  } catch (error) {
    return error instanceof Bad ? `${error.at.path}: ${error.at.problem}` : String(error);
  }
}

test("[W9] a path reads like the code that would reach it, whatever the keys, and is bounded", () => {
  expect(pathText([])).toBe("");
  expect(pathText(["a", 0, "b_9", "_c", 12])).toBe("a[0].b_9._c[12]");
  expect(pathText([3, "x"])).toBe("[3].x");
  expect(pathText(["a b", "", "1a", "a-b"])).toBe('["a b"][""]["1a"]["a-b"]');
  expect(pathText(["é", "a\u202e\n\u007f~"])).toBe('["\\u00e9"]["a\\u202e\\n\\u007f~"]');
  expect(pathText(["k".repeat(41)])).toBe("k".repeat(40));
  expect(pathText(Array.from({ length: 50 }, () => "abcd"))).toHaveLength(200);
  expect(pathText([".a"])).toBe('[".a"]');
});

test("[W9] what is read says what stood there and what belongs there", () => {
  const values = [undefined, null, [], {}, "x", 1, true] as const;
  expect(values.map((value) => said(() => text(value, "p")))).toEqual([
    "p: nothing where a text belongs",
    "p: null where a text belongs",
    "p: a list where a text belongs",
    "p: an object where a text belongs",
    "ok x",
    "p: a number where a text belongs",
    "p: a boolean where a text belongs",
  ]);
  expect(values.map((value) => said(() => list(value, "p")).slice(0, 24))).toEqual([
    "p: nothing where a list ",
    "p: null where a list bel",
    "ok ",
    "p: an object where a lis",
    "p: a text where a list b",
    "p: a number where a list",
    "p: a boolean where a lis",
  ]);
  expect(values.map((value) => said(() => fields(value, "p")))).toEqual([
    "p: nothing where an object belongs",
    "p: null where an object belongs",
    "p: a list where an object belongs",
    "ok [object Object]",
    "p: a text where an object belongs",
    "p: a number where an object belongs",
    "p: a boolean where an object belongs",
  ]);
  expect([0, 1, -0.1, 1.1, Number.NaN, "1"].map((value) => said(() => number(value, "p", 0, 1)))).toEqual([
    "ok 0",
    "ok 1",
    "p: -0.1 is less than 0",
    "p: 1.1 is more than 1",
    "p: the number is not finite",
    "p: a text where a number belongs",
  ]);
  expect([undefined, null, 0, ""].map((value) => optional(value, () => "read"))).toEqual([null, null, "read", "read"]);
  expect(own({}, "toString")).toBeUndefined();
});

test("[W9] the first thing that is no JSON is named with its place, in the order of the text", () => {
  const problem = (value: unknown) => {
    const found = jsonProblem(value);
    return found === null ? null : `${found.path}: ${found.problem}`;
  };
  const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
    Array.from({ length: levels }).reduce<unknown>((inner) => wrap(inner), 1);
  expect(problem({ a: [1, "x", null, true, { b: undefined }], c: -0 })).toBeNull();
  expect(problem({ a: 1n })).toBe("a: bigint is no JSON");
  expect(problem([() => 1])).toBe("[0]: function is no JSON");
  expect(problem([undefined])).toBe("[0]: undefined is no JSON");
  expect(problem(undefined)).toBe(": undefined is no JSON");
  expect(problem({ a: { b: ["\ud800"] } })).toBe("a.b[0]: the text holds half of a surrogate pair");
  expect(problem({ a: { "\ud800": 1 } })).toBe("a: a key holds half of a surrogate pair");
  expect(problem({ a: Number.POSITIVE_INFINITY })).toBe("a: the number is not finite");
  expect(problem({ a: [1n, 2n], b: 1n })).toBe("a[0]: bigint is no JSON");
  expect(problem({ b: 1n, a: { c: 1n } })).toBe("b: bigint is no JSON");
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
    expect(problem(nested(64, wrap))).toBeNull();
    expect(problem(nested(65, wrap))).toMatch(/: nested deeper than 64$/);
  }
});

test("[I4] what canonical JSON cannot hold is named with its place", () => {
  expect(said(() => canonicalJson({ b: [-0, 1e21, 1e-7], a: null, c: undefined }))).toBe(
    'ok {"a":null,"b":[0,1e+21,1e-7]}',
  );
  expect(said(() => canonicalJson([true, false, null, '\u2028"', [], {}]))).toBe(
    'ok [true,false,null,"\u2028\\"",[],{}]',
  );
  expect(said(() => canonicalJson({ a: [1, { b: Number.NaN }] }))).toBe("a[1].b: the number is not finite");
  expect(said(() => canonicalJson({ a: ["\ud800"] }))).toBe("a[0]: the text holds half of a surrogate pair");
  expect(said(() => canonicalJson({ a: { b: 1n } }))).toBe("a.b: bigint is no JSON");
  expect(said(() => canonicalJson([1, [2], () => 1]))).toBe("[2]: function is no JSON");
});

describe("[I2] the identity copy", () => {
  const of = (params: unknown) => {
    const read = identityText(params);
    return read.ok ? read.value : `${read.path}: ${read.problem}`;
  };

  test("holds the same what is the same, and nothing else", () => {
    expect(of({})).toBe('{"includeContext":"none"}');
    expect(of({ includeContext: null, messages: [], systemPrompt: null, maxTokens: 9, temperature: 1 })).toBe(
      '{"includeContext":"none","messages":[]}',
    );
    expect(of({ messages: [{ content: "x" }, { content: ["x"] }, { content: { content: "y" } }] })).toBe(
      '{"includeContext":"none","messages":[{"content":["x"]},{"content":["x"]},{"content":[{"content":"y"}]}]}',
    );
    // Only a message's own content is a list of one.
    expect(of({ modelPreferences: [{ content: "x" }], tools: [{ content: "x" }], toolChoice: { content: 1 } })).toBe(
      '{"includeContext":"none","modelPreferences":[{"content":"x"}],"toolChoice":{"content":1},"tools":[{"content":"x"}]}',
    );
    expect(of({ systemPrompt: "e\u0301\u00ff", messages: [null, { a: null, b: [null] }] })).toBe(
      '{"includeContext":"none","messages":[null,{"b":[null]}],"systemPrompt":"é\u00ff"}',
    );
  });

  test("is refused with its place where it would take long, or where two keys are one", () => {
    expect(of([])).toBe(": a list where an object belongs");
    expect(of({ messages: [{ a: `x${"\u0301".repeat(31)}` }] })).toBe(
      "messages[0].a: more than 30 combining marks in a row",
    );
    expect(of({ messages: [`x${"\u0301".repeat(30)}`] })).not.toContain(": more");
    expect(of({ messages: [{ é: 1, "e\u0301": 2 }] })).toBe("messages[0]: two of its keys are the same text");
  });

  test("is as long as a frame at most", () => {
    const around = '{"includeContext":"none","systemPrompt":""}'.length;
    const room = 4 * 1024 * 1024 - around;
    expect(of({ systemPrompt: "x".repeat(room) })).toHaveLength(4 * 1024 * 1024);
    expect(of({ systemPrompt: "x".repeat(room + 1) })).toBe(": its composed text is longer than 4 MiB");
  });
});

test("[I4] marks of every plane count as one each, wherever the run stands", () => {
  for (const mark of ["\u0300", "\u20d0", "\u302a", "\ua66f", "\ufe20", "\u{1d165}", "\u{e0100}"]) {
    for (const before of ["", "a", "漢".repeat(31), "각".repeat(40), "“".repeat(35), "🚢".repeat(20)]) {
      expect(hasLongMarkRun(`${before}${mark.repeat(30)}z`), `${mark} ${before}`).toBe(false);
      expect(hasLongMarkRun(`${before}${mark.repeat(31)}z`), `${mark} ${before}`).toBe(true);
    }
  }
  expect(hasLongMarkRun("漢".repeat(500))).toBe(false);
  expect(hasLongMarkRun("\udc00".repeat(40))).toBe(false);
});

describe("[W9] media types and base64", () => {
  const at = (type: string, mimeType: string, data: string) => {
    const params = { messages: [{ role: "user", content: { type, mimeType, data } }], maxTokens: 1 };
    const read = parseRequest(params, { samplingTools: false });
    return read.ok ? null : `${read.path.split(".").at(-1)}: ${read.problem}`;
  };

  test("a media type is of its kind, bounded, with parameters in plain characters", () => {
    for (const good of [
      "image/tiff",
      "IMAGE/x-a+b.c",
      `image/${"a".repeat(100)}`,
      "image/tiff;q=1",
      "image/tiff ; q=1 ~",
      `image/tiff;${"q".repeat(200)}`,
    ])
      expect(at("image", good, "AAAA"), good).toBeNull();
    for (const bad of [
      "ximage/tiff",
      "image/.a",
      `image/${"a".repeat(101)}`,
      "image/tiff  ;q",
      "image/tiff;",
      "image/tiff;é",
      `image/tiff;${"q".repeat(201)}`,
      "image/a b",
      "audio/wav",
    ])
      expect(at("image", bad, "AAAA"), bad).toBe("mimeType: not an image type");
    expect(at("audio", "image/png", "AAAA")).toBe("mimeType: not an audio type");
    expect(at("audio", "audio/wav", "AAAA")).toBeNull();
  });

  test("data are whole quartets of the one alphabet, padded at the end only", () => {
    for (const good of ["AAAA", "AA==", "AAA=", "+/09azAZ"]) expect(at("image", "image/tiff", good), good).toBeNull();
    for (const bad of ["", "A", "AAAAA", "A===", "=AAA", "AA=A", "AAA\n", "AAA-", " AAA", "AAAA===="])
      expect(at("image", "image/tiff", bad), bad).toBe("data: not base64");
    expect(at("image", "image/png; a", "AAAA")).toBe("data: its bytes are no image/png");
    expect(at("image", "image/jpg", "/9j/AAAA")).toBeNull();
    expect(at("image", "image/jpg", "A/9j/AAA")).toBe("data: its bytes are no image/jpg");
  });
});

describe("[W9] tools and preferences, each with its place", () => {
  const read = (more: Readonly<Record<string, unknown>>, samplingTools = true) => {
    const messages = [{ role: "user", content: { type: "text", text: "hi" } }];
    const parsed = parseRequest({ messages, maxTokens: 1, ...more }, { samplingTools });
    return parsed.ok ? parsed.value : `${parsed.path}: ${parsed.problem}`;
  };
  const said = (role: string, block: unknown) => read({ messages: [{ role, content: block }] });
  const USE = { type: "tool_use", id: "a", name: "n", input: {} };

  test("tools", () => {
    expect(read({ tools: {} })).toBe("tools: an object where a list belongs");
    expect(read({ tools: [{ name: "", inputSchema: {} }] })).toBe("tools[0].name: a tool without a name");
    expect(read({ toolChoice: [] })).toBe("toolChoice: a list where an object belongs");
    for (const choice of [{}, { mode: null }, { mode: "auto" }, { mode: "required" }, { mode: "none" }])
      expect(read({ toolChoice: choice })).toMatchObject({ toolChoice: choice });
    expect(read({ toolChoice: { mode: "" } })).toBe("toolChoice.mode: neither auto, required nor none");
  });

  test("their uses and results", () => {
    expect(said("assistant", { ...USE, id: 1 })).toBe("messages[0].content.id: a number where a text belongs");
    expect(said("assistant", { ...USE, name: 1 })).toBe("messages[0].content.name: a number where a text belongs");
    const answered = (result: object) =>
      read({
        messages: [
          { role: "assistant", content: USE },
          { role: "user", content: { type: "tool_result", toolUseId: "a", ...result } },
        ],
      });
    expect(answered({ toolUseId: 1 })).toBe("messages[1].content.toolUseId: a number where a text belongs");
    expect(answered({ content: "x" })).toBe("messages[1].content.content: a text where a list belongs");
    expect(answered({ structuredContent: {} })).toBe(
      "messages[1].content.structuredContent: structured content without content",
    );
    const last = (result: object) => {
      const request = answered(result);
      return typeof request === "string" ? request : request.messages[1]?.content[0];
    };
    const plain = { type: "tool_result", toolUseId: "a", content: [], isError: false };
    expect(last({})).toEqual(plain);
    expect(last({ isError: true })).toEqual({ ...plain, isError: true });
    const content = [{ type: "text", text: "x" }];
    expect(last({ content, structuredContent: { a: 1 } })).toEqual({ ...plain, content });
    // Where tools were not offered, nothing of them is looked at.
    expect(read({ messages: [{ role: "user", content: USE }] }, false)).toBe(
      "messages[0].content.type: tool_use is not taken here",
    );
  });

  test("preferences", () => {
    expect(read({ modelPreferences: [] })).toBe("modelPreferences: a list where an object belongs");
    for (const key of ["costPriority", "speedPriority", "intelligencePriority"]) {
      expect(read({ modelPreferences: { [key]: -1 } })).toBe(`modelPreferences.${key}: -1 is less than 0`);
      expect(read({ modelPreferences: { [key]: 1 } })).toMatchObject({ modelPreferences: { [key]: 1 } });
    }
    expect(read({ includeContext: ["none"] })).toMatch(/^includeContext: /);
  });

  test("a picture begins as its kind does, not somewhere", () => {
    for (const [kind, start] of [
      ["png", "iVBORw0KGgoA"],
      ["jpeg", "/9j/AAAA"],
      ["jpg", "/9j/AAAA"],
      ["gif", "R0lGODAA"],
      ["webp", "UklGRAAAAAAXRUJQ"],
    ]) {
      const image = (data: string) => said("user", { type: "image", mimeType: `image/${kind}`, data });
      expect(typeof image(`${start}`), kind).toBe("object");
      expect(image(`AAAA${start}`)).toBe(`messages[0].content.data: its bytes are no image/${kind}`);
    }
  });
});
