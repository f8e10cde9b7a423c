import { expect, test } from "vitest";
import { fallbackWords } from "./terms";

test("[R2] a second question names the model that could not be reached", () => {
  expect(fallbackWords({ fellBackFrom: ["claude-haiku-4-5"], model: "local-extractive-1" })).toBe(
    "claude-haiku-4-5 could not be reached; this asks for local-extractive-1 instead.",
  );
  expect(fallbackWords({ fellBackFrom: [], model: "local-extractive-1" })).toBeNull();
});
