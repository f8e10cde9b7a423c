import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Account, Consent, Grant, Hold, Plan } from "../account";
import type { ConsentAnswer, DecideInput, Measured } from "../decide";
import { decide } from "../decide";
import type { StoredDecision } from "../decision";
import type { Policy } from "../policy";
import type { RecordDraft } from "../record";
import type { Malformed, ModelPreferences, SamplingRequest } from "../request";
import {
  aConsent,
  aDecision,
  aDraft,
  aGrant,
  aHold,
  aPolicy,
  aRequest,
  aRevision,
  anAccount,
  anInput,
  CATALOG,
  MEASURED,
  NOW,
} from "./given";

/** A case as a file holds it: only what differs from the ordinary request, instants as ISO 8601. */
interface Case {
  readonly rule: string;
  readonly title: string;
  readonly given: {
    readonly malformed?: Malformed;
    readonly request?: Partial<Omit<SamplingRequest, "modelPreferences">>;
    readonly preferences?: Partial<ModelPreferences>;
    readonly draft?: Partial<RecordDraft>;
    readonly policy?: Partial<Policy>;
    readonly revision?: number;
    readonly account?: Partial<Omit<Account, "holds" | "grants" | "consents">>;
    readonly holds?: readonly (Partial<Omit<Hold, "plan">> & { readonly plan?: Partial<Plan> })[];
    readonly grants?: readonly Partial<Grant>[];
    readonly consents?: readonly Partial<Consent>[];
    readonly prior?: Partial<StoredDecision>;
    readonly consent?: ConsentAnswer;
    readonly measured?: Partial<Measured> | null;
    readonly tried?: readonly string[];
    readonly now?: number;
  };
  readonly expect: {
    readonly kind: string;
    readonly because: string;
    readonly reason?: string;
    readonly data?: object;
    /** Paths into the verdict, `plan.model`, with the value that must stand there. */
    readonly at?: Readonly<Record<string, unknown>>;
  };
}

const here = new URL(".", import.meta.url);

for (const file of readdirSync(here).filter((name) => name.endsWith(".json"))) {
  const cases = JSON.parse(readFileSync(new URL(file, here), "utf8"), instants) as readonly Case[];
  describe(file, () => {
    test.each(cases.map((one) => [`[${one.rule}] ${one.title}`, one] as const))("%s", (_, one) => {
      const input = inputOf(one.given);
      const before = structuredClone(input);
      const verdict = decide(input);
      expect(verdict).toMatchObject({ kind: one.expect.kind, because: one.expect.because });
      const refusal = verdict.kind === "refuse" ? verdict.refusal : verdict.kind === "replay" ? verdict.decision.refusal : null;
      expect(refusal?.reason).toBe(one.expect.reason);
      if (one.expect.data !== undefined) expect(refusal?.data).toEqual(one.expect.data);
      for (const [path, value] of Object.entries(one.expect.at ?? {})) {
        expect(path.split(".").reduce(into, verdict), path).toEqual(value);
      }
      expect(input, "decide changed its input").toEqual(before);
    });
  });
}

function into(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key];
}

/** ISO instants become epoch ms wherever our types hold instants; on the wire (`retryAt`, `resetsAt`) they stay. */
function instants(key: string, value: unknown): unknown {
  const iso = typeof value === "string" && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);
  return iso && key !== "retryAt" && key !== "resetsAt" ? Date.parse(value) : value;
}

function inputOf(given: Case["given"]): DecideInput {
  const policy = aPolicy(given.policy);
  const preferences = { ...aRequest().modelPreferences, ...given.preferences };
  const request = aRequest({ ...given.request, modelPreferences: preferences });
  return anInput({
    request: given.malformed === undefined ? { ok: true, value: request } : { ok: false, ...given.malformed },
    draft: aDraft(given.draft),
    policy: aRevision(policy, given.revision ?? 3),
    account: anAccount(policy, {
      ...given.account,
      holds: (given.holds ?? []).map(aHold),
      grants: (given.grants ?? []).map(aGrant),
      consents: (given.consents ?? [{}]).map(aConsent),
    }),
    prior: given.prior === undefined ? null : aDecision(given.prior),
    consent: given.consent ?? null,
    measured: given.measured === null ? null : { ...MEASURED, ...given.measured },
    tried: given.tried ?? [],
    catalog: CATALOG,
    now: given.now ?? NOW,
  });
}
