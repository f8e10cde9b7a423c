/**
 * Bytes of a server on their way to a decision: frames, mutated frames and event streams, from one seed. Whatever comes,
 * nothing throws, each answer is owed to a request, and what is accepted has one identity however it is spelled.
 * PURSER_FUZZ_SEED sets the seed, PURSER_SOAK=1 runs twenty times as many; a failure prints seed and path.
 */
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { identityText } from "../../policy/identity";
import { parseRequest } from "../../policy/request";
import { type Intake, takeIn } from "../sampling/intake";
import type { Members } from "./frame";
import { createGate, type Gate } from "./gate";
import type { IncomingSampling } from "./incoming";
import { NO_TURN } from "./lanes";
import { sseSplitter } from "./sse";

const SEED = Number(process.env.PURSER_FUZZ_SEED ?? 2_026);
const TIMES = process.env.PURSER_SOAK === "1" ? 20 : 1;
const TIMEOUT_MS = 300_000 * TIMES;

const runs = (numRuns: number) => ({ seed: SEED, numRuns: numRuns * TIMES });

/** Values as JSON text, so that what no `JSON.stringify` writes can be written too. */
const oddText = fc.oneof(
  fc.constantFrom("1e999", "-0", "-1e999", "0.5", "-5", "0", "1e15", '"10"', "null", "true", "[]", "{}", '""', "NaN"),
  fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e"', '{"__proto__":{"role":"user"}}'),
  fc.constantFrom('{"constructor":{"prototype":1}}', '{"a":1,"a":2}', '{"\\u00e9":1,"e\\u0301":2}'),
  fc.integer({ min: 1, max: 200 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.integer({ min: 1, max: 90 }).map((marks) => `"a${"\u0301".repeat(marks)}"`),
  fc.jsonValue({ maxDepth: 2, stringUnit: "binary" }).map((value) => JSON.stringify(value)),
);
const mostlyText = (...good: readonly string[]) =>
  fc.oneof({ weight: 24, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: oddText });
const words = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      "Größe",
      "e\u0301",
      "\u2126 \u212b",
      "각",
      "<|endoftext|>",
      "a\u034f\u0301",
      "\u{1d15e}",
      "0\u0338",
    ),
  )
  .map((text) => JSON.stringify(text));

/** An object as text, its members in the order given, some left out and now and then one twice. */
function object(members: Readonly<Record<string, fc.Arbitrary<string>>>, required: readonly string[]) {
  const names = Object.keys(members);
  return fc
    .tuple(
      fc.record(members),
      fc.array(fc.constantFrom(...names, ...required), { maxLength: 4 }),
      fc.integer({ min: 0, max: 30 }),
    )
    .map(([values, order, twice]) => {
      const chosen = [...new Set([...order, ...required])];
      if (twice === 0) chosen.push(chosen[0] ?? "");
      return `{${chosen.map((name) => `${JSON.stringify(name)}:${values[name]}`).join(",")}}`;
    });
}
const list = (one: fc.Arbitrary<string>, minLength: number, maxLength: number) =>
  fc.array(one, { minLength, maxLength }).map((items) => `[${items.join(",")}]`);

