/** Properties under mutation: a few dozen seeded runs in place of thousands, and no search for a smaller failure. */
import { vi } from "vitest";

const MAX_RUNS = 40;

type FastCheck = typeof import("fast-check");

vi.mock("fast-check", async (original) => {
  const real = await original<FastCheck>();
  const assert: FastCheck["assert"] = (property, given) =>
    real.assert(property, {
      ...given,
      seed: given?.seed ?? 1,
      numRuns: Math.min(given?.numRuns ?? 100, MAX_RUNS),
      endOnFailure: true,
    });
  return { ...real, assert, default: { ...real.default, assert } };
});
