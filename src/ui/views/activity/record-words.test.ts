import { expect, test } from "vitest";
import { REASONS, type Refusal } from "../../../policy/reasons";
import type { ExchangeRecord } from "../../../worker/api";
import { detailParts, detailSentences, endingSentence, storySentences } from "./record-words";

const record = (more: Partial<ExchangeRecord>) =>
  ({ reason: null, ending: "completed", detail: {}, protocol: "2025-11-25", ...more }) as ExchangeRecord;

test("[L1] a budget refusal says how much of what, and when it changes", () => {
  const detail = { spentUsd: 0.25, capUsd: 0.25, resetsAt: "2026-12-02T00:00:00.000Z" };
  const said = detailSentences(record({ ending: "refused", reason: "policy.budget_exhausted", detail }), 0);
  expect(said[0]).toBe("$0.25 of $0.25 were spent or reserved.");
  expect(said[1]).toMatch(/^The budget resets at /);
});

test("[K7] a request the server took back is told apart from one the person cancelled", () => {
  expect(endingSentence(record({ ending: "cancelled", detail: { cause: "cancelled_by_server" } }))).toMatch(
    /took its request back/,
  );
  expect(endingSentence(record({ ending: "cancelled", detail: { cause: "cancelled_by_person" } }))).toMatch(
    /^You cancelled/,
  );
  expect(endingSentence(record({ ending: "cancelled", detail: { cause: "server_removed" } }))).toMatch(/^You removed/);
});

test("[L1] details of any shape are survived", () => {
  const detail = { observed: "many", limit: null, resetsAt: 7, retryAt: "soon", status: Number.NaN };
  expect(detailSentences(record({ detail }), 0)).toEqual([]);
});

test("[L1] Purser's own sentence stands on the record, in local time and in place of the general one", () => {
  const at = new Date(2026, 11, 1, 14, 30).getTime();
  const sentence = `ci-triage reached its daily limit of $0.008 at {at:${at}}.`;
  const detail = { sentence, spentUsd: 0.00506, capUsd: 0.008, resetsAt: "2026-12-02T00:00:00.000Z" };
  expect(storySentences(record({ ending: "refused", reason: "policy.budget_exhausted", detail }), at)).toEqual([
    "ci-triage reached its daily limit of $0.008 at 14:30.",
    "$0.0051 of $0.008 were spent or reserved.",
  ]);
  expect(storySentences(record({ ending: "timed_out", reason: "policy.deadline" }), at)).toEqual([
    "The model had not finished when the time this server may take was over.",
  ]);
});

/** One refusal of each reason that carries data; a reason with other data does not compile. */
const FRAMES: readonly Refusal[] = [
  { reason: "policy.model_unpriced", data: { model: "steady" } },
  { reason: "policy.input_too_large", data: { observed: 2, limit: 1 } },
  { reason: "policy.budget_exhausted", data: { spentUsd: 1, capUsd: 1, resetsAt: "" } },
  { reason: "policy.rate_limit", data: { retryAt: "" } },
  { reason: "provider.rejected", data: { status: 400 } },
  { reason: "provider.unsupported_content", data: { block: "audio" } },
];

test("[L1] what the server was told is told apart from what only the log knows", () => {
  const own = { providerSays: "theirs", cause: "cancelled_by_server" };
  for (const { reason, data } of FRAMES) {
    expect(REASONS[reason]).toBeDefined();
    expect(detailParts(record({ ending: "refused", reason, detail: { ...data, ...own, sentence: "ours" } }))).toEqual({
      told: data,
      kept: own,
    });
  }
  expect(detailParts(record({ detail: { stopReason: "endTurn" } })).told).toEqual({ stopReason: "endTurn" });
  const inside = record({ protocol: "2026-07-28", reason: "provider.rejected", detail: { status: 400 } });
  expect(detailParts(inside)).toEqual({ told: {}, kept: { status: 400 } });
  expect(detailParts(record({ ending: "cancelled", detail: { cause: "cancelled_by_server" } })).told).toEqual({});
});