const block = object(
  {
    type: mostlyText('"text"', '"text"', '"text"', '"image"', '"tool_use"'),
    text: fc.oneof({ weight: 24, arbitrary: words }, { weight: 1, arbitrary: oddText }),
    data: mostlyText('"iVBORw0KGgo="', '"AAAA"'),
    mimeType: mostlyText('"image/png"', '"image/tiff"'),
    _meta: mostlyText("{}", '{"é":1}'),
  },
  ["type", "text"],
);
const message = object(
  {
    role: mostlyText('"user"', '"assistant"'),
    content: fc.oneof(
      { weight: 12, arbitrary: block },
      { weight: 12, arbitrary: list(block, 1, 3) },
      { weight: 1, arbitrary: oddText },
    ),
    extra: mostlyText('"kept"', "[1,[2]]"),
  },
  ["role", "content"],
);
const params = object(
  {
    messages: fc.oneof({ weight: 24, arbitrary: list(message, 1, 2) }, { weight: 1, arbitrary: oddText }),
    maxTokens: mostlyText("1", "100", "1e3"),
    includeContext: mostlyText('"none"', '"thisServer"', '"allServers"', "null"),
    modelPreferences: mostlyText('{"hints":[{"name":"x"},{}],"costPriority":1}', "null"),
    systemPrompt: fc.oneof({ weight: 9, arbitrary: words }, { weight: 1, arbitrary: oddText }),
    temperature: mostlyText("0", "0.7", "null"),
    stopSequences: mostlyText('["END"]', "null"),
    metadata: mostlyText('{"a":{"b":[1e-7,-0]}}', "{}"),
    tools: mostlyText("null", "null", "null", '[{"name":"look","inputSchema":{}}]'),
    _meta: mostlyText('{"progressToken":1}', '{"progressToken":"a"}'),
  },
  ["messages", "maxTokens"],
);
const id = mostlyText("0", "1", "2", '"1"', '""', "1.5");
const sampling = object(
  {
    jsonrpc: mostlyText('"2.0"'),
    id,
    method: mostlyText('"sampling/createMessage"'),
    params: fc.oneof({ weight: 24, arbitrary: params }, { weight: 1, arbitrary: oddText }),
  },
  ["jsonrpc", "id", "method", "params"],
);
const other = object(
  {
    jsonrpc: mostlyText('"2.0"'),
    id,
    method: mostlyText('"notifications/cancelled"', '"ping"', '"roots/list"', '"sampling/createMessage"'),
    params: mostlyText('{"requestId":1}', '{"requestId":"1"}', "{}"),
    result: fc.oneof(oddText, fc.constant('{"content":[]}')),
    error: mostlyText('{"code":-1,"message":"no"}', '{"code":"x"}'),
  },
  ["jsonrpc"],
);
const frame = fc.oneof(
  { weight: 12, arbitrary: sampling },
  { weight: 3, arbitrary: other },
  { weight: 1, arbitrary: list(fc.oneof(sampling, other), 0, 4) },
  { weight: 1, arbitrary: oddText },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);

