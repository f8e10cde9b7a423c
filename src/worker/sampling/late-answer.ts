/** An answer given after the server was told `consent.pending`: it serves the retry (SPEC K5). */
import type { Consent } from "../../policy/account";
import type { DialogAnswer } from "../api";
import type { Store } from "../storage/store";
import type { ConsentQuestion } from "./deps";

export interface LateDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly newId: () => string;
  readonly profileName: () => string;
}

/** Rejects with `StorageUnavailable` where the answer could not be kept; nothing then counts as answered. */
export async function answeredLate(deps: LateDeps, question: ConsentQuestion, answer: DialogAnswer): Promise<void> {
  const { terms, server } = question;
  if (answer === "allow_session" || answer === "allow_once") {
    const consent: Consent = {
      id: deps.newId(),
      kind: answer === "allow_session" ? "session" : "once",
      identity: answer === "allow_session" ? null : question.ask.identity,
      model: terms.plan.model,
      scope: terms.plan.scopeGranted,
      ceilingMicros: answer === "allow_session" ? terms.ceilingMicros : terms.atMostMicros,
      usedMicros: 0,
      policyRevision: terms.plan.policyRevision,
      givenAt: deps.now(),
      expiresAt: terms.untilAt,
      givenBy: deps.profileName(),
    };
    await deps.store.addConsent(server, consent, deps.now());
    return;
  }
  const draft = { ...question.ask.draft, id: deps.newId(), receivedAt: deps.now() };
  const ask = { ...question.ask, draft, now: deps.now() };
  // A no stands before everything but a switched-off server, which needs none.
  await deps.store.admit({ ...ask, consent: { answer, by: deps.profileName() } });
}
