import { expect, test } from "vitest";
import { sourcesFor } from "./records";
import type { RecordFilter } from "./store";

const ALL: RecordFilter = { server: null, endings: [], model: null, from: null, to: null };

test("[L2] every filter has an index that starts with what it asks for", () => {
  expect(sourcesFor(ALL)).toEqual([{ index: "byEnd", prefix: [] }]);
  expect(sourcesFor({ ...ALL, server: "a" })).toEqual([{ index: "byServer", prefix: ["a"] }]);
  expect(sourcesFor({ ...ALL, endings: ["failed"] })).toEqual([{ index: "byEnding", prefix: ["failed"] }]);
  expect(sourcesFor({ ...ALL, server: "a", endings: ["failed", "lost", "failed"] })).toEqual([
    { index: "byServerEnding", prefix: ["a", "failed"] },
    { index: "byServerEnding", prefix: ["a", "lost"] },
  ]);
  expect(sourcesFor({ ...ALL, model: "m", server: "a" })).toEqual([{ index: "byModel", prefix: ["m"] }]);
});
