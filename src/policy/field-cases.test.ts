/** Cases met in the field that are more than one decision: what a run of requests comes to. */
import { describe, expect, test } from "vitest";
import { type Account, heldMicros, releaseHold, settleHold } from "./account";
import {
  aConsent,
  aDraft,
  anAccount,
  anInput,
  aPolicy,
  aRequest,
  aRevision,
  MIDNIGHT,
  NOW,
  SERVER,
} from "./cases/given";
import { type OneServer, oneServer } from "./cases/one-server";
import type { ConsentAnswer, Verdict } from "./decide";
import { malformedFrame, refusalFrame, resultMeta } from "./frame";
import { identityText } from "./identity";
import type { Policy } from "./policy";
import { parseRequest } from "./request";

const ESTIMATE_MICROS = 19_200;
const YES = aConsent({ ceilingMicros: Number.MAX_SAFE_INTEGER });

/** A server with consent for all its budget, and room for any number of requests at once unless `over` says otherwise. */
function enabled(over: Partial<Policy> = {}): OneServer {
  const policy = aPolicy({ maxConcurrent: 1_000, rateLimit: { requestsPerMinute: 1_000, burst: 1_000 }, ...over });
  return oneServer(anInput({ policy: aRevision(policy), account: anAccount(policy, { consents: [YES] }) }));
}

function ask(server: OneServer, id: string, identity = id): Verdict {
  const draft = aDraft({ id, identity: `${SERVER}:${identity}` });
  return server.decide({ draft, identity: draft.identity });
}

function settle(server: OneServer, id: string, micros: number): void {
  const settled = settleHold(server.account(), id, micros, NOW);
  if (settled === null) throw new Error(`${id} holds nothing`);
  server.become(settled.account);
}

function spentMicros(account: Account): number {
  return account.settledMicros + heldMicros(account);
}

describe("what a server is told", () => {
  test("[K2-02] a denial, a provider's fault and a malformed request differ in code, reason and retryable", () => {
    const retryAt = "2026-12-02T12:00:30.000Z";
    const frames = [
      refusalFrame(SERVER, { reason: "user.denied", data: {} }),
      refusalFrame(SERVER, { reason: "provider.unavailable", data: { retryAt } }),
      malformedFrame(SERVER, { path: "messages", problem: "must not be empty" }),
    ];
    expect(frames.map(({ code, data }) => [code, data.reason, data.retryable])).toEqual([
      [-1, "user.denied", false],
      [-32004, "provider.unavailable", true],
      [-32602, "malformed", false],
    ]);
  });
});

describe("budgets", () => {
  test("[K2-11] [F11] a hundred retries, each with a longer history, stay within the budget and make one notice", () => {
    const cap = 5 * ESTIMATE_MICROS;
    const server = enabled({ budget: { window: "24h", capMicros: cap } });
    const verdicts = Array.from({ length: 100 }, (_, at) => {
      const verdict = ask(server, `try-${at}`);
      if (verdict.kind === "admit") settle(server, `try-${at}`, ESTIMATE_MICROS - 1);
      expect(spentMicros(server.account())).toBeLessThanOrEqual(cap);
      return verdict;
    });
    const refused = verdicts.filter((verdict) => verdict.kind === "refuse");
    expect(refused.length).toBe(95);
    expect(refused.filter((verdict) => verdict.firstBudgetNotice).length).toBe(1);
  });

  test("[K2-11] where the budget is wide the rate binds all the same", () => {
    const server = enabled({ rateLimit: { requestsPerMinute: 20, burst: 40 } });
    const kinds = Array.from({ length: 100 }, (_, at) => ask(server, `try-${at}`).kind);
    expect(kinds.filter((kind) => kind === "admit").length).toBe(40);
  });

  test("[K4-05] a burst before anything is booked is admitted as far as the holds reach", () => {
    const cap = 3 * ESTIMATE_MICROS + 5_000;
    const server = enabled({ budget: { window: "24h", capMicros: cap } });
    const verdicts = Array.from({ length: 8 }, (_, at) => ask(server, `at-once-${at}`));
    expect(verdicts.map(({ kind }) => kind)).toEqual([...Array(3).fill("admit"), ...Array(5).fill("refuse")]);
    expect(spentMicros(server.account())).toBe(3 * ESTIMATE_MICROS);
  });

  test("[K4-06] fifty calls that never left leave the budget and the slots as they were", () => {
    const server = enabled({ budget: { window: "24h", capMicros: ESTIMATE_MICROS }, maxConcurrent: 1 });
    for (let at = 0; at < 50; at += 1) {
      expect(ask(server, `failed-${at}`).kind).toBe("admit");
      const released = releaseHold(server.account(), `failed-${at}`);
      server.become(released?.account ?? server.account());
    }
    expect(spentMicros(server.account())).toBe(0);
    expect(ask(server, "after").kind).toBe("admit");
  });

  test("[K4-12] what many small requests cost adds up to the cap, and half an hour gives nothing back", () => {
    const server = enabled({ budget: { window: "1h", capMicros: 100_000 } });
    let served = 0;
    for (let at = 0; at < 200; at += 1) {
      if (ask(server, `small-${at}`).kind !== "admit") break;
      settle(server, `small-${at}`, 1_000);
      served += 1;
    }
    // The next one could cost more than what is left.
    expect(served).toBe(81);
    expect(server.account().settledMicros).toBe(81_000);
    const draft = aDraft({ id: "later", identity: `${SERVER}:later` });
    const later = server.decide({ draft, identity: draft.identity, now: NOW + 1_800_000 });
    expect(later).toMatchObject({ kind: "refuse", refusal: { reason: "policy.budget_exhausted" } });
  });
});

