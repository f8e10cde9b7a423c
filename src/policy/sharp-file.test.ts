/** Bounds of a policy file to the last value, and what is said past them. */
import { expect, test } from "vitest";
import { DEFAULT_POLICY, type Policy } from "./policy";
import { readPolicyFile, writePolicyFile } from "./policy-file";
import { yamlOffences } from "./yaml-guard";

const said = (text: string) => yamlOffences(text).map(({ offset, message }) => `${offset} ${message}`);
const problems = (text: string) => {
  const file = readPolicyFile(text);
  return file.ok ? [] : file.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
};

test("[P2] brackets nest eight deep and no deeper, however many stand beside each other", () => {
  const nested = (open: string, close: string, levels: number) => `a: ${open.repeat(levels)}${close.repeat(levels)}\n`;
  expect(said(nested("[", "]", 8).repeat(3))).toEqual([]);
  expect(said(nested("{ b: ", "}", 8).repeat(3))).toEqual([]);
  expect(said(nested("[", "]", 9))).toEqual(["12 brackets nest deeper than 8"]);
  expect(said(nested("[", "]", 200))).toHaveLength(1);
  expect(said(`a: [[\n${nested("[", "]", 2)}`)).toEqual([]);
  expect(said("a: ]]]]]]]]]]\nb: [[[[[[[[]]]]]]]]\n")).toEqual([]);
});

test("[P2] a level takes at most 64 columns, and only what opens one counts", () => {
  const at = (columns: number, what: string) => said(`a:\n${" ".repeat(columns)}${what}\n`);
  expect(at(64, "b: 1")).toEqual([]);
  expect(at(65, "b: 1")).toEqual(["68 indented by more than 64 columns"]);
  expect(at(65, "- b")).toEqual(["68 indented by more than 64 columns"]);
  expect(at(65, "? b")).toEqual(["68 indented by more than 64 columns"]);
  expect(at(90, "# a remark")).toEqual([]);
  expect(at(90, "")).toEqual([]);
  expect(said(`${"- ".repeat(32)}x\n`)).toEqual([]);
  expect(said(`${"- ".repeat(33)}x\n`)).toEqual(["66 indented by more than 64 columns"]);
  expect(said(`a: ${" ".repeat(90)}b\n`)).toEqual([]);
  expect(said(`${"k".repeat(90)}: b\n`)).toEqual([]);
  expect(said(`a: [\n${" ".repeat(90)}b ]\n`)).toEqual([]);
  expect(said(`a:\n\n\n${" ".repeat(10)}\n${" ".repeat(64)}b: 1\n`)).toEqual([]);
  expect(said(`a: |\n${" ".repeat(90)}text\nb: 1\n`)).toEqual([]);
});

test("[P2] anchors, aliases, tags and directives are named where they stand, all of them", () => {
  expect(said("a: &x 1\nb: *x\nc: !t 1\n")).toEqual([
    "3 anchors (&) are not used in this file",
    "11 aliases (*) are not used in this file",
    "17 tags (!) are not used in this file",
  ]);
  expect(said("%YAML 1.1\n---\na: 1\n")).toEqual(["0 directives (%) are not used in this file"]);
  expect(said('a: "&x *y !z"\nb: x&y # *z\n')).toEqual([]);
  expect(said("\ufeffa: *x\n")).toEqual(["4 aliases (*) are not used in this file"]);
  expect(said('a: "x"\nb: *x\n')).toEqual(["10 aliases (*) are not used in this file"]);
});

test("[P2] a file of far too many words ends there, with one problem", () => {
  expect(said("a: 1\n".repeat(30_000))).toEqual([
    expect.stringMatching(/^\d+ the file is far longer than a policy file$/),
  ]);
  expect(said("a: 1\n".repeat(10_000))).toEqual([]);
});

test("[P2] a file of a megabyte is read no further, and problems end at a hundred", () => {
  const MIB = 1024 * 1024;
  const padded = (length: number) => `servers: {}\n#${"x".repeat(length - 13)}`;
  expect(problems(padded(MIB))).toEqual([]);
  expect(problems(padded(MIB + 1))).toEqual(["1:1 : the file is larger than 1 MiB"]);
  const keys = (count: number) =>
    `servers:\n  a:\n${Array.from({ length: count }, (_, at) => `    k${at}: 1\n`).join("")}`;
  expect(problems(keys(100))).toHaveLength(100);
  expect(problems(keys(101)).slice(99)).toEqual(["102:5 a.k99: no such setting", "102:5 : and 1 more problems"]);
  expect(problems(keys(150)).slice(99)).toEqual(["102:5 a.k99: no such setting", "102:5 : and 50 more problems"]);
});

test("[P2] a path is shown up to eighty characters", () => {
  const key = (chars: number) => problems(`servers:\n  a:\n    ${"k".repeat(chars)}: 1\n`);
  expect(key(78)).toEqual([`3:5 a.${"k".repeat(78)}: no such setting`]);
  expect(key(79)).toEqual([`3:5 a.${"k".repeat(78)}…: no such setting`]);
});

