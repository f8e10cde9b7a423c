import { expect, test } from "vitest";
import type { IncomingSampling, SamplingAnswer } from "../mcp/incoming";
import { decideAll, type EmbeddedSteps } from "./embedded";
import type { Decided, Live } from "./live";

const REFUSED = { error: { code: -32003, message: "refused" } };

function requestsOf(...keys: readonly string[]): ReadonlyMap<string, IncomingSampling> {
  const { signal } = new AbortController();
  return new Map(keys.map((key) => [key, { params: key, signal } as unknown as IncomingSampling]));
}

function ended(answer: SamplingAnswer | null): Decided {
  return { kind: "ended", answer };
}

function admitted(incoming: IncomingSampling): Decided {
  return { kind: "admitted", live: { exchange: { incoming } } as Live } as Decided;
}

/** Like a dialog that nobody answers: over only when the request is taken back. */
function unanswered({ signal }: IncomingSampling): Promise<Decided> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(ended(null))));
}

function stepsWith(steps: Pick<EmbeddedSteps, "begin"> & Partial<EmbeddedSteps>) {
  const letGo: unknown[] = [];
  const started: unknown[] = [];
  const all: EmbeddedSteps = {
    again: async (live) => admitted(live.exchange.incoming),
    finish: async (decided) => {
      started.push(decided);
      return { result: {} };
    },
    letGo: async ({ exchange }) => void letGo.push(exchange.incoming.params),
    ...steps,
  };
  return { all, letGo, started };
}

test("[W8] [F36] one refusal ends the call at once: whoever still waits for a person is taken back", async () => {
  const reasons: unknown[] = [];
  const { all, letGo, started } = stepsWith({
    begin: async (one) => {
      if (one.params === "c") return ended(REFUSED);
      if (one.params === "b") return admitted(one);
      const taken = await unanswered(one);
      reasons.push(one.signal.reason);
      return taken;
    },
  });
  expect(await decideAll(requestsOf("a", "b", "c"), all)).toEqual({ ok: false, key: "c", message: "refused" });
  expect(reasons).toEqual(["another_request_of_this_call_was_refused"]);
  expect(letGo).toEqual(["b"]);
  expect(started).toEqual([]);
});

test("[W8] [K5] a silence closes no other dialog: each may still be answered, for the next try", async () => {
  const pending = { error: { code: -32004, message: "pending", data: { reason: "consent.pending" } } };
  const aborted: boolean[] = [];
  const { all, letGo } = stepsWith({
    begin: async (one) => {
      if (one.params === "b") return ended(pending);
      await new Promise((resolve) => setTimeout(resolve));
      aborted.push(one.signal.aborted);
      return admitted(one);
    },
  });
  expect(await decideAll(requestsOf("a", "b"), all)).toEqual({ ok: false, key: "b", message: "pending" });
  expect(aborted).toEqual([false]);
  expect(letGo).toEqual(["a"]);
});

test("[W8] an edit in between that refuses one takes back the others when all are decided again", async () => {
  const { all, letGo, started } = stepsWith({
    begin: async (one) => admitted(one),
    again: async ({ exchange: { incoming } }) => {
      if (incoming.params === "a") return unanswered(incoming);
      return incoming.params === "b" ? ended(REFUSED) : admitted(incoming);
    },
  });
  expect(await decideAll(requestsOf("a", "b", "c"), all)).toEqual({ ok: false, key: "b", message: "refused" });
  expect(letGo).toEqual(["c"]);
  expect(started).toEqual([]);
});

test("[W8] where all are admitted each is started once, and every answer goes back", async () => {
  const { all, letGo, started } = stepsWith({ begin: async (one) => admitted(one) });
  const outcome = await decideAll(requestsOf("a", "b"), all);
  expect(outcome).toEqual({
    ok: true,
    results: new Map([
      ["a", {}],
      ["b", {}],
    ]),
  });
  expect(started).toHaveLength(2);
  expect(letGo).toEqual([]);
});
