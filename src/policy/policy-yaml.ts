/** A policy file as its parts: each server's policy, and where in the text it stands (SPEC P2). */
import { isMap, isNode, isScalar, isSeq, parseDocument, type Scalar, type YAMLMap } from "yaml";
import type { Policy } from "./policy";
import { type Plain, parsePolicy } from "./policy-block";
import { isServerName, MAX_NAME_CHARS } from "./server-name";
import { yamlOffences } from "./yaml-guard";

export interface FileProblem {
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** Server and key, e.g. `ci-triage.rate_limit.burst`; "" for the file itself. */
  readonly path: string;
  readonly message: string;
}

export interface ServerBlock {
  readonly policy: Policy;
  readonly key: Scalar;
  readonly block: YAMLMap;
}

export type PolicyParts =
  | { readonly ok: true; readonly servers: YAMLMap; readonly blocks: ReadonlyMap<string, ServerBlock> }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

export interface Entry {
  readonly name: string;
  readonly key: Scalar;
  readonly value: unknown;
}

type SayAt = (offset: number, path: string, message: string) => void;

const MAX_CHARS = 1024 * 1024;
const MAX_PROBLEMS = 100;
const MAX_SHOWN_CHARS = 80;

export function policyParts(text: string): PolicyParts {
  if (text.length > MAX_CHARS) {
    return { ok: false, problems: [{ line: 1, column: 1, path: "", message: "the file is larger than 1 MiB" }] };
  }
  const found: Found[] = [];
  const sayAt: SayAt = (offset, path, message) => void found.push({ offset, path: shown(path), message });
  const parts = readParts(text, sayAt);
  if (found.length === 0 && parts !== null) return { ok: true, ...parts };
  return { ok: false, problems: placed(text, found) };
}

interface Found {
  readonly offset: number;
  readonly path: string;
  readonly message: string;
}

/** The problems in the order of the text, with line and column; a hundred of them, and how many more there are. */
function placed(text: string, found: Found[]): readonly FileProblem[] {
  found.sort((one, other) => one.offset - other.offset);
  let [line, lineStart] = [1, 0];
  const problems = found.slice(0, MAX_PROBLEMS).map(({ offset, path, message }) => {
    for (let next = text.indexOf("\n", lineStart); next >= 0 && next < offset; next = text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = next + 1;
    }
    return { line, column: offset - lineStart + 1, path, message };
  });
  const last = problems.at(-1);
  const unsaid = found.length - problems.length;
  if (last !== undefined && unsaid > 0) problems.push({ ...last, path: "", message: `and ${unsaid} more problems` });
  return problems;
}

function readParts(text: string, sayAt: SayAt): Pick<Extract<PolicyParts, { ok: true }>, "servers" | "blocks"> | null {
  const offences = yamlOffences(text);
  for (const { offset, message } of offences) sayAt(offset, "", message);
  if (offences.length > 0) return null;
  // Duplicate keys are found below: the package compares each with each. Its pretty messages quote each line whole.
  const options = { schema: "core", strict: true, uniqueKeys: false, prettyErrors: false, logLevel: "error" } as const;
  const { contents, errors } = parseDocument(text, options);
  for (const { pos, code, message } of errors) {
    sayAt(pos[0], "", code === "MULTIPLE_DOCS" ? "a policy file is one document" : message);
  }
  if (errors.length > 0) return null;
  const servers = serversOf(contents, sayAt);
  if (servers === null) return null;
  const blocks = new Map<string, ServerBlock>();
  for (const entry of entriesOf(servers, [], sayAt)) readServer(entry, blocks, sayAt);
  return { servers, blocks };
}

function serversOf(root: unknown, sayAt: SayAt): YAMLMap | null {
  if (!isMap(root)) {
    sayAt(startOf(root), "", "the file begins with servers:");
    return null;
  }
  const entries = entriesOf(root, [], sayAt);
  for (const { name, key } of entries) {
    if (name !== "servers") sayAt(startOf(key), name, "no such setting; the file holds servers: only");
  }
  const servers = entries.find(({ name }) => name === "servers");
  if (isMap(servers?.value)) return servers.value;
  sayAt(startOf(servers?.key ?? root), "servers", "servers: holds one block per server");
  return null;
}

function readServer({ name, key, value }: Entry, blocks: Map<string, ServerBlock>, sayAt: SayAt): void {
  const server = name.normalize("NFC");
  if (!isServerName(server)) {
    const rule = `letters, digits, single spaces and . _ - @, at most ${MAX_NAME_CHARS} characters`;
    return sayAt(startOf(key), name, `not a server name: ${rule}`);
  }
  if (blocks.has(server)) return sayAt(startOf(key), name, "there is a block of this server already");
  const read = parsePolicy(plainOf(value, [name], sayAt));
  if (!read.ok) {
    for (const { at, message } of read.problems) sayAt(offsetOf(key, value, at), [name, ...at].join("."), message);
  } else if (isMap(value)) blocks.set(server, { policy: read.value, key, block: value });
}

/** The members of a map by name, each name once. */
export function entriesOf(map: YAMLMap, at: readonly string[], sayAt: SayAt): readonly Entry[] {
  const names = new Set<string>();
  return map.items.flatMap(({ key, value }) => {
    const entry = entryOf(key, value);
    const place = startOf(key ?? value ?? map);
    if (entry === null) sayAt(place, at.join("."), "a name here is text; put it in quotes");
    else if (names.has(entry.name)) sayAt(place, [...at, entry.name].join("."), "stands there twice");
    else {
      names.add(entry.name);
      return [entry];
    }
    return [];
  });
}

function entryOf(key: unknown, value: unknown): Entry | null {
  return isScalar(key) && isNode(key) && typeof key.value === "string"
    ? { name: key.value, key: key as Scalar, value }
    : null;
}

function plainOf(node: unknown, at: readonly string[], sayAt: SayAt): Plain {
  if (isScalar(node)) return node.value as Plain;
  if (isSeq(node)) return node.items.map((item) => plainOf(item, at, sayAt));
  if (!isMap(node)) return null;
  // Without a prototype `__proto__` is a key like any other.
  const plain: Record<string, Plain> = Object.create(null);
  for (const { name, value } of entriesOf(node, at, sayAt)) plain[name] = plainOf(value, [...at, name], sayAt);
  return plain;
}

/** The place of the key at `at` inside a block, or of the nearest one above that is there. */
function offsetOf(serverKey: unknown, block: unknown, at: readonly string[]): number {
  let place = startOf(serverKey);
  let node = block;
  for (const name of at) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
    if (pair === undefined) return place;
    place = startOf(pair.key);
    node = pair.value;
  }
  return place;
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function shown(path: string): string {
  return path.length <= MAX_SHOWN_CHARS ? path : `${path.slice(0, MAX_SHOWN_CHARS)}…`;
}
