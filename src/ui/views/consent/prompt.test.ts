import { expect, test } from "vitest";
import { blocksOf, foldOf, promptParts } from "./prompt";

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

test("[K3] every turn says under which name the server wrote it (K7-14)", () => {
  const said = (role: "user" | "assistant", text: string) => ({ role, blocks: [{ kind: "text", text }] });
  const turns = [said("user", "a"), said("assistant", "b"), said("user", "c")];
  expect(blocksOf({ systemPrompt: "s", turns }).map(({ who }) => who)).toEqual([
    "System prompt",
    "Turn 1: As the user",
    "Turn 2: Put in the assistant's mouth",
    "Turn 3: As the user",
  ]);
  const picture = { role: "user", blocks: [{ kind: "image", text: "image/png, 9 bytes" }] } as const;
  expect(blocksOf({ systemPrompt: null, turns: [picture] })).toEqual([
    { who: "As the user, image", text: "image/png, 9 bytes" },
  ]);
});

test("[K3] of very many turns the first and the last are drawn, and the number of those between is told", () => {
  expect(foldOf(100, 0)).toEqual({ first: 100, folded: 0 });
  expect(foldOf(76_000, 0)).toEqual({ first: 50, folded: 75_900 });
  expect(foldOf(76_000, 2)).toEqual({ first: 450, folded: 75_500 });
});
