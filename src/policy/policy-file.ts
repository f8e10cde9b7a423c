/** `sampling-policy.yaml` to records and back, with line and column, comments kept (SPEC P2). */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  YAMLMap,
} from "yaml";
import { DEFAULT_POLICY, type Policy, samePolicy } from "./policy";
import { blockOf, parsePolicy } from "./policy-block";

export interface FileProblem {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** Server and key, e.g. `ci-triage.rate_limit.burst`; "" for the file itself. */
  readonly path: string;
  readonly message: string;
}

export type PolicyFile =
  | { readonly ok: true; readonly servers: ReadonlyMap<string, Policy> }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

const MAX_CHARS = 1024 * 1024;
const MAX_NAME_CHARS = 64;
/** Letters, digits and a few joints: nothing invisible, nothing that changes direction. */
const SERVER_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.@-]*(?: [\p{L}\p{N}\p{M}_.@-]+)*$/u;
const MONEY_KEYS = new Set(["usd", "consent_ceiling_usd"]);

/** Reads a whole file. Every problem is named with its place; one problem and nothing of the file counts. */
export function readPolicyFile(text: string): PolicyFile {
  if (text.length > MAX_CHARS) return onlyProblem("the file is larger than 1 MiB");
  const { doc, lines } = parsed(text);
  const problems: FileProblem[] = [];
  const sayAt = (offset: number, path: string, message: string) => {
    const { line, col } = lines.linePos(offset);
    problems.push({ line: Math.max(1, line), column: Math.max(1, col), path, message });
  };
  for (const error of doc.errors) sayAt(error.pos[0], "", firstLine(error.message));
  if (problems.length > 0) return { ok: false, problems };
  refuseReferences(doc, sayAt);
  if (problems.length > 0) return { ok: false, problems };
  const servers = new Map<string, Policy>();
  const blocks = serversOf(doc, sayAt);
  for (const pair of blocks?.items ?? []) readServer(doc, pair, servers, sayAt);
  return problems.length === 0 ? { ok: true, servers } : { ok: false, problems };
}

type SayAt = (offset: number, path: string, message: string) => void;

function parsed(text: string): { readonly doc: Document; readonly lines: LineCounter } {
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines, schema: "core", strict: true, uniqueKeys: true, logLevel: "silent" });
  return { doc, lines };
}

/** Anchors, aliases and tags let a short text mean a long or a surprising one. */
function refuseReferences(doc: Document, sayAt: SayAt): void {
  visit(doc, {
    Node(_, node) {
      if (isAlias(node)) sayAt(startOf(node), "", "aliases (*) are not used in this file");
      else if (node.anchor !== undefined) sayAt(startOf(node), "", "anchors (&) are not used in this file");
      else if (node.tag !== undefined && node.srcToken !== undefined && explicitTag(node)) {
        sayAt(startOf(node), "", "tags (!) are not used in this file");
      }
    },
  });
}

/** Resolved tags begin with the YAML namespace only where they were written out or are the collection's own. */
function explicitTag(node: Node): boolean {
  return isScalar(node) ? node.tag !== undefined && node.type === Scalar.PLAIN && node.tag !== node.source : false;
}

function serversOf(doc: Document, sayAt: SayAt): YAMLMap | null {
  const root = doc.contents;
  if (!isMap(root)) {
    sayAt(root === null ? 0 : startOf(root), "", "the file begins with servers:");
    return null;
  }
  for (const { key } of root.items) {
    if (nameOf(key) !== "servers") sayAt(startOf(key), String(nameOf(key)), "no such setting; the file holds servers: only");
  }
  const servers = root.get("servers", true);
  if (isMap(servers)) return servers;
  sayAt(servers === undefined ? startOf(root) : startOf(servers), "servers", "servers: holds one block per server");
  return null;
}

function readServer(doc: Document, { key, value }: Pair, servers: Map<string, Policy>, sayAt: SayAt): void {
  const name = nameOf(key);
  if (typeof name !== "string" || name.length > MAX_NAME_CHARS || !SERVER_NAME.test(name)) {
    return sayAt(startOf(key), String(name), "not a server name: letters, digits, single spaces and . _ - @, at most 64");
  }
  const read = parsePolicy(isNode(value) ? value.toJS(doc) : value);
  if (read.ok) return void servers.set(name.normalize("NFC"), read.value);
  for (const { at, message } of read.problems) {
    sayAt(offsetOf(key, value, at), [name, ...at].join("."), message);
  }
}