test("[P2] what is no policy file is told from what is two of them, and from broken YAML", () => {
  expect(problems("servers: {}\n---\nservers: {}\n")).toEqual(["2:1 : a policy file is one document"]);
  expect(problems("servers: [\n")[0]).not.toContain("one document");
  expect(problems("- a\n")).toEqual(["1:1 : the file begins with servers:"]);
  expect(problems("servers: 1\n")).toEqual(["1:1 servers: servers: holds one block per server"]);
  expect(problems("other: 1\n")).toEqual([
    "1:1 other: no such setting; the file holds servers: only",
    "1:1 servers: servers: holds one block per server",
  ]);
  expect(problems("servers:\n  a: 1\n  a: {}\n  1: {}\n")).toEqual([
    "2:3 a: a block of settings belongs here",
    "3:3 a: stands there twice",
    "4:3 : a name here is text; put it in quotes",
  ]);
  expect(problems('servers:\n  "é": {}\n  "e\u0301": {}\n  "<b>": {}\n')).toEqual([
    "3:3 e\u0301: there is a block of this server already",
    "4:3 <b>: not a server name: letters, digits, single spaces and . _ - @, at most 64 characters",
  ]);
  expect(problems("servers:\n  a:\n    rate_limit: { burst: 0 }\n    budget:\n      usd: x\n")).toEqual([
    "3:19 a.rate_limit.burst: must be between 1 and 100,000 requests",
    "4:5 a.budget: window is missing",
    "5:7 a.budget.usd: must be an amount in dollars",
  ]);
});

const GIVEN = {
  flow: "servers: { a: { allow_sampling: false }, b: { allow_sampling: false } } # short\n",
  inline: "servers:\n  a: { allow_sampling: false } # one\n  b: { allow_sampling: false }\n",
  lists:
    "servers:\n  a:\n    models:\n      - x # first\n    sampling_tools: true # why\n    consent_ceiling_usd: 2 # c\n    budget: { window: 1h, usd: 1 }\n",
  empty: "servers: {} # none\n",
  windows: "servers:\r\n  a:\r\n    max_concurrent: 3 # three\r\n",
};

/** The file after one server's policy became another. */
function rewritten(text: string, server: string, change: (policy: Policy) => Policy): string {
  const file = readPolicyFile(text);
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  return writePolicyFile(new Map([[server, change(file.servers.get(server) ?? DEFAULT_POLICY)]]), text);
}

test("[P2] in every layout only what changed is rewritten, in the layout it stood in", () => {
  const deadline = (policy: Policy): Policy => ({ ...policy, deadlineMs: 5_000 });
  const all =
    "allow_sampling: false, consent: per_session, models: [], max_context_scope: none, max_output_tokens: 1024, max_input_tokens: 8000, rate_limit: { requests_per_minute: 20, burst: 40 }, budget: { window: 24h, usd: 1.00 }, deadline_ms: 5000, max_concurrent: 2, raise: { usd: 5.00, requests: 10 }";
  expect(rewritten(GIVEN.flow, "a", deadline)).toBe(
    `servers: { a: { ${all} }, b: { allow_sampling: false } } # short\n`,
  );
  expect(rewritten(GIVEN.flow, "c", deadline)).toBe(
    `servers: { a: { allow_sampling: false }, b: { allow_sampling: false }, c: { ${all} } } # short\n`,
  );
  const inline = rewritten(GIVEN.inline, "a", deadline);
  expect(inline.startsWith("servers:\n  a: \n    allow_sampling: false\n    consent: per_session\n")).toBe(true);
  expect(inline.endsWith(" # one\n  b: { allow_sampling: false }\n")).toBe(true);
  expect(rewritten(GIVEN.empty, "x", (policy) => policy)).toBe("servers: \n  x:\n    allow_sampling: false # none\n");
  expect(rewritten(GIVEN.windows, "a", (policy) => ({ ...policy, maxConcurrent: 4 }))).toBe(
    "servers:\r\n  a:\r\n    max_concurrent: 4 # three\r\n",
  );
  expect(rewritten(GIVEN.windows, "b", (policy) => policy)).toBe(
    "servers:\r\n  a:\r\n    max_concurrent: 3 # three\r\n  b:\r\n    allow_sampling: false\r\n",
  );
});

test("[P2] lists, groups and settings that go keep what stands beside them", () => {
  const change = (over: Partial<Policy>) => rewritten(GIVEN.lists, "a", (policy) => ({ ...policy, ...over }));
  expect(change({ models: ["p", "q"] })).toBe(GIVEN.lists.replace("- x # first", "- p\n      - q"));
  expect(change({ samplingTools: false })).toBe(GIVEN.lists.replace("sampling_tools: true", "sampling_tools: false"));
  expect(change({ consentCeilingMicros: null })).toBe(GIVEN.lists.replace("    consent_ceiling_usd: 2 # c\n", ""));
  expect(change({ consentCeilingMicros: 2_500_000 })).toBe(GIVEN.lists.replace("usd: 2 #", "usd: 2.50 #"));
  expect(change({ budget: { window: "1h", capMicros: 3_000_000 } })).toBe(
    GIVEN.lists.replace("usd: 1 }", "usd: 3.00 }"),
  );
  expect(change({ budget: { window: "7d", capMicros: 1_000_000 } })).toBe(
    GIVEN.lists.replace("window: 1h", "window: 7d"),
  );
  expect(change({ maxConcurrent: 9 })).toBe(`${GIVEN.lists}    max_concurrent: 9\n`);
});
