import { expect, test } from "vitest";
import type { StepView } from "../../../worker/api";
import { askedElsewhere, deadlineShare, phaseWords, previewOf, STEPS_UNFOLDED, stepLines, sumsOf } from "./step-words";

const step = (id: number, more: Partial<StepView> = {}): StepView => ({
  id: `s${id}`,
  recordId: `s${id}`,
  server: "ci-triage",
  receivedAt: 1_000 * id,
  about: "",
  step: { phase: "ended" },
  ending: "completed",
  reason: null,
  model: "m",
  inputTokens: 100,
  outputTokens: 20,
  chargedMicros: 50,
  endedAt: 1_000 * id + 500,
  because: "",
  represented: 0,
  ...more,
});

test("[R5] a running step says model, tokens and its time against the deadline", () => {
  const running = { phase: "generating", model: "haiku", outputTokens: 212, startedAt: 0, deadlineAt: 20_000 } as const;
  expect(phaseWords(running, 6_000)).toBe("generating on haiku, 212 tokens, 6 s of 20 s");
  expect(phaseWords(running, 90_000)).toContain("20 s of 20 s");
  expect(deadlineShare(running, 5_000)).toBe(0.25);
});

test("[R5] every phase has words of its own", () => {
  expect(phaseWords({ phase: "waiting_for_consent", untilAt: 45_000 }, 5_000)).toBe(
    "waiting for your consent, 40 s left",
  );
  expect(phaseWords({ phase: "counting_tokens" }, 0)).toBe("counting tokens");
});

test("few steps stand one by one, many that ended alike share a line, different ones do not", () => {
  const few = Array.from({ length: STEPS_UNFOLDED }, (_, id) => step(id));
  expect(stepLines(few)).toHaveLength(STEPS_UNFOLDED);
  const many = [
    ...Array.from({ length: 20 }, (_, id) => step(id)),
    step(20, { ending: "refused", reason: "policy.budget_exhausted" }),
    step(21, { ending: null, step: { phase: "deciding" } }),
    step(22, { ending: null, step: { phase: "deciding" } }),
    step(23, { ending: null, step: { phase: "deciding" } }),
  ];
  expect(stepLines(many).map((line) => (line.kind === "many" ? line.steps.length : 1))).toEqual([20, 1, 1, 1, 1]);
});

test("a folded line sums tokens and cost", () => {
  expect(sumsOf([step(1), step(2)])).toEqual({ tokens: 240, chargedMicros: 100, represented: 0, ms: 1_500 });
});

test("a consent that this tab has no dialog for is answered in another tab", () => {
  const asking = step(1, { ending: null, step: { phase: "waiting_for_consent", untilAt: 9_000 } });
  const behind = step(2, { ending: null, step: { phase: "waiting_behind_dialog" } });
  const dialogs = [{ exchangeId: "s1", server: "ci-triage" }];
  expect([asking, behind].map((one) => askedElsewhere(one, dialogs))).toEqual([false, false]);
  expect([asking, behind].map((one) => askedElsewhere(one, []))).toEqual([true, true]);
  expect(askedElsewhere(step(3), [])).toBe(false);
});

test("a preview is the first line that says something", () => {
  expect(previewOf("\n---\n# Test: adds up\nSuite: go")).toBe("Test: adds up");
  expect(previewOf("```\n\n")).toBe("");
});
