/**
 * The source of storage, read: between the start and the end of a transaction nothing is awaited but its own requests,
 * or the browser ends it in between, or keeps it open in front of every other tab (A2).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** A function that is given a transaction: `tx` among its parameters, then its body. */
const TAKES_TX = /\(([^()]*\btx\b[^()]*)\)(?::\s*[^={]+?)?\s*(?:=>\s*)?\{/g;
const FOREIGN = /\b(fetch|subtle|locks|caches|setTimeout|postMessage|Response|import)\b\s*[.(]/;

/** From an opening brace to its closing one. */
function bodyAt(source: string, start: number): string {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === "{") depth += 1;
    if (source[at] === "}") depth -= 1;
    if (depth === 0) return source.slice(start, at + 1);
  }
  return source.slice(start);
}

function mentions(text: string, names: ReadonlySet<string>): boolean {
  return [...names].some((name) => new RegExp(`\\b${name}\\b`).test(text));
}

/** Names that were made out of the transaction, directly or not. */
function ownNames(body: string): ReadonlySet<string> {
  const names = new Set(["tx"]);
  for (const [, left = "", right = ""] of body.matchAll(/(?:const|let)\s+([^=;]+?)\s*=\s*([^;]+);/g)) {
    if (mentions(right, names)) for (const [name] of left.split(":")[0]?.matchAll(/\w+/g) ?? []) names.add(name);
  }
  for (const [, name = "", pushed = ""] of body.matchAll(/\b(\w+)\.push\(([^;]*)\);/g)) {
    if (mentions(pushed, names)) names.add(name);
  }
  return names;
}

/** What is awaited in functions that have a transaction and is not of it. */
function strays(source: string): readonly string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
  return [...code.matchAll(TAKES_TX)].flatMap((found) => {
    const body = bodyAt(code, found.index + found[0].length - 1);
    const names = ownNames(body);
    const awaited = [...body.matchAll(/\bawait\s+([^;]+);?/g)].map(([, what = ""]) => what);
    return [...awaited.filter((what) => !mentions(what, names)), ...(FOREIGN.exec(body) ?? []).slice(0, 1)];
  });
}

const files = readdirSync(import.meta.dirname).filter((name) => /^[^.]+\.ts$/.test(name));

test("[F28] [K6-04] [A2] no function with a transaction awaits anything foreign", () => {
  const sources = files.map((name) => [name, readFileSync(join(import.meta.dirname, name), "utf8")] as const);
  const withTx = sources.filter(([, source]) => source.match(TAKES_TX) !== null);
  expect(withTx.length).toBeGreaterThan(10);
  const found = withTx.flatMap(([name, source]) => strays(source).map((what) => `${name}: ${what}`));
  expect(found).toEqual([]);
});

test("[F28] the check sees what it looks for", () => {
  const planted = (line: string) => strays(`write(stores, async (tx) => { const row = await tx.get(1); ${line} })`);
  expect(planted("await row.next();")).toEqual([]);
  expect(planted("await fetch(address);")).not.toEqual([]);
  expect(planted("await crypto.subtle.digest(name, bytes);")).not.toEqual([]);
  expect(planted("await digestOf(text);")).not.toEqual([]);
  expect(planted("await new Promise((resolve) => setTimeout(resolve, 1));")).not.toEqual([]);
});
