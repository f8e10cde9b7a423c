/** Tools no sensible server would list, each with the arguments it is called with all the same. */

export interface AbsurdTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly [more: string]: unknown;
}

const fields = (count: number, schema: (at: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema(at)]));
const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const nested = (depth: number): unknown =>
  JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(depth)}{}${"}}".repeat(depth)}`);

/** @param trap address that nothing may be fetched from */
export function absurdTools(trap: string): readonly AbsurdTool[] {
  const wide = { $defs: { e: { enum: Array.from({ length: 500 }, (_, at) => `choice ${at}`) } } };
  return [
    { name: "self", inputSchema: object({ a: { $ref: "#/properties/a" }, b: { $ref: "#" } }) },
    {
      name: "mutual",
      inputSchema: object(
        { x: { $ref: "#/$defs/a" } },
        { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      ),
    },
    { name: "bush", inputSchema: object(fields(300, () => ({ $ref: "#" }))) },
    {
      name: "remote",
      inputSchema: object(
        { ok: { $ref: "#/$defs/Ok" }, far: { $ref: `${trap}/schema.json` } },
        { $id: `${trap}/id`, $schema: `${trap}/meta`, $defs: { Ok: { type: "string" } } },
      ),
    },
    { name: "wide", inputSchema: object(fields(10_000, () => ({ type: "string" }))) },
    { name: "deep", inputSchema: nested(2_000) },
    { name: "choices", inputSchema: object({ c: { enum: Array.from({ length: 20_000 }, (_, at) => at) } }) },
    {
      name: "choices everywhere",
      inputSchema: object(
        fields(200, () => ({ $ref: "#/$defs/e" })),
        wide,
      ),
    },
    {
      name: "talkative",
      description: "word ".repeat(100_000),
      inputSchema: object(fields(50, () => ({ type: "string", description: "d ".repeat(5_000) }))),
    },
    {
      name: "lists",
      inputSchema: object(
        { l: [1, 2, 3, 4, 5].reduce<object>((items) => ({ type: "array", minItems: 50, items }), {}) },
        { required: ["l"] },
      ),
    },
    { name: "no schema", inputSchema: "text" },
    { name: "pay\u202Elog", inputSchema: object({}) },
    { name: "\u200B", inputSchema: object({}) },
    { name: "__proto__", inputSchema: JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') },
    { name: "constructor", inputSchema: object({}) },
    { name: "a/b%2F../c?d#e", inputSchema: object({}) },
    { name: "..", inputSchema: object({}) },
    { name: "quote\"'<b>&amp;", inputSchema: object({}) },
  ];
}

/** What is left out, or counts once. */
export const UNUSABLE: readonly unknown[] = [
  { name: "" },
  { name: "half \ud800" },
  { name: "n".repeat(1024 * 1024) },
  { name: 7 },
  null,
  { name: "self", description: "a second one of that name" },
];

export function fillers(count: number): readonly AbsurdTool[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `filler ${at}`,
    description: "Does as little as the others. ".repeat(200),
    inputSchema: { type: "object", description: "s".repeat(7_000) },
  }));
}
