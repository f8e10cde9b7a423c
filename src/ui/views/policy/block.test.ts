import { expect, test } from "vitest";
import { findBlock, withBlock } from "./block";

const FILE = `# house rules
servers:
  ci-triage: # the build
    allow_sampling: true
    models: [a]   # cheap

    budget: { window: 24h, usd: 0.25 }
  # asked for by the docs team
  "wiki search":
    allow_sampling: false
`;

test("[P2] one server's block is cut out and put back with every other line as it was", () => {
  const block = findBlock(FILE, "ci-triage");
  expect(block?.text).toBe(
    "ci-triage: # the build\n  allow_sampling: true\n  models: [a]   # cheap\n\n  budget: { window: 24h, usd: 0.25 }",
  );
  expect(block && withBlock(FILE, block, block.text)).toBe(FILE);
});

test("[P2] a changed block leaves its neighbours and their comments", () => {
  const block = findBlock(FILE, "wiki search");
  expect(block?.text).toBe('"wiki search":\n  allow_sampling: false');
  const changed = block && withBlock(FILE, block, '"wiki search":\n  allow_sampling: true\n\n');
  expect(changed).toBe(FILE.replace("allow_sampling: false", "allow_sampling: true"));
});

test("a name that only begins like another is not it, and a missing one is none", () => {
  expect(findBlock(FILE, "ci")).toBeNull();
  expect(findBlock("servers: {}\n", "ci-triage")).toBeNull();
  expect(findBlock("", "ci-triage")).toBeNull();
});
