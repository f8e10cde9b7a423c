import { expect, test } from "vitest";
import { aDraft, aPlan, aRequest, CATALOG, NOW } from "../../policy/cases/given";
import type { Usage } from "../../policy/catalog";
import type { ProviderOutcome } from "../providers/provider";
import type { Settlement } from "../storage/store";
import type { DriverDeps } from "./deps";
import type { Live } from "./live";
import { runPlan } from "./run";

/** 2,900 tokens in and 300 out: 13,200 µ$ on `steady`, 17,600 on `claude-opus-5-5`. */
const USAGE: Usage = { inputTokens: 2_900, outputTokens: 300, cacheReadTokens: 0, cacheWriteTokens: 0 };

const ANSWER = { ok: true, content: [{ type: "text", text: "ok" }], stopReason: "endTurn" } as const;

/** Runs a plan for `steady` with a provider that comes to `outcome`: what was settled, and what the server is told. */
async function settledTo(outcome: ProviderOutcome, plan = aPlan()) {
  const settlements: Settlement[] = [];
  const deps = {
    models: {
      catalog: () => CATALOG,
      forModel: () => ({ run: async () => outcome }),
      noteFailure: () => undefined,
    },
    store: { settle: async (settlement: Settlement) => void settlements.push(settlement) },
    now: () => NOW,
  } as unknown as DriverDeps;
  const { signal } = new AbortController();
  const live = {
    exchange: {
      incoming: { server: "ci-triage", protocol: "2025-11-25", signal },
      draft: aDraft(),
      request: aRequest(),
    },
    line: { phase: () => undefined, ended: () => undefined },
    measured: { prompt: {} },
    revision: 3,
    plan,
    answeredBy: null,
  } as unknown as Live;
  const ran = await runPlan(deps, live, plan, NOW);
  return { ran, settlement: settlements[0] };
}

test("[K4-11] [W7] what is priced, recorded and told is the model that ran, not the name it was asked for by", async () => {
  const { ran, settlement } = await settledTo({ ...ANSWER, model: "claude-opus-5-5", usage: USAGE });
  expect(settlement?.charge).toEqual({ basis: "reported", micros: 17_600, usage: USAGE });
  expect(settlement?.record).toMatchObject({ modelUsed: "claude-opus-5-5", ending: "trimmed" });
  expect(ran).toMatchObject({ answer: { result: { model: "claude-opus-5-5" } } });
});

test("[K4-11] a dated id of the model that was asked for is that model", async () => {
  const { settlement } = await settledTo({ ...ANSWER, model: "steady-classic", usage: USAGE });
  expect(settlement?.charge).toMatchObject({ basis: "reported", micros: 13_200 });
  expect(settlement?.record.ending).toBe("completed");
});

test("[K4-04] an answer without usage is charged its estimate, and marked so", async () => {
  const { settlement } = await settledTo({ ...ANSWER, model: "steady", usage: null });
  expect(settlement?.charge).toEqual({ basis: "estimate", micros: 19_200 });
  expect(settlement?.record).toMatchObject({ chargeBasis: "estimate", chargedMicros: 19_200, usage: null });
});

test("[K4-03] a cut stream is charged what was counted, else its estimate, and never nothing", async () => {
  const cut = { ok: false, failure: { kind: "aborted" }, mayHaveCost: true } as const;
  const counted = await settledTo({ ...cut, usage: USAGE, usageCounted: true });
  expect(counted.settlement?.charge).toEqual({ basis: "estimate", micros: 13_200 });
  const unknown = await settledTo({ ...cut, usage: null });
  expect(unknown.settlement?.charge).toEqual({ basis: "estimate", micros: 19_200 });
  expect(unknown.settlement?.record).toMatchObject({ ending: "timed_out", reason: "policy.deadline" });
});

test("[K4-15] an account that cannot pay gives the hold back, is no retry, and keeps the provider's words", async () => {
  const { ran, settlement } = await settledTo({
    ok: false,
    failure: { kind: "rejected", status: 402, detail: "6,900 tokens asked for, 3,116 affordable" },
    usage: null,
    mayHaveCost: false,
  });
  expect(settlement?.charge).toEqual({ basis: "none" });
  expect(settlement?.record).toMatchObject({
    ending: "failed",
    reason: "provider.rejected",
    detail: { status: 402, providerSays: "6,900 tokens asked for, 3,116 affordable" },
  });
  expect(ran).toMatchObject({
    answer: { error: { code: -32003, data: { reason: "provider.rejected", retryable: false, status: 402 } } },
  });
});

test("[K2-12] an answer that our limit cut says maxTokens, and whose limit it was", async () => {
  const plan = aPlan({ maxTokensAsked: 4_000, maxTokensGranted: 300 });
  const { ran } = await settledTo({ ...ANSWER, stopReason: "maxTokens", model: "steady", usage: USAGE }, plan);
  expect(ran).toMatchObject({
    answer: {
      result: {
        stopReason: "maxTokens",
        _meta: { maxTokens: { requested: 4_000, applied: 300, reason: "policy.max_output_tokens" } },
      },
    },
  });
});