/** One change of the bytes: flipped, left out, put in, repeated, or cut off. */
interface Change {
  readonly how: "flip" | "drop" | "insert" | "repeat" | "cut";
  readonly at: number;
  readonly byte: number;
}
const change: fc.Arbitrary<Change> = fc.record({
  how: fc.constantFrom("flip", "flip", "flip", "flip", "drop", "insert", "insert", "repeat", "cut"),
  at: fc.nat({ max: 4_096 }),
  byte: fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(...Buffer.from('{}[]",:\\0eu- aZ19'))),
});
function changed(text: string, changes: readonly Change[]): string {
  let bytes = [...Buffer.from(text)];
  for (const { how, at, byte } of changes) {
    const from = at % (bytes.length + 1);
    if (how === "flip") bytes[from % Math.max(1, bytes.length)] = byte;
    else if (how === "drop") bytes.splice(from, 1 + (byte % 8));
    else if (how === "insert") bytes.splice(from, 0, byte);
    else if (how === "repeat") bytes.splice(from, 0, ...bytes.slice(from, from + byte));
    else bytes = bytes.slice(0, from);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

interface Wire {
  readonly gate: Gate;
  readonly sent: Members[];
  readonly intakes: { readonly incoming: IncomingSampling; readonly intake: Intake }[];
  readonly taking: Promise<Intake>[];
}

/** A connection with one request of ours on its way, whose sampling requests are taken in and then answered. */
function wire(): Wire {
  const sent: Members[] = [];
  const intakes: Wire["intakes"] = [];
  const taking: Wire["taking"] = [];
  const gate = createGate({
    server: "ci-triage",
    transport: "websocket",
    onWarning: () => undefined,
    onLate: () => undefined,
    lane: { read: (work) => work(), begin: (work) => work(NO_TURN) },
    send: async (answer) => void sent.push(answer),
    sampling: {
      async one(incoming) {
        const intake = takeIn(incoming, { id: "x", tool: null, receivedAt: 0, tab: "t" });
        taking.push(intake);
        intakes.push({ incoming, intake: await intake });
        return { result: {} };
      },
      embedded: async () => ({ ok: false, key: "", message: "" }),
    },
  });
  gate.protocol = "2025-11-25";
  gate.issue({
    key: "k",
    method: "tools/call",
    runId: "run-1",
    label: "a call",
    heard: () => undefined,
    state: "open",
    raw: null,
    repeated: null,
  });
  gate.sent(1, "k");
  return { gate, sent, intakes, taking };
}

async function through(text: string): Promise<Wire & { readonly handed: readonly Members[] }> {
  const line = wire();
  const handed = line.gate.inbound(text, { stream: 0, ticket: null });
  // What was taken starts in a microtask, waits for one digest, and is answered in microtasks.
  await Promise.resolve();
  await Promise.allSettled(line.taking);
  if (line.taking.length > 0) await new Promise(setImmediate);
  return { ...line, handed };
}

/** What holds of every frame, whatever is in it. Returns what was accepted. */
async function checked(text: string): Promise<readonly { readonly params: unknown; readonly identity: string }[]> {
  const { gate, sent, intakes, handed } = await through(text);
  expect(gate.isBusy("run-1"), "a request was never answered").toBe(false);
  for (const one of handed)
    expect(one.method === "sampling/createMessage", "the SDK sees a sampling request").toBe(false);
  for (const { jsonrpc, id: to, ...body } of sent) {
    expect(jsonrpc).toBe("2.0");
    expect(["string", "number"]).toContain(typeof to);
    expect("result" in body !== "error" in body, "not exactly one of result and error").toBe(true);
  }
  return intakes.flatMap(({ incoming, intake }) => {
    if (intake.ok) {
      expect(intake.identity).toMatch(/^ci-triage:[0-9a-f]{32}$/);
      return [{ params: incoming.params, identity: intake.identity }];
    }
    // A server reads it and a log shows it: no byte of theirs may hide or turn in it.
    expect(intake.path).toMatch(/^[\x20-\x7e]{0,200}$/);
    expect(intake.problem).toMatch(/^[\x20-\x7e]{1,200}$/);
    return [];
  });
}

/** The same request in other words: keys backwards, blanks between, every character escaped, texts decomposed. */
function respelled(
  value: unknown,
  how: { readonly escapes: boolean; readonly nfd: boolean; readonly blanks: string },
): string {
  const text = (one: string) => {
    const spelled = how.nfd ? one.normalize("NFD") : one;
    if (!how.escapes) return JSON.stringify(spelled);
    const units = Array.from({ length: spelled.length }, (_, at) => spelled.charCodeAt(at));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
  };
  const write = (one: unknown): string => {
    if (typeof one === "string") return text(one);
    if (Array.isArray(one)) return `[${how.blanks}${one.map(write).join(`,${how.blanks}`)}]`;
    if (typeof one !== "object" || one === null) return JSON.stringify(one);
    const members = Object.entries(one).reverse();
    return `{${members.map(([key, inner]) => `${text(key)}${how.blanks}:${how.blanks}${write(inner)}`).join(",")}}`;
  };
  return write(value);
}

const spelling = fc.record({
  escapes: fc.boolean(),
  nfd: fc.boolean(),
  blanks: fc.constantFrom("", " ", "\n\t", "\r\n "),
});

async function checkAccepted(text: string, how: Parameters<typeof respelled>[1]): Promise<number> {
  const accepted = await checked(text);
  for (const one of accepted) {
    const again = `{"method":"sampling/createMessage","id":7,"params":${respelled(one.params, how)},"jsonrpc":"2.0"}`;
    const [other] = await checked(again);
    const decomposed = how.nfd && identityText(JSON.parse(again).params);
    if (!decomposed || decomposed.ok)
      expect(other?.identity, "another spelling is another identity").toBe(one.identity);
    expect(parseRequest(JSON.parse(JSON.stringify(one.params)), { samplingTools: false }).ok).toBe(true);
    const digested = identityText(one.params);
    expect(digested.ok && digested.value.length).toBeLessThanOrEqual(6 * text.length + 200);
  }
  return accepted.length;
}

test(
  "[W9][I2][I4] no frame breaks the way to a decision, and what is accepted has one identity in every spelling",
  async () => {
    let [tried, accepted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(frame, spelling, async (text, how) => {
        tried += 1;
        accepted += await checkAccepted(text, how);
      }),
      runs(20_000),
    );
    expect(accepted, "hardly anything was accepted").toBeGreaterThan(tried / 10);
  },
  TIMEOUT_MS,
);

test(
  "[W9][W1] no changed byte of a frame breaks the way to a decision",
  async () => {
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    let [tried, accepted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(frame, changes, async (text, given) => {
        tried += 1;
        accepted += (await checked(changed(text, given))).length;
      }),
      runs(35_000),
    );
    expect(accepted, "hardly anything was accepted").toBeGreaterThan(tried / 200);
  },
  TIMEOUT_MS,
);

test(
  "[W9] the ends of a frame too large to read name no request that is not its own",
  () => {
    fc.assert(
      fc.property(frame, fc.array(change, { maxLength: 2 }), fc.nat(300), fc.nat(300), (text, given, head, tail) => {
        const whole = changed(text, given);
        const { gate } = wire();
        for (const one of gate.oversized(whole.slice(0, head), whole.slice(-tail), { stream: 0, ticket: null })) {
          expect(one).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code: -32603 } });
        }
      }),
      runs(5_000),
    );
  },
  TIMEOUT_MS,
);

