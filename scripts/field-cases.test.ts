/**
 * Two registers: cases met in the field (`e2e/field-cases.json`) and faults to survive (`e2e/faults.json`). What stands
 * there as tested has a test that carries its id, what waits has none, and no test carries an id nobody registered.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

type Outcome = "tested" | "waits";

interface Entry {
  readonly about: string;
  readonly outcome: Outcome;
  /** What has to be built first; only where the outcome is `waits`. */
  readonly waitsFor?: string;
  /** Where Purser's rules want another outcome than the case. */
  readonly note?: string;
}

type FieldCase = Entry & { readonly id: string };

interface Fault extends Entry {
  readonly n: number;
  readonly lost: string;
  /** How the person learns of it. */
  readonly learns: string;
}

interface Registered extends Entry {
  readonly id: string;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const cases = JSON.parse(readFileSync(join(root, "e2e/field-cases.json"), "utf8")) as readonly FieldCase[];
const faults = JSON.parse(readFileSync(join(root, "e2e/faults.json"), "utf8")) as readonly Fault[];

const ID = /\[(K\d-\d\d|F\d+)\]/g;

/** Every id a test's name carries, with the files it stands in. */
function carried(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of testFiles()) {
    const text = readFileSync(join(root, file), "utf8");
    const names = file.endsWith(".json") ? corpusNames(text) : codeLines(text);
    for (const [, id = ""] of names.flatMap((name) => [...name.matchAll(ID)])) {
      found.set(id, [...(found.get(id) ?? []), file]);
    }
  }
  return found;
}

function testFiles(): readonly string[] {
  const all = ["src", "e2e", "scripts", "demo"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  // The contract of the storage is a suite that another file runs.
  const tests =
    /\.(test|e2e|browser)\.tsx?$|^src\/worker\/storage\/contract\/.*\.ts$|^src\/policy\/cases\/[^/]+\.json$/;
  return all.filter((path) => tests.test(path));
}

/** A case of the corpus is named by its rule and its title. */
function corpusNames(text: string): readonly string[] {
  const entries = JSON.parse(text) as readonly { readonly rule: string; readonly title: string }[];
  return entries.map(({ rule, title }) => `[${rule}] ${title}`);
}

/** Ids in comments name no test. */
function codeLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line));
}

function wrongOf(entry: Registered, tests: readonly string[]): string | null {
  if (entry.outcome === "tested") return tests.length > 0 ? null : `${entry.id} has no test`;
  if (entry.waitsFor === undefined) return `${entry.id} waits for nothing`;
  return tests.length === 0 ? null : `${entry.id} waits, and yet ${tests[0]} tests it`;
}

const found = carried();

describe.each<[string, readonly Registered[], RegExp]>([
  ["field cases", cases, /^K/],
  ["faults", faults.map((fault) => ({ ...fault, id: `F${fault.n}` })), /^F/],
])("%s", (_, entries, kind) => {
  test("each id stands once and says what it is about", () => {
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(entries.filter(({ about }) => about === "")).toEqual([]);
  });

  test("what is tested has a test, what waits says for what and has none", () => {
    expect(entries.map((entry) => wrongOf(entry, found.get(entry.id) ?? [])).filter((wrong) => wrong !== null)).toEqual(
      [],
    );
  });

  test("no test carries an id that is not here", () => {
    const known = new Set(entries.map(({ id }) => id));
    const strangers = [...found].filter(([id]) => kind.test(id) && !known.has(id));
    expect(strangers).toEqual([]);
  });
});

test("there are 107 field cases and 42 faults, and each fault says what is lost and how the person learns of it", () => {
  expect(cases).toHaveLength(107);
  expect(faults.map(({ n }) => n)).toEqual(Array.from({ length: 42 }, (_, at) => at + 1));
  expect(faults.filter(({ lost, learns }) => lost === "" || learns === "")).toEqual([]);
});

test("README shows every fault as it is registered", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const rows = faults.map(({ n, about, lost, learns }) => `| ${n} | ${about} | ${lost} | ${learns} |`);
  expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
});
