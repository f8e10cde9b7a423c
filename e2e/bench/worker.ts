/**
 * The worker under measurement: the real connections, with the real driver and store behind them or with a handler that
 * always allows or always refuses. The floor shares every line but the governing ones.
 */
import "../../src/worker/jitless";
import * as Comlink from "comlink";
import type { ModelEntry } from "../../src/policy/catalog";
import { DEFAULT_POLICY, type Policy } from "../../src/policy/policy";
import type { Connections } from "../../src/worker/mcp/connection";
import { createConnections } from "../../src/worker/mcp/connections";
import type { SamplingAnswer, SamplingHandler } from "../../src/worker/mcp/incoming";
import type { Provider, ProviderOutcome } from "../../src/worker/providers/provider";
import { createDriver } from "../../src/worker/sampling/driver";
import { recordOf } from "../../src/worker/sampling/endings";
import { openStore } from "../../src/worker/storage/open";
import type { AdmitAsk } from "../../src/worker/storage/store";

const SERVER = "bench";
const MODEL = "bench-1";
const now = () => Date.now();
const newId = () => crypto.randomUUID();

const POLICY: Policy = {
  ...DEFAULT_POLICY,
  allowSampling: true,
  models: [MODEL],
  maxInputTokens: 1_000_000,
  rateLimit: { requestsPerMinute: 100_000, burst: 100_000 },
  budget: { window: "30d", capMicros: 1_000_000_000_000 },
  maxConcurrent: 64,
};