const streamLine = fc.oneof(
  fc.constantFrom(
    "",
    "",
    "",
    ": note",
    "event",
    "event:",
    "event: ",
    "event: message",
    "event: ping",
    "event:  message",
  ),
  fc.constantFrom(
    "id: 7",
    "id",
    "id:\u0000",
    "retry: 10",
    "retry: x",
    "data",
    "data:",
    "data: ",
    "Data: no",
    " data: no",
  ),
  fc.constantFrom('data: {"jsonrpc":"2.0","id":1,', 'data: "method":"ping"}', "data:{}", "data: é 🚢", "\uFEFFdata: b"),
  fc.string({ unit: "binary", maxLength: 8 }).map((text) => `data: ${text}`),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const stream = fc
  .array(fc.tuple(streamLine, fc.constantFrom("\n", "\n", "\r\n", "\r")), { maxLength: 24 })
  // The last byte is no carriage return alone: whether a line feed follows it can only be told from what comes next.
  .map((lines) => `${lines.map((one) => one.join("")).join("")}\n\n`);

/** What a reader of ours or of the SDK's takes for messages: events without a name, or named so, that hold something. */
function messagesIn(text: string): readonly string[] {
  const messages: string[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if ((event === undefined || event === "message") && data !== "") messages.push(data);
    },
  });
  parser.feed(text);
  return messages;
}

function splitBy(pieces: readonly string[], hand: (data: string) => readonly string[]) {
  const seen: string[] = [];
  const sink = {
    event({ data }: { readonly data: string }) {
      seen.push(data);
      return hand(data);
    },
    oversized: () => [],
  };
  const split = sseSplitter(sink);
  return { out: pieces.map((piece) => split(piece)).join(""), seen };
}

/** The bytes of a text cut anywhere, decoded as a stream is: a character may come in two pieces. */
function piecesOf(text: string, cuts: readonly number[]): readonly string[] {
  const bytes = Buffer.from(text);
  const decoder = new TextDecoder();
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((one, two) => one - two);
  return [...at, bytes.length].map((end, nth) =>
    decoder.decode(bytes.subarray(nth === 0 ? 0 : at[nth - 1], end), { stream: true }),
  );
}

test(
  "[W9] whichever way a stream is cut, its events are those of an independent reader, and none passes the gate",
  () => {
    let messages = 0;
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        const pieces = piecesOf(text, cuts);
        const decoded = new TextDecoder().decode(Buffer.from(text));
        const expected = messagesIn(decoded);
        messages += expected.length;
        const kept = splitBy(pieces, (data) => [data]);
        expect(kept.seen).toEqual(expected);
        expect(messagesIn(kept.out), "what is handed on says something else").toEqual(expected);
        const taken = splitBy(pieces, () => []);
        expect(messagesIn(taken.out), "a message passed that nobody looked at").toEqual([]);
      }),
      runs(25_000),
    );
    expect(messages, "hardly any message was read").toBeGreaterThan(10_000);
  },
  TIMEOUT_MS,
);
