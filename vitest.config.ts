import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "scripts/**/*.test.ts", "demo/**/*.test.ts"],
    // Failing tests that the demo's logs were made from are material, not tests of ours.
    exclude: ["demo/failures/**", "node_modules/**"],
    // Two cores: more workers than that only slow each other down.
    maxWorkers: 2,
  },
});
