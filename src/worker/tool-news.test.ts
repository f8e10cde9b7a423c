import { expect, test } from "vitest";
import { compareTools, type KnownTools, newsOf, opened, sameKnown } from "./tool-news";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const list = (tools: Record<string, string>) => new Map(Object.entries(tools));
const read = (known: KnownTools | null, tools: Record<string, string>, at = NOW) =>
  compareTools(known, list(tools), "probe", at);

test("[K7-16] the first list has nothing new; later ones name what is new or changed, once", () => {
  const first = read(null, { send: "d1", find: "d1" });
  expect([first.line, newsOf(first.known.tools)]).toEqual([null, []]);
  const second = read(first.known, { send: "d2", find: "d1", copy: "d1" });
  expect(second.line).toBe('probe has 1 new and 1 changed tools: "copy", "send"');
  expect(newsOf(second.known.tools)).toEqual([
    { tool: "send", what: "changed" },
    { tool: "copy", what: "new" },
  ]);
  const third = read(second.known, { send: "d2", find: "d1", copy: "d1" }, NOW + 60 * MINUTE);
  expect([third.line, sameKnown(second.known, third.known)]).toEqual([null, true]);
});

test("[K7-16] a mark stays until the person opened that tool, whatever becomes of it meanwhile", () => {
  const base = read(null, { send: "d1" }).known;
  const changed = read(base, { send: "d2", copy: "d1" }).known;
  const back = read(changed, { send: "d1", copy: "d2" }).known;
  expect(newsOf(back.tools).map(({ what }) => what)).toEqual(["changed", "new"]);
  const looked = opened(opened(back, "send"), "copy");
  expect(newsOf(looked.tools)).toEqual([]);
  expect(opened(looked, "send")).toBe(looked);
  expect(newsOf(read(looked, { send: "d1", copy: "d3" }).known.tools)).toEqual([{ tool: "copy", what: "changed" }]);
});

test("[K7-16] a tool that is left out and comes back as it was is no news, as another it is", () => {
  const known = read(read(null, { send: "d1", find: "d1" }).known, { find: "d1" }).known;
  expect(read(known, { send: "d1", find: "d1" }).line).toBeNull();
  expect(read(known, { send: "d2", find: "d1" }).line).toBe('probe has 1 changed tool: "send"');
});

test("[K7-16] [K8-03] tools that never stay the same are one line in ten minutes, and nothing is left untold for good", () => {
  let { known } = read(null, { send: "0" });
  const lines: string[] = [];
  for (let n = 1; n <= 60; n += 1) {
    const next = read(known, { send: `${n}`, [`tool ${n}`]: "d" }, NOW + n * 20_000);
    known = next.known;
    if (next.line !== null) lines.push(next.line);
  }
  expect(lines).toHaveLength(2);
  // What was left out of the list by then is not told.
  expect(lines[1]).toBe('probe has 1 new and 1 changed tools: "tool 31", "send"');
  // Neither does a clock that was set back silence it.
  expect(read(known, { send: "x" }, NOW - 24 * 60 * MINUTE).line).not.toBeNull();
});

test("[K7-16] [K7-07] however many, and whatever their names hide, the line is ours and short", () => {
  const base = read(null, {}).known;
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`tool\u202e${n} `.repeat(30), "d"]));
  const { line, known } = read(base, many);
  expect(line).toMatch(/^probe has 1000 new tools: "tool\\u\{202E\}0 .* and 994 more$/);
  expect(line?.length).toBeLessThan(500);
  expect(line).not.toContain("\u202e");
  expect(known.tools.size).toBe(1_000);
  const others = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`other ${n}`, "d"]));
  expect(read(known, others).known.tools.size).toBe(1_000);
  expect(newsOf(read(base, { ["__proto__"]: "d" }).known.tools)).toEqual([{ tool: "__proto__", what: "new" }]);
});
