import { expect, test } from "vitest";
import type { ConsentAnswer } from "../../policy/decide";
import { NO_TURN } from "../mcp/lanes";
import type { AdmitAsk, Admitted } from "../storage/store";
import { createDecider } from "./decider";
import type { DriverDeps } from "./deps";
import type { Live } from "./live";

const RECEIVED_AT = 1_000_000;
const policy = { server: "ci-triage", revision: 3, policy: { consent: "per_session" } };
const asked = { policy, record: null, verdict: { kind: "ask", terms: { plan: {} } } } as unknown as Admitted;
const pending = {
  policy,
  record: null,
  verdict: { kind: "refuse", refusal: { reason: "consent.pending", data: { retryAt: "later" } } },
} as unknown as Admitted;

/** Decides one request that must be asked for, so long after it came; answers what was shown and what was decided with. */
async function decidedAfter(ms: number) {
  const consents: AdmitAsk["consent"][] = [];
  let dialogs = 0;
  const deps = {
    store: {
      latest: () => undefined,
      admit: async ({ consent }: AdmitAsk) => {
        consents.push(consent);
        return consent === null ? asked : pending;
      },
    },
    models: { catalog: () => ({ models: [], pricesAsOf: "" }) },
    consent: {
      turn: async () => () => undefined,
      ask: async (): Promise<ConsentAnswer> => {
        dialogs += 1;
        return { answer: "unanswered", shown: true };
      },
    },
    now: () => RECEIVED_AT + ms,
  } as unknown as DriverDeps;
  const live = {
    exchange: {
      incoming: { server: "ci-triage", progress: null, turn: NO_TURN, signal: new AbortController().signal },
      draft: { receivedAt: RECEIVED_AT },
      identity: "ci-triage:0",
    },
    line: { phase: () => undefined, ended: () => undefined },
    state: "deciding",
    measured: null,
    tried: [],
    waits: false,
  } as unknown as Live;
  const decided = await createDecider(deps).decideExchange(live);
  return { dialogs, last: consents.at(-1), decided };
}

test("[K5] a dialog that nobody could answer in time is not opened, and its silence is nobody's (K6)", async () => {
  const late = await decidedAfter(36_000);
  expect(late.dialogs).toBe(0);
  expect(late.last).toEqual({ answer: "unanswered", shown: false });
  expect(JSON.stringify(late.decided)).toContain("consent.pending");
});

test("[K5] while there is time the person is asked, and their silence counts", async () => {
  const early = await decidedAfter(1_000);
  expect(early.dialogs).toBe(1);
  expect(early.last).toEqual({ answer: "unanswered", shown: true });
});