/** The place of the key at `at` inside a block, or of the nearest one above that is there. */
function offsetOf(serverKey: unknown, block: unknown, at: readonly string[]): number {
  let place = startOf(serverKey);
  let node = block;
  for (const key of at) {
    const pair = isMap(node) ? node.items.find((one) => nameOf(one.key) === key) : undefined;
    if (pair === undefined) return place;
    place = startOf(pair.key);
    node = pair.value;
  }
  return place;
}

function nameOf(key: unknown): unknown {
  return isScalar(key) ? key.value : key;
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, "");
}

function onlyProblem(message: string): PolicyFile {
  return { ok: false, problems: [{ line: 1, column: 1, path: "", message }] };
}

/**
 * The file that says these policies: the previous text with only what changed rewritten, so that its comments and its
 * order stay; a server it did not have is added at the end. A previous text that does not read is left behind.
 */
export function writePolicyFile(policies: ReadonlyMap<string, Policy>, previousText: string | null): string {
  const before = previousText === null ? null : readPolicyFile(previousText);
  const keeps = previousText !== null && before?.ok === true;
  const { doc } = parsed(keeps ? previousText : "servers: {}\n");
  const servers = doc.get("servers", true);
  if (!isMap(servers)) throw new TypeError("a policy file that was read has servers");
  servers.flow = false;
  const changed = [...policies].filter(([name, policy]) => {
    const old = before?.ok ? before.servers.get(name) : undefined;
    return old === undefined || !samePolicy(old, policy);
  });
  if (keeps && changed.length === 0) return previousText;
  for (const [name, policy] of changed) {
    const block = samePolicy(policy, DEFAULT_POLICY) ? { allow_sampling: false } : blockOf(policy);
    const there = servers.get(name, true);
    if (isMap(there)) rewrite(doc, there, block);
    else servers.set(doc.createNode(name), mapOf(doc, block));
  }
  return doc.toString({ lineWidth: 120 });
}

type Plain = ReturnType<typeof blockOf>[string];

/** Sets what differs, drops what is gone; comments stay with the keys that stay. */
function rewrite(doc: Document, map: YAMLMap, block: Readonly<Record<string, Plain>>): void {
  const had = map.toJS(doc) as Record<string, unknown>;
  for (const key of Object.keys(had)) if (!Object.hasOwn(block, key)) map.delete(key);
  for (const [key, value] of Object.entries(block)) {
    if (JSON.stringify(had[key]) === JSON.stringify(value)) continue;
    const there = map.get(key, true);
    if (isMap(there) && isPlainMap(value)) rewrite(doc, there, value);
    else if (isScalar(there) && (typeof value !== "object" || value === null)) setScalar(there, key, value);
    else map.set(key, nodeOf(doc, key, value));
  }
}

function mapOf(doc: Document, block: Readonly<Record<string, Plain>>): YAMLMap {
  const map = new YAMLMap(doc.schema);
  for (const [key, value] of Object.entries(block)) map.set(doc.createNode(key), nodeOf(doc, key, value));
  return map;
}

function nodeOf(doc: Document, key: string, value: Plain): Node {
  if (isPlainMap(value)) {
    const inner = mapOf(doc, value);
    inner.flow = true;
    return inner;
  }
  if (typeof value === "object" && value !== null) return doc.createNode(value, { flow: true });
  const scalar = new Scalar(value);
  setScalar(scalar, key, value);
  return scalar;
}

function setScalar(scalar: Scalar, key: string, value: Plain): void {
  scalar.value = value;
  // The text it was read from would be written again otherwise.
  delete scalar.source;
  if (MONEY_KEYS.has(key)) scalar.minFractionDigits = 2;
  else delete scalar.minFractionDigits;
}

function isPlainMap(value: Plain | undefined): value is { readonly [key: string]: Plain } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
