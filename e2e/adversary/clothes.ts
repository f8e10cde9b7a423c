/** One sampling request in many clothes: frames that differ byte for byte and ask for exactly the same (SPEC I2, I3). */

export type Params = Readonly<Record<string, unknown>>;

/** Has everything there is to dress: accents, escapes, hints, a fraction. */
export function plainRequest(text: string): Params {
  return {
    systemPrompt: 'R\u00e9sum\u00e9 in \u00a3, "briefly".',
    messages: [
      {
        role: "user",
        content: { type: "text", text: `${text} \u2013 caf\u00e9, na\u00efve, \u00c5ngstr\u00f6m, \u{1f4b7}\n\u1e69` },
      },
      { role: "assistant", content: { type: "text", text: "\uac00\ub098\ub2e4" } },
      { role: "user", content: { type: "text", text: "and?" } },
    ],
    modelPreferences: { hints: [{ name: "claude" }], costPriority: 0.5 },
    maxTokens: 100,
  };
}

export interface Garment {
  readonly name: string;
  /** The frame, with `$ID` where its id belongs. `n` makes what may be nudged differ from frame to frame. */
  readonly dress: (params: Params, n: number) => string;
}

export const CLOTHES: readonly Garment[] = [
  { name: "as it was", dress: (params) => frameOf(JSON.stringify(params)) },
  { name: "keys in another order", dress: (params) => frameOf(JSON.stringify(reversed(params))) },
  {
    name: "other whitespace",
    dress: (params) => frameOf(JSON.stringify(params, null, "\t").replaceAll("\n", " \r\t")),
  },
  { name: "escapes for literals", dress: (params) => frameOf(escaped(JSON.stringify(params))) },
  { name: "decomposed letters", dress: (params) => frameOf(JSON.stringify(params).normalize("NFD")) },
  { name: "nudged", dress: (params, n) => frameOf(JSON.stringify(nudged(params, n))) },
  { name: "null for absent", dress: (params) => frameOf(JSON.stringify(withNulls(params))) },
  { name: "the default said", dress: (params) => frameOf(JSON.stringify({ ...params, includeContext: "none" })) },
  { name: "lists of one block", dress: (params) => frameOf(JSON.stringify(listed(params))) },
  { name: "other spellings of numbers", dress: (params) => frameOf(respelled(JSON.stringify(params))) },
  {
    name: "all of it",
    dress: (params, n) => frameOf(escaped(JSON.stringify(reversed(listed(withNulls(nudged(params, n)))), null, " "))),
  },
];

/** The n-th frame of an attack: every garment in turn. */
export function dressed(params: Params, n: number): string {
  return CLOTHES[n % CLOTHES.length]?.dress(params, n) ?? "";
}

/** The same as parameters, where the frame is somebody else's to write. */
export function dressedParams(params: Params, n: number): Params {
  const frame = dressed(params, n).replace("$ID", "0");
  return (JSON.parse(frame) as { params: Params }).params;
}

function frameOf(params: string): string {
  // A raw line end would cut a server-sent event; JSON takes it for a blank.
  const inOneLine = params.replaceAll(/[\r\n]/g, " ");
  return `{"method":"sampling/createMessage", "params":${inOneLine},"jsonrpc":"2.0","id":$ID}`;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reversed(inner)]));
}

/** Every letter inside a string literal as an escape, keys too. */
function escaped(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, (literal) => {
    const text = JSON.parse(literal) as string;
    return `"${[...Array(text.length).keys()].map((at) => escapeOf(text.charCodeAt(at))).join("")}"`;
  });
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}`;
}

function nudged(params: Params, n: number): Params {
  return {
    ...params,
    temperature: (n % 100) / 100,
    maxTokens: 1 + (n % 500),
    stopSequences: [`stop ${n}`],
    metadata: { attempt: n, please: "again" },
    _meta: { trace: `t-${n}` },
  };
}

function withNulls(params: Params): Params {
  const preferences = params.modelPreferences as Params;
  return {
    ...params,
    includeContext: null,
    modelPreferences: { ...preferences, speedPriority: null, intelligencePriority: null },
  };
}

function listed(params: Params): Params {
  const messages = params.messages as readonly { readonly content: unknown }[];
  return { ...params, messages: messages.map((message) => ({ ...message, content: [message.content] })) };
}

function respelled(json: string): string {
  return json.replace('"costPriority":0.5', '"costPriority":5.0e-1').replace('"maxTokens":100', '"maxTokens":1.00E+2');
}
