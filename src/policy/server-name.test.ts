import { expect, test } from "vitest";
import { isServerName, lookAlikeOf, mixesAlphabets } from "./server-name";

test("[K7-11] a word of letters that look alike, from two alphabets, is nobody's; a language of its own is", () => {
  const mixed = ["m\u0443-server", "p\u0430ypal", "wiki \u0410PI", "\u03bfcr", "\uff50\u0430y"];
  expect(mixed.filter((name) => !mixesAlphabets(name))).toEqual([]);
  const plain = [
    "ci-triage",
    "Gr\u00f6\u00dfe 2",
    "\u65e5\u672c wiki",
    "\u043f\u043e\u0438\u0441\u043a",
    "\u043f\u043e\u0438\u0441\u043a-api",
    "\u03b1 \u03b2",
  ];
  expect(plain.filter(mixesAlphabets)).toEqual([]);
});

test.each([
  ["my-server", "my_server"],
  ["my-server", "My.Server"],
  ["my-server", "MY SERVER"],
  ["caf\u00e9", "cafe\u0301"],
  ["wiki", "\uff57\uff49\uff4b\uff49"],
  ["pay", "\u0440\u0430\u0443"],
  ["server-1", "server-l"],
  ["ocr", "0cr"],
])("[K7-11] %s and %s are mistaken for one another", (one, other) => {
  expect(lookAlikeOf(other, ["unlike", one])).toBe(one);
  expect(lookAlikeOf(one, ["unlike", other])).toBe(other);
});

test("[K7-11] names that differ to the eye stand side by side, and a name is not its own twin", () => {
  const others = ["probe", "probe-2", "wiki-search", "ci-triage", "\u65e5\u672c"];
  expect(others.flatMap((name) => lookAlikeOf(name, others) ?? [])).toEqual([]);
  expect(lookAlikeOf("probe-3", others)).toBeUndefined();
  expect(lookAlikeOf("probe", ["probe"])).toBeUndefined();
  expect(["safe\u202egpj.exe", "pay\u200bpal-wiki", "a\u2066b"].filter(isServerName)).toEqual([]);
});
