import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

type Probe = readonly [folder: string, code: string, message?: string];

const use = (from: string) => `import { thing } from "${from}";\nexport const it = thing;\n`;

const forbidden: readonly Probe[] = [
  ["src/policy/probe.ts", use("../worker/api"), "src/policy knows nothing of ours outside itself"],
  ["src/policy/probe.ts", use("../ui/projection"), "src/policy knows nothing of ours outside itself"],
  ["src/policy/probe.ts", use("idb"), "src/policy is pure"],
  ["src/policy/probe.ts", use("node:fs"), "src/policy is pure"],
  ["src/policy/probe.ts", "export const at = Date.now();\n", "the worker owns clock and chance"],
  ["src/policy/probe.ts", "export const at = new Date();\n", "the worker owns clock and chance"],
  ["src/policy/probe.ts", "export const at = performance.now();\n", "global variable performance"],
  ["src/policy/probe.ts", "export const at = setTimeout(() => 1, 1);\n", "global variable setTimeout"],
  ["src/policy/probe.ts", "export const id = crypto.randomUUID();\n", "global variable crypto"],
  ["src/policy/probe.ts", "export const id = Math.random();\n", "the worker owns clock and chance"],
  ["src/policy/probe.ts", 'export const r = fetch("x");\n', "global variable fetch"],
  ["src/policy/probe.ts", "export const d = indexedDB;\n", "global variable indexedDB"],
  ["src/ui/probe.ts", use("../worker/feed"), "The page knows the worker by its types only"],
  ["src/ui/parts/probe.ts", use("../../worker/storage/store"), "The page knows the worker by its types only"],
  [
    "src/ui/views/activity/probe.ts",
    use("../../../worker/mcp/connection"),
    "The page knows the worker by its types only",
  ],
  [
    "src/ui/views/activity/form/probe.ts",
    use("../../../../worker/main"),
    "The page knows the worker by its types only",
  ],
  [
    "src/ui/probe.ts",
    'import { type Snapshot } from "../worker/api";\nexport type Held = Snapshot;\n',
    "only used as types",
  ],
  ["src/ui/views/activity/probe.ts", use("../../../policy/decide"), "The page decides nothing"],
  ["src/worker/probe.ts", use("../ui/projection"), "The worker never knows the page"],
  ["src/worker/sampling/probe.ts", use("../../ui/projection"), "The worker never knows the page"],
  ["src/worker/mcp/probe.ts", use("../storage/store"), "src/worker/mcp speaks the protocol"],
  ["src/worker/mcp/probe.ts", use("../../policy/decide"), "src/worker/mcp speaks the protocol"],
  ["src/worker/mcp/transport/probe.ts", use("../../sampling/driver"), "src/worker/mcp speaks the protocol"],
  ["src/worker/providers/probe.ts", use("../storage/store"), "A provider adapter knows nothing of ours"],
  ["src/worker/providers/probe.ts", use("../../policy/account"), "A provider adapter knows nothing of ours"],
  ["src/worker/tokens/probe.ts", use("../storage/store"), "Token counting knows nothing of ours"],
  [
    "src/worker/tokens/probe.ts",
    'import type { Provider } from "../providers/provider";\nexport type Held = Provider;\n',
    "Token counting knows nothing of ours",
  ],
  ["src/worker/tokens/tables/probe.ts", use("../../providers/provider"), "Token counting knows nothing of ours"],
  ["src/worker/storage/probe.ts", use("../mcp/incoming"), "src/worker/storage knows the policy and itself"],
  ["src/worker/storage/probe.ts", use("../api"), "src/worker/storage knows the policy and itself"],
  ["src/worker/sampling/probe.ts", use("../storage/db"), "never to the database behind it"],
  ["src/worker/sampling/probe.ts", use("../mcp/connections"), "never by an implementation"],
  ["src/worker/sampling/probe.ts", use("../providers/anthropic"), "never an adapter"],
  ["src/worker/conversation/probe.ts", use("../storage/db"), "never to the database behind it"],
];

const allowed: readonly Probe[] = [
  ["src/policy/probe.ts", use("./price")],
  ["src/policy/probe.ts", use("yaml")],
  ["src/policy/probe.ts", "export const iso = (at: number) => new Date(at).toISOString();\n"],
  ["src/policy/probe.ts", "export const least = Math.min(1, 2);\n"],
  ["src/policy/probe.test.ts", "export const at = Date.now();\n"],
  ["src/ui/probe.ts", 'import type { Snapshot } from "../worker/api";\nexport type Held = Snapshot;\n'],
  [
    "src/ui/views/activity/probe.ts",
    'import type { Snapshot } from "../../../worker/api";\nexport type Held = Snapshot;\n',
  ],
  ["src/ui/probe.ts", 'import url from "../worker/main?worker&url";\nexport const it = url;\n'],
  ["src/ui/views/activity/probe.ts", use("../policy/form")],
  ["src/worker/mcp/probe.ts", 'import type { Block } from "../../policy/request";\nexport type Held = Block;\n'],
  ["src/worker/mcp/transport/probe.ts", use("../incoming")],
  ["src/worker/tokens/probe.ts", 'import type { Block } from "../../policy/request";\nexport type Held = Block;\n'],
  ["src/worker/providers/probe.ts", use("../tokens/utf8")],
  ["src/worker/storage/probe.ts", use("../../policy/decide")],
  ["src/worker/sampling/probe.ts", use("../storage/store")],
  ["src/worker/sampling/probe.ts", 'import type { Incoming } from "../mcp/incoming";\nexport type Held = Incoming;\n'],
];

const probes = [...forbidden, ...allowed];
const nameOf = (index: number) => probes[index]![0].replace("probe", `probe-${index}`);

/** What the linter says about each probe, by file; one run over a tree of its own, under this repository's rules. */
const said = new Map<string, string>();
let tree = "";

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), "purser-fences-"));
  for (const rules of ["biome.json", "scripts/pure-policy.grit"]) cpSync(rules, join(tree, rules));
  for (const [index, [, code]] of probes.entries()) {
    mkdirSync(join(tree, dirname(nameOf(index))), { recursive: true });
    writeFileSync(join(tree, nameOf(index)), code);
  }
  const biome = join(process.cwd(), "node_modules/@biomejs/biome/bin/biome");
  const args = [biome, "lint", "--vcs-enabled=false", "--max-diagnostics=none", "--reporter=rdjson", "."];
  let report = "";
  try {
    report = execFileSync(process.execPath, args, { cwd: tree, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    report = (error as { stdout: string }).stdout;
  }
  const { diagnostics } = JSON.parse(report) as { diagnostics: { message: string; location: { path: string } }[] };
  for (const { location, message } of diagnostics) {
    said.set(location.path, `${said.get(location.path) ?? ""}${message}\n`);
  }
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

test.for(forbidden.map((probe, index) => [...probe, index] as const))(
  "fence: %s refuses %j",
  ([, , message, index]) => {
    expect(said.get(nameOf(index))).toContain(message);
  },
);

test.for(allowed.map((probe, index) => [...probe, index + forbidden.length] as const))(
  "fence: %s takes %j",
  (probe) => {
    expect(said.get(nameOf(probe.at(-1) as number)) ?? "").not.toMatch(/[Pp]olicy|worker|page|global|driver|provider/);
  },
);
