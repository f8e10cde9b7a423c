import { readFileSync } from "node:fs";
import { array, assert, boolean, constantFrom, integer, option, property, record, uniqueArray } from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY, type Policy } from "./policy";
import { readPolicyFile, writePolicyFile } from "./policy-file";

const EXAMPLE = readFileSync(new URL("../../demo/sampling-policy.yaml", import.meta.url), "utf8");

/** The file of SPEC P, as a person wrote it. */
const FILE = `# Ours, agreed in March.
servers:
  ci-triage:
    allow_sampling: true
    consent: per_session          # per_session | per_request
    models: [claude-haiku-4-5]    # allowlist, most wanted first
    max_context_scope: none       # none | this_server | conversation
    max_output_tokens: 1024
    max_input_tokens: 8000
    rate_limit: { requests_per_minute: 20, burst: 40 }
    budget: { window: 24h, usd: 15.00 }      # 1h | 24h | 7d | 30d
    deadline_ms: 20000
    max_concurrent: 2
    # optional
    consent_ceiling_usd: 2.00     # what one consent covers
    raise: { usd: 5.00, requests: 10 }
    sampling_tools: false

  wiki-search:
    allow_sampling: false         # the default
# The end.
`;

function policiesOf(text: string): ReadonlyMap<string, Policy> {
  const file = readPolicyFile(text);
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  return file.servers;
}

function policyOf(text: string, server: string): Policy {
  const policy = policiesOf(text).get(server);
  if (policy === undefined) throw new Error(`no block of ${server}`);
  return policy;
}

