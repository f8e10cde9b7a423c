/**
 * Thirty-two faults that would cost money, or a person's no, each planted in turn: the policy's tests must see every one.
 * The short form of `npm run mutation`, which tries thousands and takes minutes.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { policyTests } from "./bundle.mjs";
import { type Collected, createSuite } from "./suite.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A file of the policy, an expression in it, and what stands there instead. */
const PLANTED: readonly (readonly [file: string, right: string, wrong: string])[] = [
  ["decide", "!policy.allowSampling", "false"],
  ["decide", "!(denial !== null && REASONS[prior.refusal.reason].retryable)", "false"],
  ["decide", "the.own !== null || tried.length > 0", "true"],
  ["decide", "!(observed <= limit)", "!(observed <= limit + 1)"],
  ["decide", "!fitsBudget(account, policy.budget.capMicros, plan)", "false"],
  ["decide", "narrower(scope, the.own.plan.scopeGranted)", "scope"],
  ["decide", "measured.model !== model", "false"],
  ["plan", "wanted <= capMicros + grantedMicros(account)", "wanted < capMicros + grantedMicros(account)"],
  [
    "plan",
    "account.settledMicros + heldMicros(account) + plan.estimateMicros",
    "account.settledMicros + plan.estimateMicros",
  ],
  ["plan", "Math.min(wholeUp(request.maxTokens), policy.maxOutputTokens)", "wholeUp(request.maxTokens)"],
  ["plan", "price === null || price.bands.length === 0", "false"],
  ["price", "(sum + PER_TOKENS - 1n) / PER_TOKENS", "sum / PER_TOKENS"],
  ["price", "promptTokens <= band.upToInputTokens", "promptTokens < band.upToInputTokens"],
  ["account", "hold.dispatchedAt === null ? 0 : hold.amountMicros", "0"],
  ["account", "Math.max(account.latestAt, now)", "now"],
  ["account", "account.settledMicros + micros", "account.settledMicros"],
  ["account", "Math.max(0, charge - hold.amountMicros)", "0"],
  ["account", "Math.min(grant.expiresAt, resetsAtOf(current))", "grant.expiresAt"],
  ["account", "denials + silences < QUIET_AFTER", "denials + silences <= QUIET_AFTER"],
  ["throttle", "account.holds.length < maxConcurrent", "account.holds.length <= maxConcurrent"],
  ["throttle", "Math.max(0, now - bucket.refilledAt)", "Math.abs(now - bucket.refilledAt)"],
  ["throttle", "Math.max(0, bucket.tokens - 1)", "bucket.tokens"],
  ["throttle", "lastAt + Math.max(1, stepMs)", "lastAt"],
  ["consent", "account.mutedUntilAt !== null", "false"],
  ["consent", "plan.estimateMicros <= shown.estimateMicros", "true"],
  ["consent", "consent.usedMicros + reliedOn(account, consent.id) + plan.estimateMicros", "consent.usedMicros"],
  ["decision", "decision.policyRevision !== policyRevision", "false"],
  ["decision", "now >= decision.expiresAt", "false"],
  ["model-choice", "!tried.includes(entry.id)", "true"],
  ["grant", "record.endedAt < current.windowStartAt", "false"],
  ["identity", 'text.normalize("NFC")', "text"],
  ["json-check", "level > MAX_DEPTH", "level > MAX_DEPTH + 1"],
];

/** Every fault is in the one script, behind a switch. */
const planting = {
  name: "planted",
  enforce: "pre" as const,
  transform(code: string, id: string) {
    const file = /src\/policy\/([\w-]+)\.ts$/.exec(id)?.[1];
    let planted = code;
    for (const [at, [where, right, wrong]] of PLANTED.entries()) {
      if (where !== file) continue;
      // The first place only; where the code no longer says so, the test below is red.
      planted = planted.replace(right, () => `(globalThis.__planted__ === ${at} ? (${wrong}) : (${right}))`);
    }
    return planted;
  },
};

const state = globalThis as { __planted__?: number };

/** The first test that fails, by name; null where none does. */
async function firstRed(tests: readonly Collected[]): Promise<string | null> {
  for (const { id, run } of tests) {
    try {
      await run();
    } catch {
      return id;
    }
  }
  return null;
}

test("the policy's tests see every fault planted where money or a person's no is decided", async () => {
  const collect = await policyTests(ROOT, [planting]);
  const { tests, packages } = createSuite(expect);
  collect(packages);
  const timed: { one: Collected; ms: number }[] = [];
  for (const one of tests) {
    const startedAt = performance.now();
    await one.run();
    timed.push({ one, ms: performance.now() - startedAt });
  }
  expect(timed.length, "hardly any test was found").toBeGreaterThan(500);
  const quickFirst = timed.toSorted((a, b) => a.ms - b.ms).map(({ one }) => one);
  const unseen: string[] = [];
  for (const [at, [file, right, wrong]] of PLANTED.entries()) {
    state.__planted__ = at;
    if ((await firstRed(quickFirst)) === null) unseen.push(`${file}.ts: ${wrong} in place of ${right}`);
  }
  delete state.__planted__;
  expect(unseen).toEqual([]);
}, 300_000);
