import { expect, test } from "vitest";
import type { Policy } from "../../../worker/api";
import { changesBetween } from "./controls";
import { draftOf, microsOf, modelsOf, policyOf, usdText } from "./draft";

const POLICY: Policy = {
  allowSampling: true,
  consent: "per_session",
  models: ["claude-haiku-4-5", "local-extractive-1"],
  maxContextScope: "none",
  maxOutputTokens: 1024,
  maxInputTokens: 8000,
  rateLimit: { requestsPerMinute: 20, burst: 40 },
  budget: { window: "24h", capMicros: 15_000_000 },
  deadlineMs: 20_000,
  maxConcurrent: 2,
  consentCeilingMicros: null,
  raise: { usdMicros: 100_000, requests: 10 },
  samplingTools: false,
};

test("[M1] amounts go to micro-dollars and back without a rounding", () => {
  for (const [text, micros] of [
    ["0.25", 250_000],
    ["15.00", 15_000_000],
    ["0.000001", 1],
    ["1234567.891234", 1_234_567_891_234],
  ] as const) {
    expect(microsOf(text)).toBe(micros);
    expect(usdText(micros)).toBe(text);
  }
  expect(microsOf("$1,250.5")).toBe(1_250_500_000);
  for (const text of ["", "-1", "1e3", "0.0000001", "1,5", "NaN", "Infinity"]) expect(microsOf(text)).toBeNull();
});

test("[P2] a policy survives the form", () => {
  expect(policyOf(draftOf(POLICY))).toEqual({ policy: POLICY });
  const full = { ...POLICY, consentCeilingMicros: 2_000_000, samplingTools: true };
  expect(policyOf(draftOf(full))).toEqual({ policy: full });
});

test("[P2] what is not a figure is named by the field of the file", () => {
  const read = policyOf({ ...draftOf(POLICY), burst: "many", budgetUsd: "", deadlineMs: "-1" });
  const wheres = "problems" in read ? read.problems.map((problem) => problem.where) : [];
  expect(wheres).toEqual(["rate_limit.burst", "budget.usd", "deadline_ms"]);
});

test("models are one per line or separated by commas, in their order", () => {
  expect(modelsOf(" b \n\na, c,")).toEqual(["b", "a", "c"]);
});

test("[P2] revisions differ by named lines", () => {
  expect(changesBetween(POLICY, { ...POLICY, budget: { window: "24h", capMicros: 250_000 } })).toEqual([
    { label: "Budget (USD)", before: "$15.00", after: "$0.25" },
  ]);
});
