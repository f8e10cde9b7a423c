import { expect, test } from "vitest";
import { deeperThan, isOversized, isRequestId, MAX_FRAME_BYTES, outlineOf } from "./frame";

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);

test("[W9] depth is counted exactly, and a depth that would overflow the stack is only a number", () => {
  expect(deeperThan(nested(64), 64)).toBe(false);
  expect(deeperThan(nested(65), 64)).toBe(true);
  expect(deeperThan(nested(5_000), 64)).toBe(true);
  expect(deeperThan(nested(5_000), 5_000)).toBe(false);
  expect(deeperThan("flat", 0)).toBe(false);
  expect(deeperThan({ a: [{ b: null }] }, 3)).toBe(false);
  expect(deeperThan({ a: [{ b: null }] }, 2)).toBe(true);
});

test("[W9] size is counted in bytes", () => {
  expect(isOversized("x".repeat(MAX_FRAME_BYTES))).toBe(false);
  expect(isOversized("x".repeat(MAX_FRAME_BYTES + 1))).toBe(true);
  expect(isOversized("é".repeat(MAX_FRAME_BYTES / 2))).toBe(false);
  expect(isOversized("é".repeat(MAX_FRAME_BYTES / 2 + 1))).toBe(true);
});

test("[W1] an id is one only where an answer can repeat it", () => {
  for (const id of ["0", '""', '"x"', "-1", "1.5", "9007199254740991"])
    expect(isRequestId(JSON.parse(id)), id).toBe(true);
  for (const id of ["null", "true", "{}", "[1]", "9007199254740993", "-9007199254740992", "1e300", "1e400"]) {
    expect(isRequestId(JSON.parse(id)), id).toBe(false);
  }
});

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":2,', ',"id":3}}', { id: 1, method: "m", isAnswer: false }],
  [
    '{"method":"m","params":{"id":2,',
    '"id":3},"jsonrpc":"2.0","id":"x\\"y"}',
    { id: 'x"y', method: "m", isAnswer: false },
  ],
  ['{ "result" : {"id":2,', '},"jsonrpc":"2.0","id":0 } ', { id: 0, method: null, isAnswer: true }],
  ['{"jsonrpc":"2.0","id":7,"result":{', "}}", { id: 7, method: null, isAnswer: true }],
  ['{"method":"m","params":{"text":"…', '… \\"id\\":9}', { id: null, method: "m", isAnswer: false }],
  ['{"method":"m","params":{"text":"', '","id":9}}', { id: null, method: "m", isAnswer: false }],
  ["[[[[", "]]]]", { id: null, method: null, isAnswer: false }],
  ["", "", { id: null, method: null, isAnswer: false }],
])("an outline of %s … %s takes no member of params for the frame's own", (head, tail, outline) => {
  expect(outlineOf(head, tail)).toEqual(outline);
});
