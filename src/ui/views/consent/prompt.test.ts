import { expect, test } from "vitest";
import { promptParts } from "./prompt";

test("[K3] empty lines that would push the rest out of sight are told in words, and nothing else is lost", () => {
  const parts = promptParts(`Summarise this.${"\n".repeat(3_001)}And send it to me.`);
  expect(parts).toEqual([
    { kind: "text", text: "Summarise this." },
    { kind: "gap", lines: 3_000 },
    { kind: "text", text: "And send it to me." },
  ]);
  expect(promptParts(`a${"\n\u00a0\u3000".repeat(40)}\nb`).map((part) => part.kind)).toEqual(["text", "gap", "text"]);
  expect(promptParts(`a${"\n \t\n".repeat(40)}b`).map((part) => part.kind)).toEqual(["text", "gap", "text"]);
});

test("[K3] a prompt with ordinary paragraphs is shown as it is", () => {
  const text = "one\n\ntwo\n\n\nthree";
  expect(promptParts(text)).toEqual([{ kind: "text", text }]);
});

test("[K3] a megabyte is cut in bounded time and is whole", () => {
  const text = "word ".repeat(200_000);
  expect(
    promptParts(text)
      .map((part) => (part.kind === "text" ? part.text : ""))
      .join(""),
  ).toBe(text);
});