test("[K2-12] [A6] an answer cut by our own limit, asked for again: decided afresh, paid again, not asked about again", () => {
  const server = enabled({ maxOutputTokens: 200 });
  const request = { ok: true, value: aRequest({ maxTokens: 4_000 }) } as const;
  for (const id of ["first", "again", "and-again"]) {
    const verdict = server.decide({ draft: aDraft({ id, maxTokensAsked: 4_000 }), request });
    if (verdict.kind !== "admit") throw new Error(`expected to run, got ${verdict.kind}`);
    expect(resultMeta(verdict.plan)).toEqual({
      maxTokens: { requested: 4_000, applied: 200, reason: "policy.max_output_tokens" },
    });
  }
  expect(server.account().holds.length).toBe(3);
  expect(server.account().bucket.tokens).toBe(997);
});

describe("one text, one reading", () => {
  const asking = (text: string) => JSON.stringify({ messages: [{ role: "user", content: { type: "text", text } }] });
  /** What is asked is read from a frame's text once; this is that one value's identity and request. */
  function readOf(frame: string) {
    const params: unknown = JSON.parse(frame);
    const identity = identityText(params);
    const request = parseRequest(params, { samplingTools: false });
    return { identity: identity.ok ? identity.value : null, request: request.ok ? request.value : null };
  }

  test("[K5-09] one reading: of a key that stands twice the last would be shown, digested and sent, were the frame not refused", () => {
    const twice = readOf(
      '{"systemPrompt":"be kind","systemPrompt":"be thorough","messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9}',
    );
    const once = readOf(
      '{"systemPrompt":"be thorough","messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9}',
    );
    expect(twice).toEqual(once);
    expect(twice.request?.systemPrompt).toBe("be thorough");
  });

  test("[K5-08] integers too large to be told apart are one value to the person, the digest and the model alike", () => {
    const of = (maxTokens: string) =>
      readOf(`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":${maxTokens}}`);
    // Past what a number can hold exactly the request is refused, so nothing is shown that was not sent.
    for (const digits of ["9007199254740993", "9007199254740992"]) expect(of(digits).request).toBeNull();
    const identityOf = (x: string) => identityText(JSON.parse(`{"messages":[],"tools":[{"x":${x}}]}`));
    expect(identityOf("9007199254740993")).toEqual(identityOf("9007199254740992"));
    expect(identityOf("9007199254740993")).not.toEqual(identityOf("9007199254740994"));
  });

  test("[K5-06] composing is for the digest alone: the model gets the text as it was sent", () => {
    const decomposed = "cafe\u0301 \ufb2c";
    const { request } = readOf(`${asking(decomposed).slice(0, -1)},"maxTokens":9}`);
    expect(request?.messages[0]?.content).toEqual([{ type: "text", text: decomposed }]);
  });

  test("[K5-04] [F14] two texts broken in different places share no digest: neither gets one", () => {
    for (const half of ["\\ud83d", "\\ud83e", "\\udc00"]) {
      const broken = readOf(
        `{"messages":[{"role":"user","content":{"type":"text","text":"cut ${half} here"}}],"maxTokens":9}`,
      );
      expect(broken).toEqual({ identity: null, request: null });
    }
  });
});

describe("agreement", () => {
  test("[K7-15] every answer there is ends: in this request, or in a sum, a window and a policy", () => {
    const capMicros = 10 * ESTIMATE_MICROS;
    const policy = aPolicy({ consent: "per_session", budget: { window: "24h", capMicros } });
    const answers: Record<ConsentAnswer["answer"], ConsentAnswer> = {
      allow_once: { answer: "allow_once", by: "Robin", consentId: "yes" },
      allow_session: { answer: "allow_session", by: "Robin", consentId: "yes", ceilingMicros: Number.MAX_SAFE_INTEGER },
      deny: { answer: "deny", by: "Robin" },
      deny_and_mute: { answer: "deny_and_mute", by: "Robin" },
      unanswered: { answer: "unanswered", shown: true },
    };
    const kept = Object.values(answers).map((answer) => {
      const server = oneServer(anInput({ policy: aRevision(policy), account: anAccount(policy) }));
      const draft = aDraft({ id: "ex-1", identity: `${SERVER}:1` });
      expect(server.decide({ draft, identity: draft.identity }).kind).toBe("ask");
      server.decide({ draft, identity: draft.identity, consent: answer });
      const { consents, mutedUntilAt } = server.account();
      return [answer.answer, consents.map(({ ceilingMicros, expiresAt }) => [ceilingMicros, expiresAt]), mutedUntilAt];
    });
    expect(kept).toEqual([
      ["allow_once", [], null],
      ["allow_session", [[capMicros, MIDNIGHT]], null],
      ["deny", [], null],
      ["deny_and_mute", [], MIDNIGHT],
      ["unanswered", [], null],
    ]);
  });
});
