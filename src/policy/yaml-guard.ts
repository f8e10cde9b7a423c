/**
 * A look at a YAML text before it is parsed. A shared file is someone else's text: anchors, aliases and tags let a short
 * one mean a long or a surprising one, and nesting without bound overflows a parser that recurses. One lazy, linear pass.
 */
import { CST, Lexer } from "yaml";

export interface Offence {
  readonly offset: number;
  readonly message: string;
}

const MAX_TOKENS = 100_000;
/** A policy needs two: a group inside a block in one line. */
const MAX_BRACKETS = 8;
/** Each level of a block takes a column, so this bounds the levels. */
const MAX_INDENT = 64;

const UNUSED: Readonly<Record<string, string>> = {
  alias: "aliases (*) are not used in this file",
  anchor: "anchors (&) are not used in this file",
  tag: "tags (!) are not used in this file",
  "directive-line": "directives (%) are not used in this file",
};

/** Kinds of token that stand in the margin without opening a level. */
const LEVEL_FREE = new Set(["space", "comment", "newline", "byte-order-mark", "doc-mode", "flow-error-end"]);
const OPENS_LEVEL = new Set(["seq-item-ind", "explicit-key-ind", "map-value-ind"]);

export function yamlOffences(text: string): readonly Offence[] {
  const offences: Offence[] = [];
  const at = { offset: 0, lineStart: 0, brackets: 0, tokens: 0, content: false, opensOnly: true };
  for (const token of new Lexer().lex(text)) {
    const kind = at.content ? "content" : CST.tokenType(token);
    at.content = kind === "scalar";
    at.tokens += 1;
    const offence = offenceOf(at, kind);
    if (offence !== null) offences.push({ offset: at.offset, message: offence.message });
    if (offence?.ends) break;
    advance(at, token, kind);
  }
  return offences;
}

interface Cursor {
  offset: number;
  lineStart: number;
  brackets: number;
  tokens: number;
  /** The next token is the text of a scalar that the last one announced. */
  content: boolean;
  /** The line holds nothing yet but white space and what opens a level. */
  opensOnly: boolean;
}

function offenceOf(at: Cursor, kind: string | null): { readonly message: string; readonly ends: boolean } | null {
  if (at.tokens > MAX_TOKENS) return { message: "the file is far longer than a policy file", ends: true };
  if (at.brackets > MAX_BRACKETS) return { message: `brackets nest deeper than ${MAX_BRACKETS}`, ends: true };
  const opens = at.brackets === 0 && at.opensOnly && kind !== null && !LEVEL_FREE.has(kind);
  if (opens && at.offset - at.lineStart > MAX_INDENT) {
    return { message: `indented by more than ${MAX_INDENT} columns`, ends: true };
  }
  const message = kind !== null && Object.hasOwn(UNUSED, kind) ? UNUSED[kind] : undefined;
  return message === undefined ? null : { message, ends: false };
}

function advance(at: Cursor, token: string, kind: string | null): void {
  if (kind === "flow-map-start" || kind === "flow-seq-start") at.brackets += 1;
  if (kind === "flow-map-end" || kind === "flow-seq-end") at.brackets = Math.max(0, at.brackets - 1);
  if (kind === "flow-error-end") at.brackets = 0;
  // These announce what follows and are no part of the text.
  if (kind === "scalar" || kind === "doc-mode" || kind === "flow-error-end") return;
  at.offset += token.length;
  const lineBreak = token.lastIndexOf("\n");
  if (lineBreak >= 0) {
    at.lineStart = at.offset - token.length + lineBreak + 1;
    at.opensOnly = true;
  } else if (kind !== null && !LEVEL_FREE.has(kind) && !OPENS_LEVEL.has(kind)) at.opensOnly = false;
}
