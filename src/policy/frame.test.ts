import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aPlan, SERVER } from "./cases/given";
import { malformedFrame, refusalFrame, resultMeta } from "./frame";
import type { Refusal } from "./reasons";

const retryAt = "2026-12-02T12:01:00.000Z";
const resetsAt = "2026-12-03T00:00:00.000Z";

/** Pins: change one only on purpose; servers read these lines. */
const PINS: readonly (readonly [Refusal, number, string])[] = [
  [
    { reason: "policy.sampling_disabled", data: {} },
    -32003,
    "Sampling refused for ci-triage: policy.sampling_disabled. It is switched off for this server. Do not retry.",
  ],
  [
    { reason: "policy.no_permitted_model", data: {} },
    -32003,
    "Sampling refused for ci-triage: policy.no_permitted_model. None of the models this server may use is known here. Do not retry.",
  ],
  [
    { reason: "policy.model_unpriced", data: { model: "steady" } },
    -32003,
    "Sampling refused for ci-triage: policy.model_unpriced. The model steady has no price. Do not retry.",
  ],
  [
    { reason: "policy.input_too_large", data: { observed: 9001, limit: 8000 } },
    -32003,
    "Sampling refused for ci-triage: policy.input_too_large. The input is 9001 tokens, the limit 8000. Do not retry unchanged.",
  ],
  [
    { reason: "policy.budget_exhausted", data: { spentUsd: 0.2496, capUsd: 0.25, resetsAt } },
    -32003,
    `Sampling refused for ci-triage: policy.budget_exhausted. $0.2496 of its budget of $0.25 is spent or reserved. Do not retry before it resets at ${resetsAt}.`,
  ],
  [
    { reason: "policy.rate_limit", data: { retryAt } },
    -32004,
    `Sampling not possible now for ci-triage: policy.rate_limit. Too many requests. Retry at ${retryAt}.`,
  ],
  [
    { reason: "policy.concurrency", data: { retryAt } },
    -32004,
    `Sampling not possible now for ci-triage: policy.concurrency. Too many requests at once. Retry at ${retryAt}.`,
  ],
  [
    { reason: "consent.pending", data: { retryAt } },
    -32004,
    `Sampling not possible now for ci-triage: consent.pending. The person has not answered yet. Retry at ${retryAt}.`,
  ],
  [
    { reason: "user.denied", data: {} },
    -1,
    "Sampling refused for ci-triage: user.denied. The person said no. Do not retry.",
  ],
  [
    { reason: "policy.deadline", data: { retryAt } },
    -32004,
    `Sampling not possible now for ci-triage: policy.deadline. It took longer than its deadline. Retry at ${retryAt}.`,
  ],
  [
    { reason: "provider.unavailable", data: { retryAt } },
    -32004,
    `Sampling not possible now for ci-triage: provider.unavailable. No permitted model can be reached. Retry at ${retryAt}.`,
  ],
  [
    { reason: "provider.rejected", data: { status: 400 } },
    -32003,
    "Sampling refused for ci-triage: provider.rejected. The model's provider rejected it with status 400. Do not retry.",
  ],
  [
    { reason: "provider.unsupported_content", data: { block: "audio" } },
    -32003,
    "Sampling refused for ci-triage: provider.unsupported_content. No permitted model takes audio content. Do not retry unchanged.",
  ],
  [
    { reason: "storage.unavailable", data: {} },
    -32003,
    "Sampling refused for ci-triage: storage.unavailable. It cannot be recorded here, so it is not run. Do not retry.",
  ],
];

describe("frames", () => {
  test.each(PINS)("[W] $reason, pinned", (refusal, code, message) => {
    const frame = refusalFrame(SERVER, refusal);
    expect(frame).toEqual({
      code,
      message,
      data: { reason: refusal.reason, server: SERVER, retryable: code === -32004, ...refusal.data },
    });
  });

  test.each(PINS)("[K2-03] [W3] %s: the line alone names server, reason and when", (refusal) => {
    const { message } = refusalFrame(SERVER, refusal);
    expect(message).toContain(SERVER);
    expect(message).toContain(refusal.reason);
    expect(message).toMatch(/Retry at \S+Z\.$|Do not retry/);
    expect(message).not.toMatch(/MCP error/i);
  });

  test("[W3] whatever the name, it stays one line of bounded length", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (name) => {
        const { message, data } = refusalFrame(name, { reason: "user.denied", data: {} });
        expect(message.length).toBeLessThanOrEqual(500);
        expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(data.server).toBe(name);
      }),
    );
  });

  test("[W9] malformed input is -32602 with the path", () => {
    expect(malformedFrame(SERVER, { path: "messages[0].role", problem: "unknown role" })).toEqual({
      code: -32602,
      message: "Malformed sampling request from ci-triage at messages[0].role: unknown role. Do not retry unchanged.",
      data: {
        reason: "malformed",
        server: SERVER,
        retryable: false,
        path: "messages[0].role",
        problem: "unknown role",
      },
    });
  });
});

describe("_meta", () => {
  test("[W6] run as asked says nothing", () => {
    expect(resultMeta(aPlan())).toBeUndefined();
  });
  test("[W6] trimmed context, in the wire's words", () => {
    expect(resultMeta(aPlan({ scopeAsked: "conversation", scopeGranted: "this_server" }))).toEqual({
      context: { requested: "allServers", applied: "thisServer", reason: "policy.max_scope" },
    });
  });
  test("[W6] clamped output, ignored hints", () => {
    const plan = aPlan({ maxTokensAsked: 4096, maxTokensGranted: 1024, hints: ["opus"], hintIgnored: true });
    expect(resultMeta(plan)).toEqual({
      maxTokens: { requested: 4096, applied: 1024, reason: "policy.max_output_tokens" },
      model: { requested: ["opus"], applied: "steady", reason: "policy.models" },
    });
  });
});
