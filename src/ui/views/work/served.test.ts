import { expect, test } from "vitest";
import type { NoticeView, StepView } from "../../../worker/api";
import { labelOf, nothingIn, refusedIn } from "./served";

const notice = (reason: NoticeView["reason"], because?: string) => ({ reason, because }) as NoticeView;
const step = (reason: StepView["reason"], ending: StepView["ending"], because = "A") =>
  ({ reason, ending, because }) as StepView;

test("[K2-08] [E2] an output made while a model was refused says so, and that it may come from elsewhere", () => {
  expect(labelOf([notice("policy.no_permitted_model")])).toBe(
    "Sampling was not fully served in this run (no permitted model): this may be incomplete, or made elsewhere.",
  );
  expect(labelOf([notice("fallback"), notice("user.denied")])).toContain("you denied it");
});

test("[K6] a quiet server answered without anyone being asked is not told as the person's denial", () => {
  expect(labelOf([notice("user.denied", "K6")])).toContain("(quiet, not asked)");
  expect(labelOf([notice("user.denied", "K4")])).toContain("(you denied it)");
  const quiet = step("user.denied", "denied", "K6");
  expect(refusedIn({ steps: [quiet], notices: [] })).toEqual({ reason: "user.denied", because: "K6" });
  const folded = refusedIn({ steps: [], notices: [notice("user.denied", "K6")] });
  expect(folded).toEqual({ reason: "user.denied", because: "K6" });
});

test("[E] an output that was only trimmed, or made without any refusal, has no such label", () => {
  expect(labelOf([])).toBeNull();
  const trimmed = ["policy.max_scope", "policy.max_output_tokens", "policy.models", "fallback"] as const;
  expect(labelOf(trimmed.map((reason) => notice(reason)))).toBeNull();
});

test("[K2-10] [E2] nothing returned is told by why sampling was refused, also where its step was folded away", () => {
  const denied = step("user.denied", "denied");
  expect(refusedIn({ steps: [step(null, "completed"), denied], notices: [] })?.reason).toBe("user.denied");
  expect(refusedIn({ steps: [], notices: [notice("policy.budget_exhausted")] })?.reason).toBe(
    "policy.budget_exhausted",
  );
  expect(refusedIn({ steps: [step(null, "completed")], notices: [notice("policy.max_scope")] })).toBeNull();
});

test("[E2] a throttle before a request that was served is not why nothing came back; one after it is", () => {
  const [served, throttled] = [step(null, "completed"), step("policy.rate_limit", "throttled")];
  expect(refusedIn({ steps: [throttled, served], notices: [] })).toBeNull();
  expect(refusedIn({ steps: [served, throttled], notices: [] })?.reason).toBe("policy.rate_limit");
  expect(refusedIn({ steps: [step("user.denied", "denied"), served], notices: [] })?.reason).toBe("user.denied");
});

test("[K2-10] blank text and no blocks at all are nothing; anything else is something", () => {
  expect(nothingIn({ content: [], structured: undefined })).toBe(true);
  expect(nothingIn({ content: [{ type: "text", text: " \n" }], structured: null })).toBe(true);
  expect(nothingIn({ content: [{ type: "text", text: "null" }], structured: null })).toBe(false);
  expect(nothingIn({ content: [{ type: "text" }], structured: null })).toBe(false);
  expect(nothingIn({ content: [], structured: {} })).toBe(false);
});
