import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readPolicyFile } from "../src/policy/policy-file";

const text = readFileSync(new URL("sampling-policy.yaml", import.meta.url), "utf8");

test("[P2] the example policy is valid and says what the README says", () => {
  const file = readPolicyFile(text);
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  expect(file.servers.get("ci-triage")).toMatchObject({
    allowSampling: true,
    maxContextScope: "none",
    maxOutputTokens: 512,
    budget: { window: "24h", capMicros: 8_000 },
    raise: { usdMicros: 3_000 },
  });
  expect(file.servers.get("wiki-search")?.allowSampling).toBe(false);
});

test("[P2] the block in the README can be imported as it stands", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const file = readPolicyFile(/```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? "");
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  expect([...file.servers.keys()]).toEqual(["ci-triage", "wiki-search"]);
  expect(file.servers.get("ci-triage")).toMatchObject({ maxInputTokens: 8_000, budget: { capMicros: 8_000 } });
});

test("the README shows the same keys and values", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const shown = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const lines = shown.split("\n").filter((line) => line.trim() !== "");
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(text).toContain(line.trim());
});