const COMPLETION = { content: [{ type: "text", text: "ok" }], model: MODEL, stopReason: "endTurn" } as const;
const MODEL_ENTRY: ModelEntry = {
  id: MODEL,
  aliases: [],
  provider: "bench",
  price: {
    bands: [
      {
        upToInputTokens: null,
        inputMicros: 1_000_000,
        outputMicros: 5_000_000,
        cacheReadMicros: 1_000_000,
        cacheWriteMicros: 1_000_000,
      },
    ],
    asOf: "2026-12-01",
    source: "table",
  },
  availability: { state: "ready" },
  accepts: ["text"],
  cheapness: 1,
  speed: 1,
  intelligence: 0,
};
/** Answers at once: what is measured is the way to a provider and back, not a provider. */
const instant: Provider = {
  id: "bench",
  models: () => [MODEL_ENTRY],
  countTokens: async (prompt) => Math.ceil(JSON.stringify(prompt.messages).length / 4),
  run: async (): Promise<ProviderOutcome> => ({
    ok: true,
    ...COMPLETION,
    usage: { inputTokens: 3000, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
  }),
};

/** `governed_off`: the real driver for a server whose policy says no, so that every request but the first is a replay. */
export type Mode = "allow" | "refuse" | "governed" | "governed_off";

const allow: SamplingHandler = {
  one: async () => ({
    result: { role: "assistant", content: COMPLETION.content[0], model: MODEL, stopReason: "endTurn" },
  }),
  embedded: async () => ({ ok: false, key: "", message: "not measured" }),
};
const refuse: SamplingHandler = {
  one: async (): Promise<SamplingAnswer> => ({
    error: {
      code: -32003,
      message: "refused",
      data: { reason: "policy.sampling_disabled", server: SERVER, retryable: false },
    },
  }),
  embedded: allow.embedded,
};

async function governed(allowed: boolean): Promise<SamplingHandler> {
  const store = await openStore({ now, newId, tab: newId() });
  await store.savePolicies(new Map([[SERVER, { ...POLICY, allowSampling: allowed }]]), "bench", now());
  if (allowed) {
    const { revision } = await store.policy(SERVER);
    await store.addConsent(
      SERVER,
      {
        id: newId(),
        kind: "session",
        identity: null,
        model: MODEL,
        scope: "none",
        ceilingMicros: 1_000_000_000_000,
        usedMicros: 0,
        policyRevision: revision,
        givenAt: now(),
        expiresAt: now() + 86_400_000,
        givenBy: "bench",
      },
      now(),
    );
  }
  return createDriver({
    store,
    models: {
      catalog: () => ({ models: [MODEL_ENTRY], pricesAsOf: "2026-12-01" }),
      forModel: () => instant,
      noteFailure: () => undefined,
    },
    consent: { ask: async () => null, turn: async () => null },
    watcher: {
      step: () => undefined,
      replayed: () => undefined,
      withdrawn: () => undefined,
      ended: () => undefined,
      loopAlert: () => undefined,
    },
    context: () => ({ messages: [], manifest: [] }),
    toolOf: () => "measure",
    onBug: reportError,
    tab: "bench",
    now,
    newId,
  });
}

const open: { readonly name: string; readonly connections: Connections }[] = [];

const api = {
  /** Connects to `url` under one handler; answers the number to call it by. */
  async connect(url: string, mode: Mode): Promise<number> {
    const handler = mode === "allow" ? allow : mode === "refuse" ? refuse : await governed(mode === "governed");
    const name = mode.startsWith("governed") ? SERVER : `floor-${mode}`;
    let connected: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const connections = createConnections({
      sampling: handler,
      onReport: (_, report) => {
        if (report.state.state === "connected" && report.tools.length > 0) connected();
      },
      eraOf: () => "legacy",
      onEra: () => undefined,
      now,
      newId,
    });
    connections.open({ name, url, headers: {}, declareSampling: true });
    await ready;
    return open.push({ name, connections }) - 1;
  },

  /** Calls the server's tool `times` times, one after another; ms of each. */
  async call(which: number, times: number): Promise<readonly number[]> {
    const target = open[which];
    if (target === undefined) throw new Error("not connected");
    const took: number[] = [];
    for (let call = 0; call < times; call += 1) {
      const startedAt = performance.now();
      const outcome = await target.connections.callTool({
        server: target.name,
        tool: "ask",
        args: {},
        runId: newId(),
        signal: new AbortController().signal,
        onQueued: () => undefined,
        onProgress: () => undefined,
      });
      if (outcome.kind !== "result" || outcome.isError) throw new Error(JSON.stringify(outcome));
      took.push(performance.now() - startedAt);
    }
    return took;
  },

  async disconnect(): Promise<void> {
    await Promise.all(open.splice(0).map(({ name, connections }) => connections.close(name)));
  },

  /** Admits and settles with `parallel` in flight for `forMs`; resolves with how many were admitted. */
  async admits(parallel: number, forMs: number): Promise<number> {
    const store = await openStore({ now, newId, tab: newId() });
    const endAt = now() + forMs;
    let admitted = 0;
    async function lane(): Promise<void> {
      while (now() < endAt) {
        const ask = bareAsk(newId());
        const { verdict } = await store.admit(ask);
        if (verdict.kind !== "admit" && verdict.kind !== "ask")
          throw new Error(`not admitted: ${JSON.stringify(verdict)}`);
        admitted += 1;
        void store.settle({
          server: SERVER,
          exchangeId: ask.draft.id,
          charge: { basis: "estimate", micros: 1 },
          record: recordFor(ask),
          decision: null,
          consentId: null,
          now: now(),
        });
      }
    }
    await Promise.all(Array.from({ length: parallel }, lane));
    return admitted;
  },
  prepare: async () => {
    await governed(true);
  },
};

function bareAsk(id: string): AdmitAsk {
  return {
    request: {
      ok: true,
      value: {
        messages: [{ role: "user", content: [{ type: "text", text: id }] }],
        systemPrompt: null,
        includeContext: "none",
        modelPreferences: { hints: [], costPriority: null, speedPriority: null, intelligencePriority: null },
        maxTokens: 10,
        temperature: null,
        stopSequences: [],
        tools: null,
        toolChoice: null,
      },
    },
    identity: `${SERVER}:${id}`,
    draft: {
      id,
      server: SERVER,
      identity: `${SERVER}:${id}`,
      runId: null,
      tool: null,
      receivedAt: now(),
      hints: [],
      scopeAsked: "none",
      maxTokensAsked: 10,
      protocol: "2025-11-25",
      transport: "http",
    },
    consent: null,
    measured: { model: MODEL, scope: "none", inputTokens: 100, manifest: [] },
    tried: [],
    catalog: { models: [MODEL_ENTRY], pricesAsOf: "2026-12-01" },
    now: now(),
  };
}

function recordFor(ask: AdmitAsk) {
  return recordOf(ask.draft, { ending: "completed", reason: null, because: "A11", policyRevision: 1 }, now());
}

export type BenchApi = typeof api;
Comlink.expose(api);
