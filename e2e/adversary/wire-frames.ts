/** Sampling requests no honest server sends, as text with `$ID` for the id, and what each is answered. */

export interface BadFrame {
  readonly what: string;
  readonly text: string;
  /** Path of what is wrong; null where nothing is, and the policy answers. */
  readonly path: string | null;
}

const MIB = 1024 * 1024;
const MESSAGE = '{"role":"user","content":{"type":"text","text":"hello"}}';

const frame = (params: string, envelope = '"jsonrpc":"2.0",'): string =>
  `{${envelope}"id":$ID,"method":"sampling/createMessage","params":${params}}`;
const asking = (more: string, messages = MESSAGE): string => frame(`{"messages":[${messages}],"maxTokens":10${more}}`);
const tokens = (maxTokens: string): string => frame(`{"messages":[${MESSAGE}],"maxTokens":${maxTokens}}`);
const saying = (content: string): string => asking("", `{"role":"user","content":${content}}`);
const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** The frame, with the id it will have, of exactly `bytes`. */
function ofSize(bytes: number, id: number): string {
  const empty = asking(',"systemPrompt":""').replaceAll("$ID", String(id));
  return empty.replace('"systemPrompt":""', `"systemPrompt":"${"x".repeat(bytes - empty.length)}"`);
}

export const BAD_FRAMES: readonly BadFrame[] = [
  { what: "64 levels", text: asking(`,"metadata":${nested(63)}`), path: null },
  { what: "65 levels", text: asking(`,"metadata":${nested(64)}`), path: "params" },
  { what: "5,000 levels", text: asking(`,"metadata":${nested(5_000)}`), path: "params" },
  { what: "__proto__ as data", text: asking("", `{"__proto__":{"role":"system"},${MESSAGE.slice(1)}`), path: null },
  {
    what: "maxTokens by way of __proto__",
    text: frame(`{"messages":[${MESSAGE}],"__proto__":{"maxTokens":5}}`),
    path: "maxTokens",
  },
  { what: "constructor as data", text: asking(',"constructor":{"prototype":{"polluted":true}}'), path: null },
  {
    what: "half a character in a text",
    text: saying('{"type":"text","text":"\\ud800"}'),
    path: "messages[0].content.text",
  },
  { what: "half a character in a key", text: asking(',"metadata":{"\\udc00":1}'), path: "metadata" },
  { what: "a number past all numbers", text: tokens("1e999"), path: "maxTokens" },
  { what: "minus zero", text: tokens("-0"), path: "maxTokens" },
  { what: "a number in quotes", text: tokens('"10"'), path: "maxTokens" },
  { what: "null", text: tokens("null"), path: "maxTokens" },
  { what: "less than nothing", text: tokens("-5"), path: "maxTokens" },
  { what: "nothing", text: tokens("0"), path: "maxTokens" },
  { what: "a part of a token", text: tokens("1.5"), path: "maxTokens" },
  { what: "more than the world has", text: tokens("1e15"), path: null },
  { what: "a temperature past all", text: asking(',"temperature":-1e999'), path: "temperature" },
  {
    what: "a member twice",
    text: frame(`{"messages":[${MESSAGE}],"maxTokens":1,"maxTokens":100000}`),
    path: "maxTokens",
  },
  {
    what: "a member twice, once in escapes",
    text: asking("", `{"role":"user","r\\u006fle":"assistant","content":{"type":"text","text":"x"}}`),
    path: "messages[0].role",
  },
  {
    what: "the method twice",
    text: frame(`{"messages":[${MESSAGE}],"maxTokens":1}`, '"jsonrpc":"2.0","method":"ping",'),
    path: "method",
  },
  {
    what: "keys that are one when composed",
    text: asking("", `{"caf\u00e9":1,"cafe\u0301":2,${MESSAGE.slice(1)}`),
    path: "messages[0]",
  },
  {
    what: "a run of combining marks",
    text: saying(`{"type":"text","text":"e${"\u0301".repeat(40)}"}`),
    path: "messages[0].content.text",
  },
  {
    what: "half a million combining marks",
    text: saying(`{"type":"text","text":"e${"\u0301".repeat(500_000)}"}`),
    path: "messages[0].content.text",
  },
  {
    what: "an older JSON-RPC",
    text: frame(`{"messages":[${MESSAGE}],"maxTokens":1}`, '"jsonrpc":"1.0",'),
    path: "jsonrpc",
  },
  { what: "no params", text: '{"jsonrpc":"2.0","id":$ID,"method":"sampling/createMessage"}', path: "" },
  { what: "a batch", text: `[7,${asking("")},{"jsonrpc":"2.0","id":"in a batch","method":"ping"}]`, path: null },
];

/** By the id the frame will have, since its size counts. */
export const sizedFrames = (first: number): readonly BadFrame[] => [
  { what: "exactly 4 MiB", text: ofSize(4 * MIB, first), path: null },
  { what: "4 MiB and a byte", text: ofSize(4 * MIB + 1, first + 1), path: "$" },
  { what: "64 MiB", text: ofSize(64 * MIB, first + 2), path: "$" },
];

/** What cannot be answered, since it names no request. */
export const UNANSWERABLE: readonly string[] = [
  "{",
  "null",
  "[]",
  "[[]]",
  '{"jsonrpc":"2.0"}',
  `{"jsonrpc":"2.0","id":null,"method":"sampling/createMessage","params":{}}`,
  `{"jsonrpc":"2.0","id":1e999,"method":"sampling/createMessage","params":{}}`,
  `{"jsonrpc":"2.0","id":["x"],"method":"sampling/createMessage","params":{}}`,
  `{"jsonrpc":"2.0","method":"sampling/createMessage","params":{}}`,
  `{"jsonrpc":"2.0","id":"nobody asked","result":{}}`,
  `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"},"id":null}`,
];
