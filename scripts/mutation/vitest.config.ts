/** What a mutant has to get past: the tests of the policy, with few runs of each property and the same ones every time. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["src/policy/**/*.test.ts"],
    setupFiles: ["scripts/mutation/few-runs.ts"],
    maxWorkers: 1,
  },
});
