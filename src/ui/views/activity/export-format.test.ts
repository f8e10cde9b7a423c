import { expect, test } from "vitest";
import type { ExchangeRecord } from "../../../worker/api";
import { csvOf, ndjsonOf } from "./export-format";

const record = (more: Partial<ExchangeRecord>) =>
  ({
    hints: [],
    grantIds: [],
    usage: null,
    receivedAt: 0,
    decidedAt: null,
    dispatchedAt: null,
    endedAt: 0,
    ...more,
  }) as ExchangeRecord;

test("[L2] CSV has exact instants and dollars, and quotes what needs it", () => {
  const [head, line] = csvOf([record({ id: "a", tool: 'say "hi", twice', chargedMicros: 19_200 })]).split("\r\n");
  const cells = (head ?? "").split(",");
  expect(line).toContain('"say ""hi"", twice"');
  expect(line).toContain("1970-01-01T00:00:00.000Z");
  expect(line).toContain(",0.0192,");
  expect(cells).toContain("chargedUsd");
});

test("[L2] a tool called like a formula is text", () => {
  expect(csvOf([record({ tool: "=HYPERLINK(1)" })])).toContain("'=HYPERLINK(1)");
});

test("[L2] NDJSON is one whole record a line", () => {
  const lines = ndjsonOf([record({ id: "a" }), record({ id: "b" })])
    .trim()
    .split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(["a", "b"]);
});
