/**
 * Changes to a policy file as edits of its text: only what says something else is rewritten, so comments, order, spacing
 * and every block that did not change stay as the person wrote them, and a version control shows what changed (P2).
 */
import { isMap, isNode, isScalar, isSeq, type YAMLMap } from "yaml";
import { DEFAULT_POLICY, type Policy, samePolicy } from "./policy";
import { inLine, isList, type Printed, printedBlock, scalarText } from "./policy-print";
import type { ServerBlock } from "./policy-yaml";

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A file without an edit of it: what it holds and how it is laid out. */
export interface Page {
  readonly text: string;
  readonly servers: YAMLMap;
  readonly lineBreak: string;
}

type Block = Readonly<Record<string, Printed>>;

export function applied(text: string, edits: readonly Edit[]): string {
  let [done, at] = ["", 0];
  for (const { from, to, text: young } of edits.toSorted((one, other) => one.from - other.from)) {
    done += text.slice(at, from) + young;
    at = to;
  }
  return done + text.slice(at);
}

/** The edits that turn one server's block into one that says `policy`. */
export function blockEdits(page: Page, { policy: old, key, block }: ServerBlock, policy: Policy): readonly Edit[] {
  const [had, has] = [printedBlock(old), printedBlock(policy)];
  // An enabled server must say every limit itself, whatever the default of one is.
  const saysAll = policy.allowSampling && !old.allowSampling;
  if (block.flow) {
    if (page.servers.flow) return [replacing(page, block, blockInLine(has))];
    const margin = marginOf(page, key);
    return [replacing(page, block, page.lineBreak + blockLines(has, `${margin}  `).join(page.lineBreak))];
  }
  const edits: Edit[] = [];
  const added: Edit[] = [];
  for (const [name, value] of Object.entries(has)) {
    const isThere = memberOf(block, name) !== undefined;
    if (isSame(had[name], value) && (isThere || !saysAll)) continue;
    (isThere ? edits : added).push(...settingEdits(page, block, name, had[name], value));
  }
  if (memberOf(block, "sampling_tools") !== undefined && old.samplingTools && !policy.samplingTools) {
    edits.push(...settingEdits(page, block, "sampling_tools", "true", "false"));
  }
  if (memberOf(block, "consent_ceiling_usd") !== undefined && policy.consentCeilingMicros === null) {
    edits.push(withoutLine(page, block, "consent_ceiling_usd"));
  }
  // Where the last setting is a group that grows, what is added to the block comes behind what is added to the group.
  return [...edits, ...added];
}

function settingEdits(page: Page, map: YAMLMap, name: string, had: Printed | undefined, has: Printed): readonly Edit[] {
  const there = memberOf(map, name);
  if (there === undefined) return [inserting(page, map, `${name}: ${inLine(has)}`)];
  if (isMap(there) && isGroup(has)) {
    const before: Block = had !== undefined && isGroup(had) ? had : {};
    const changed = Object.entries(has).filter(([inner, value]) => before[inner] !== value);
    return changed.flatMap(([inner, value]) => settingEdits(page, there, inner, before[inner], value));
  }
  if (isSeq(there) && !there.flow && isList(has) && has.length > 0) {
    const margin = marginOf(page, there);
    return [replacing(page, there, has.map((item) => `- ${item}`).join(page.lineBreak + margin))];
  }
  return [replacing(page, there, inLine(has))];
}

/** The edit that puts new servers behind the last one. */
export function additionOf(page: Page, added: ReadonlyMap<string, Policy>): Edit {
  const { servers, lineBreak } = page;
  const blocks = [...added].map(([name, policy]) => [scalarText(name), newBlock(policy)] as const);
  if (servers.flow && servers.items.length > 0) {
    return inserting(page, servers, blocks.map(([name, block]) => `${name}: ${blockInLine(block)}`).join(", "));
  }
  const margin = servers.flow ? "  " : marginOf(page, servers);
  const lines = blocks.flatMap(([name, block]) => [`${margin}${name}:`, ...blockLines(block, `${margin}  `)]);
  if (servers.flow) return replacing(page, servers, lineBreak + lines.join(lineBreak));
  const end = lineEnd(page, endOf(page, servers));
  return { from: end, to: end, text: lineBreak + lines.join(lineBreak) };
}

/** A server that nobody set anything for says only that it may not ask. */
export function newBlock(policy: Policy): Block {
  return samePolicy(policy, DEFAULT_POLICY) ? { allow_sampling: "false" } : printedBlock(policy);
}

export function blockLines(block: Block, margin: string): readonly string[] {
  return Object.entries(block).map(([name, value]) => `${margin}${name}: ${inLine(value)}`);
}

function blockInLine(block: Block): string {
  return inLine(Object.fromEntries(Object.entries(block).map(([name, value]) => [name, inLine(value)])));
}

function inserting(page: Page, map: YAMLMap, member: string): Edit {
  const last = map.items.at(-1);
  if (last === undefined) return replacing(page, map, `{ ${member} }`);
  const end = endOf(page, last.value ?? last.key);
  if (map.flow) return { from: end, to: end, text: `, ${member}` };
  const at = lineEnd(page, end);
  return { from: at, to: at, text: page.lineBreak + marginOf(page, map) + member };
}

function replacing(page: Page, node: unknown, text: string): Edit {
  return { from: startOf(node), to: endOf(page, node), text };
}

function withoutLine(page: Page, block: YAMLMap, name: string): Edit {
  const pair = block.items.find(({ key }) => isScalar(key) && key.value === name);
  const from = page.text.lastIndexOf("\n", startOf(pair?.key)) + 1;
  return { from, to: lineEnd(page, endOf(page, pair?.value)) + page.lineBreak.length, text: "" };
}

function memberOf(map: YAMLMap, name: string): unknown {
  return map.items.find(({ key }) => isScalar(key) && key.value === name)?.value ?? undefined;
}

function isGroup(value: Printed): value is { readonly [key: string]: string } {
  return typeof value === "object" && !isList(value);
}

function isSame(one: Printed | undefined, other: Printed): boolean {
  return one !== undefined && inLine(one) === inLine(other);
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Where a value ends, without the white space that a block has behind it. */
function endOf(page: Page, node: unknown): number {
  const [from, to] = [startOf(node), isNode(node) ? (node.range?.[1] ?? 0) : 0];
  return from + page.text.slice(from, to).trimEnd().length;
}

function lineEnd({ text }: Page, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}

/** The white space before the first thing on the node's line. */
function marginOf({ text }: Page, node: unknown): string {
  const start = startOf(node);
  return " ".repeat(start - text.lastIndexOf("\n", start - 1) - 1);
}
