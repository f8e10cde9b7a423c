import { expect, test } from "vitest";
import { againWords, answerWords } from "./terms";

test("[R2] a second question names the model that could not be reached", () => {
  const model = "local-extractive-1";
  expect(againWords({ fellBackFrom: ["claude-haiku-4-5"], model, termsChanged: false })).toBe(
    "claude-haiku-4-5 could not be reached; this asks for local-extractive-1 instead.",
  );
  expect(againWords({ fellBackFrom: [], model, termsChanged: false })).toBeNull();
});

test("[K1-08] a clamped answer says what it gets and what was asked for", () => {
  expect(answerWords(999_999_999, 1_024)).toBe("up to 1,024 tokens (it asked for 999,999,999)");
  expect(answerWords(700, 700)).toBe("up to 700 tokens");
});