/** `line:column path: message` of each problem. */
function problemsOf(text: string): readonly string[] {
  const file = readPolicyFile(text);
  if (file.ok) return [];
  return file.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

function edited(text: string, server: string, change: Partial<Policy>): string {
  return writePolicyFile(new Map([[server, { ...policyOf(text, server), ...change }]]), text);
}

/** The lines of `after` that `before` has not, and the other way round. */
function linesChanged(
  before: string,
  after: string,
): { readonly gone: readonly string[]; readonly come: readonly string[] } {
  const [old, young] = [before.split("\n"), after.split("\n")];
  return { gone: old.filter((line) => !young.includes(line)), come: young.filter((line) => !old.includes(line)) };
}

describe("reading", () => {
  test("[P2] the file of the specification is read as it stands", () => {
    expect(policyOf(FILE, "ci-triage")).toEqual({
      allowSampling: true,
      consent: "per_session",
      models: ["claude-haiku-4-5"],
      maxContextScope: "none",
      maxOutputTokens: 1024,
      maxInputTokens: 8000,
      rateLimit: { requestsPerMinute: 20, burst: 40 },
      budget: { window: "24h", capMicros: 15_000_000 },
      deadlineMs: 20_000,
      maxConcurrent: 2,
      consentCeilingMicros: 2_000_000,
      raise: { usdMicros: 5_000_000, requests: 10 },
      samplingTools: false,
    });
    expect(policyOf(FILE, "wiki-search")).toEqual(DEFAULT_POLICY);
  });

  test("[P2] every problem is named, with server, key, line and column, and nothing of the file counts", () => {
    const text = FILE.replace("per_session ", "sometimes ")
      .replace("burst: 40", "burst: 0")
      .replace("usd: 15.00", "usd: 0.0000001")
      .replace("deadline_ms", "deadlineMs")
      .replace("allow_sampling: false", "allow_sampling: maybe");
    expect(problemsOf(text)).toEqual([
      "5:5 ci-triage.consent: must be one of per_session, per_request",
      "10:44 ci-triage.rate_limit.burst: must be between 1 and 100,000 requests",
      "11:28 ci-triage.budget.usd: must be dollars with at most six decimals",
      "12:5 ci-triage.deadlineMs: no such setting; did you mean deadline_ms?",
      "20:5 wiki-search.allow_sampling: must be true or false",
    ]);
  });

  test.each<[string, string, string]>([
    ["an empty file", "", "1:1 : the file begins with servers:"],
    ["a list", "- a\n", "1:1 : the file begins with servers:"],
    [
      "another key beside servers",
      "version: 1\nservers: {}\n",
      "1:1 version: no such setting; the file holds servers: only",
    ],
    ["servers as a list", "servers: [a]\n", "1:1 servers: servers: holds one block per server"],
    ["servers twice", "servers: {}\nservers: {}\n", "2:1 servers: stands there twice"],
    [
      "a server twice",
      "servers:\n  a: { allow_sampling: false }\n  a: { allow_sampling: false }\n",
      "3:3 a: stands there twice",
    ],
    [
      "a server in two spellings",
      "servers:\n  caf\u00e9: { allow_sampling: false }\n  cafe\u0301: { allow_sampling: false }\n",
      "3:3 cafe\u0301: there is a block of this server already",
    ],
    [
      "a key twice",
      "servers:\n  a:\n    allow_sampling: false\n    allow_sampling: true\n",
      "4:5 a.allow_sampling: stands there twice",
    ],
    [
      "a key of a group twice",
      "servers:\n  a:\n    raise: { usd: 1, usd: 2 }\n",
      "3:22 a.raise.usd: stands there twice",
    ],
    ["a block that is text", "servers:\n  a: yes please\n", "2:3 a: a block of settings belongs here"],
    ["an empty block", "servers:\n  a:\n", "2:3 a: a block of settings belongs here"],
    [
      "a number for a name",
      "servers:\n  12: { allow_sampling: false }\n",
      "2:3 : a name here is text; put it in quotes",
    ],
    [
      "a map for a name",
      "servers:\n  ? { a: 1 }\n  : { allow_sampling: false }\n",
      "2:5 : a name here is text; put it in quotes",
    ],
    ["an anchor", "servers: &all\n  a: { allow_sampling: false }\n", "1:10 : anchors (&) are not used in this file"],
    ["an alias", "servers: *all\n", "1:10 : aliases (*) are not used in this file"],
    [
      "a tag on a text",
      "servers:\n  a:\n    consent: !!str per_session\n",
      "3:14 : tags (!) are not used in this file",
    ],
    ["a tag on a list", "servers:\n  a:\n    models: !mine [a]\n", "3:13 : tags (!) are not used in this file"],
    [
      "a tag on a block",
      "servers: !!map\n  a: { allow_sampling: false }\n",
      "1:10 : tags (!) are not used in this file",
    ],
    ["a directive", "%YAML 1.1\n---\nservers: {}\n", "1:1 : directives (%) are not used in this file"],
    ["a merge", "servers:\n  a: { <<: { allow_sampling: false } }\n", "2:8 a.<<: no such setting"],
    ["__proto__", "servers:\n  a: { __proto__: { allow_sampling: true } }\n", "2:8 a.__proto__: no such setting"],
    ["a second document", "servers: {}\n---\nservers: {}\n", "2:1 : a policy file is one document"],
    ["yes for true", "servers:\n  a: { allow_sampling: yes }\n", "2:8 a.allow_sampling: must be true or false"],
    [
      "endless money",
      "servers:\n  a: { raise: { usd: .inf } }\n",
      "2:17 a.raise.usd: must be dollars with at most six decimals",
    ],
    ["money in quotes", 'servers:\n  a: { raise: { usd: "5" } }\n', "2:17 a.raise.usd: must be an amount in dollars"],
    ["half a budget", "servers:\n  a: { budget: { usd: 1 } }\n", "2:8 a.budget: window is missing"],
  ])("[P2] refused: %s", (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  test("[P2] what an enabled server does not say is named", () => {
    expect(problemsOf("servers:\n  a: { allow_sampling: true, consent: per_request }\n")).toEqual(
      ["models", "max_context_scope", "max_output_tokens", "max_input_tokens", "budget"].map(
        (key) => `2:3 a: ${key} is missing`,
      ),
    );
  });

  test.each([
    ["models: ['*']", 'models: must be a list of models by name: "*" is a pattern'],
    ["models: ['claude-*']", 'models: must be a list of models by name: "claude-*" is a pattern'],
    ["budget: { window: 24h, usd: .inf }", "budget.usd: "],
    ["budget: { window: forever, usd: 1 }", "budget.window: must be one of 1h, 24h, 7d, 30d"],
    ["consent: never", "consent: "],
    ["consent: always", "consent: "],
    ["consent_ceiling_usd: .inf", "consent_ceiling_usd: "],
    ["max_output_tokens: .inf", "max_output_tokens: "],
    ["raise: { usd: .inf, requests: 10 }", "raise.usd: "],
    ["auto_approve: true", "auto_approve: no such setting"],
  ])("[K7-15] [P2] no setting allows everything for good: %s", (line, problem) => {
    const found = problemsOf(`servers:\n  a:\n    allow_sampling: true\n    ${line}\n`);
    expect(found.filter((one) => one.includes(`a.${problem}`))).toHaveLength(1);
  });

  test("[K7-15] [P2] a server that is enabled without a budget is refused, and so is a name that means all servers", () => {
    expect(problemsOf("servers:\n  a: { allow_sampling: true }\n")).toContain("2:3 a: budget is missing");
    expect(problemsOf("servers:\n  '*': { allow_sampling: false }\n")[0]).toContain("not a server name");
  });

  test.each(["a\u202eb", "a\u200bb", "a b\u00a0c", "a  b", '"a\\nb"', "' a'", '""', "x".repeat(65), "<b>"])(
    "[P2] refused: server name %j",
    (name) => {
      expect(problemsOf(`servers:\n  ${name}: { allow_sampling: false }\n`)[0]).toContain("not a server name");
    },
  );

  test.each(["a", "ci-triage", "Größe 2", "日本", '"12"', "x".repeat(64), "a.b_c@d"])("[P2] server name %s", (name) => {
    expect(problemsOf(`servers:\n  ${name}: { allow_sampling: false }\n`)).toEqual([]);
  });

  test("[M1] dollars become exact µ$", () => {
    for (const [usd, micros] of [
      ["0.1", 100_000],
      ["0.000001", 1],
      ["1.1", 1_100_000],
      ["8.000003", 8_000_003],
      ["999999.999999", 999_999_999_999],
    ]) {
      expect(policyOf(`servers:\n  a: { raise: { usd: ${usd} } }\n`, "a").raise.usdMicros).toBe(micros);
    }
  });

  test("[P2] an odd file is refused soon, whatever it holds", () => {
    const steps = Array.from({ length: 700 }, (_, level) => `${" ".repeat(level)}a:\n`).join("");
    const files = [
      "[".repeat(100_000),
      "{a: ".repeat(100_000),
      "- ".repeat(100_000),
      "? ".repeat(100_000),
      ": ".repeat(100_000),
      steps,
      "!a ".repeat(50_000),
      "&a ".repeat(50_000),
      `{${",".repeat(100_000)}}`,
      '"'.repeat(100_001),
      "a: b: ".repeat(50_000),
      "---\n".repeat(50_000),
      "\n".repeat(1_000_000),
      `servers:\n${"  a:\n".repeat(20_000)}`,
      `servers:\n${Array.from({ length: 15_000 }, (_, at) => `  s${at}: 1\n`).join("")}`,
      "x".repeat(1024 * 1024 + 1),
    ];
    for (const text of files) {
      const problems = problemsOf(text);
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.length).toBeLessThanOrEqual(101);
    }
  }, 120_000);
});

describe("writing", () => {
  test("[P2] the policies that a file holds give that file, to the letter", () => {
    for (const text of [FILE, EXAMPLE, FILE.replaceAll("\n", "\r\n")]) {
      expect(writePolicyFile(policiesOf(text), text)).toBe(text);
    }
  });

  test("[P2] one changed value changes one line, and the comment behind it stays", () => {
    const after = edited(FILE, "ci-triage", { budget: { window: "24h", capMicros: 20_500_000 } });
    expect(linesChanged(FILE, after)).toEqual({
      gone: ["    budget: { window: 24h, usd: 15.00 }      # 1h | 24h | 7d | 30d"],
      come: ["    budget: { window: 24h, usd: 20.50 }      # 1h | 24h | 7d | 30d"],
    });
    expect(
      linesChanged(FILE, edited(FILE, "ci-triage", { models: ["llama3:8b", "a,b", "claude-haiku-4-5"] })).come,
    ).toEqual(['    models: [llama3:8b, "a,b", claude-haiku-4-5]    # allowlist, most wanted first']);
  });

  test("[P2] a setting that is no longer made leaves, one that is new comes last", () => {
    expect(linesChanged(FILE, edited(FILE, "ci-triage", { consentCeilingMicros: null }))).toEqual({
      gone: ["    consent_ceiling_usd: 2.00     # what one consent covers"],
      come: [],
    });
    expect(linesChanged(FILE, edited(FILE, "wiki-search", { maxConcurrent: 1 }))).toEqual({
      gone: [],
      come: ["    max_concurrent: 1"],
    });
    expect(linesChanged(FILE, edited(FILE, "ci-triage", { samplingTools: true })).come).toEqual([
      "    sampling_tools: true",
    ]);
  });

  test("[P1] a server that is enabled says every limit from then on", () => {
    const after = edited(FILE, "wiki-search", { allowSampling: true, models: ["claude-haiku-4-5"] });
    expect(linesChanged(FILE, after).gone).toEqual(["    allow_sampling: false         # the default"]);
    expect(after).toContain(
      "    allow_sampling: true         # the default\n    consent: per_session\n    models: [claude-haiku-4-5]\n",
    );
    expect(after.endsWith("raise: { usd: 5.00, requests: 10 }\n# The end.\n")).toBe(true);
  });

  test("[P2] new servers stand behind the last one, in the margin of the others", () => {
    const text = "servers:\n    a:\n        allow_sampling: false # no\n";
    const young = { ...DEFAULT_POLICY, deadlineMs: 9_000 };
    const after = writePolicyFile(
      new Map([
        ["New one", DEFAULT_POLICY],
        ["12", young],
      ]),
      text,
    );
    expect(
      after.startsWith(`${text}    "New one":\n      allow_sampling: false\n    "12":\n      allow_sampling: false\n`),
    ).toBe(true);
    expect(policyOf(after, "12")).toEqual(young);
  });

  test("[P2] without a file, or with one that does not read, a plain one is written", () => {
    const fresh = "servers:\n  a:\n    allow_sampling: false\n";
    const policies = new Map([["a", DEFAULT_POLICY]]);
    expect(writePolicyFile(policies, null)).toBe(fresh);
    expect(writePolicyFile(policies, "servers: [")).toBe(fresh);
    expect(writePolicyFile(new Map(), null)).toBe("servers: {}\n");
    expect(writePolicyFile(policies, "servers: {}  # none yet\n")).toBe(
      "servers: \n  a:\n    allow_sampling: false  # none yet\n",
    );
  });

  const policy = record({
    allowSampling: boolean(),
    consent: constantFrom("per_session" as const, "per_request" as const),
    models: uniqueArray(
      constantFrom(
        "claude-haiku-4-5",
        "llama3:8b",
        "true",
        "12",
        "a,b",
        "#x",
        "a:",
        "-",
        "x/y z".replace(" ", "."),
        "{}",
        "'",
        '"',
        "\\",
      ),
      { maxLength: 5 },
    ),
    maxContextScope: constantFrom("none" as const, "this_server" as const, "conversation" as const),
    maxOutputTokens: integer({ min: 1, max: 1_000_000 }),
    maxInputTokens: integer({ min: 1, max: 10_000_000 }),
    rateLimit: record({ requestsPerMinute: integer({ min: 1, max: 100 }), burst: integer({ min: 1, max: 100 }) }),
    budget: record({
      window: constantFrom("1h" as const, "24h" as const, "7d" as const, "30d" as const),
      capMicros: integer({ min: 0, max: 1e12 }),
    }),
    deadlineMs: integer({ min: 1_000, max: 600_000 }),
    maxConcurrent: integer({ min: 1, max: 64 }),
    consentCeilingMicros: option(integer({ min: 1, max: 1e12 })),
    raise: record({ usdMicros: integer({ min: 1, max: 1e12 }), requests: integer({ min: 1, max: 100 }) }),
    samplingTools: boolean(),
  });
  const name = constantFrom("ci-triage", "wiki-search", "Größe 2", "true", "12", "a", "@x".slice(1), "日本", "null");
  const LAYOUTS = [
    null,
    FILE,
    EXAMPLE,
    FILE.replaceAll("\n", "\r\n"),
    FILE.trimEnd().replace("\n# The end.", ""),
    "servers: {} # none yet\n",
    "servers: { a: { allow_sampling: false }, 'true': { allow_sampling: false } } # short\n",
    "# top\nservers:\n  a: { allow_sampling: false } # a\n  # between\n  wiki-search:\n    models:\n      - x # first\n      # inside\n      - y\n    rate_limit:\n      burst: 3 # b\n    # tail\n  # after\n# end",
    '---\n"servers":\n    "a":\n        "allow_sampling": false # a\n        consent: >-\n            per_request\n        budget: {\n            window: 1h, # w\n            usd: 1, }\n',
  ];

  test("[P2] whatever is set, the file says it, and says it again when written again", () => {
    assert(
      property(constantFrom(...LAYOUTS), array(record({ name, policy }), { maxLength: 4 }), (layout, sets) => {
        const policies = new Map(sets.map((set) => [set.name, set.policy]));
        const text = writePolicyFile(policies, layout);
        const expected = new Map([...(layout === null ? [] : policiesOf(layout)), ...policies]);
        expect(new Map(policiesOf(text))).toEqual(expected);
        expect(writePolicyFile(policies, text)).toBe(text);
      }),
      { seed: 15, numRuns: 400 },
    );
  }, 120_000);

  test("[P2] comments outside of what changed survive in every layout", () => {
    assert(
      property(constantFrom(...LAYOUTS.flatMap((layout) => layout ?? [])), name, policy, (layout, server, set) => {
        const comments = layout.split("\n").filter((line) => /^\s*#/.test(line) && !line.includes("inside"));
        const text = writePolicyFile(new Map([[server, set]]), layout);
        for (const comment of comments) expect(text.split("\n")).toContain(comment);
        for (const [other, kept] of policiesOf(layout))
          if (other !== server) expect(policyOf(text, other)).toEqual(kept);
      }),
      { seed: 16, numRuns: 400 },
    );
  }, 120_000);
});
