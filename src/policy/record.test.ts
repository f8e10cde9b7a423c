import { expect, test } from "vitest";
import { aDraft, aHold, anInput, aPolicy, aRevision, NOW } from "./cases/given";
import { decide } from "./decide";
import { lostRecord, recordFor } from "./record";

test("[W9] a malformed request keeps its path, and nothing of its text", () => {
  const verdict = decide(anInput({ request: { ok: false, path: "messages", problem: "must not be empty" } }));
  if (verdict.kind !== "malformed") throw new Error(verdict.kind);
  const record = recordFor(aDraft({ identity: "" }), verdict, aRevision(aPolicy()), NOW);
  expect(record).toMatchObject({ ending: "refused", reason: "malformed", because: "W9", chargeBasis: "none" });
  expect(record.detail).toEqual({ path: "messages", problem: "must not be empty" });
});

test("[K4][L1] a denial names who said no, and when", () => {
  const verdict = decide(anInput({ consent: { answer: "deny", by: "Robin" } }));
  if (verdict.kind !== "refuse") throw new Error(verdict.kind);
  const record = recordFor(aDraft(), verdict, aRevision(aPolicy()), NOW);
  expect(record).toMatchObject({ ending: "denied", reason: "user.denied", answeredBy: "Robin", decidedAt: NOW });
});

test("[M4] a lost call is charged its estimate and marked so; one that never left is not", () => {
  const lost = lostRecord({ hold: aHold({ plan: { consentId: "yes-1" } }), chargedMicros: 19_200 }, NOW);
  expect(lost).toMatchObject({
    id: "ex-0",
    ending: "lost",
    because: "M4",
    chargedMicros: 19_200,
    chargeBasis: "estimate",
  });
  expect(lost).toMatchObject({ modelUsed: "steady", consentId: "yes-1", endedAt: NOW });
  const waited = lostRecord({ hold: aHold({ dispatchedAt: null }), chargedMicros: 0 }, NOW);
  expect(waited).toMatchObject({ chargedMicros: 0, chargeBasis: "none", modelUsed: null });
});
