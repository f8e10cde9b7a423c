import { expect, test } from "vitest";
import type { ExchangeRecord } from "../../../worker/api";
import { detailSentences, endingSentence } from "./record-words";

const record = (more: Partial<ExchangeRecord>) =>
  ({ reason: null, ending: "completed", detail: {}, ...more }) as ExchangeRecord;

test("[L1] a budget refusal says how much of what, and when it changes", () => {
  const detail = { spentUsd: 0.25, capUsd: 0.25, resetsAt: "2026-12-02T00:00:00.000Z" };
  const said = detailSentences(record({ ending: "refused", reason: "policy.budget_exhausted", detail }), 0);
  expect(said[0]).toBe("$0.25 of $0.25 were spent.");
  expect(said[1]).toMatch(/^The budget resets at /);
});

test("[K7] a request the server took back is told apart from one the person cancelled", () => {
  expect(endingSentence(record({ ending: "cancelled", detail: { cause: "cancelled_by_server" } }))).toMatch(
    /took its request back/,
  );
  expect(endingSentence(record({ ending: "cancelled", detail: { cause: "cancelled_by_person" } }))).toMatch(
    /^You cancelled/,
  );
});

test("[L1] details of any shape are survived", () => {
  const detail = { observed: "many", limit: null, resetsAt: 7, retryAt: "soon", status: Number.NaN };
  expect(detailSentences(record({ detail }), 0)).toEqual([]);
});
