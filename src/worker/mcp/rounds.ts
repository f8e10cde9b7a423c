/**
 * Protocol 2026-07-28: a call may be answered with `input_required`. What it asks for is decided as one, and the call is
 * repeated with the answers (SPEC W8). The SDK's own loop runs them side by side and abandons the rest when one fails.
 */
import type { ToolCall, ToolOutcome } from "./connection";
import { deeperThan, isMembers, MAX_DEPTH, type Members } from "./frame";
import { NAMED_TWICE } from "./gate";
import type { IncomingSampling, SamplingHandler } from "./incoming";
import { NO_TURN } from "./lanes";
import type { Answered } from "./session";
import { spelled } from "./spelled";

const MAX_ROUNDS = 8;
const MAX_EMBEDDED = 32;
/** A server that only wants the call again later is not asked at once. */
const EMPTY_ROUND_WAIT_MS = 1_000;

export interface RoundHooks {
  readonly sampling: SamplingHandler;
  readonly protocol: string;
  readonly transport: IncomingSampling["transport"];
  /** Aborts with an `AbortCause`. */
  readonly signal: AbortSignal;
  readonly ask: (params: Members) => Promise<Answered>;
}

export type Rounds = { readonly raw: unknown } | { readonly ended: ToolOutcome };

export async function runRounds(call: ToolCall, hooks: RoundHooks): Promise<Rounds> {
  const own = { name: call.tool, arguments: { ...call.args } };
  let params: Members = own;
  for (let round = 0; ; round += 1) {
    const { raw, repeated } = await hooks.ask(params);
    if (!isMembers(raw) || raw.resultType !== "input_required") return { raw };
    // Before anything is decided: what no further call could carry back would be paid for in vain.
    if (round === MAX_ROUNDS) return refused(`${spelled(call.tool)} ${ENDLESS}`);
    const embedded = embeddedIn(raw);
    if (!embedded.ok) return refused(embedded.message);
    const { requestState } = raw;
    if (!isState(requestState)) return refused("The server's state is no text, so it cannot be given back unchanged.");
    // The state is the server's: it goes back as it came, is never read, and where there is none, none is sent.
    const state = typeof requestState === "string" ? { requestState } : {};
    if (embedded.requests.size === 0) {
      if (typeof requestState !== "string")
        return { ended: { kind: "error", code: null, message: "The server wants more input and does not say which." } };
      await wait(EMPTY_ROUND_WAIT_MS, call.signal);
      params = { ...own, ...state };
      continue;
    }
    const answers = await hooks.sampling.embedded(incomingOf(call, hooks, embedded.requests, repeated));
    if (call.signal.aborted) return { ended: { kind: "cancelled" } };
    if (!answers.ok) return refused(answers.message);
    params = { ...own, inputResponses: Object.fromEntries(answers.results), ...state };
  }
}

const ENDLESS = `asked for more input ${MAX_ROUNDS + 1} times in a row; the call was ended here.`;

function refused(message: string): Rounds {
  return { ended: { kind: "refused_locally", message } };
}

/** Null counts as absent, as some servers write it. */
function isState(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

type Embedded =
  | { readonly ok: true; readonly requests: ReadonlyMap<string, unknown> }
  | { readonly ok: false; readonly message: string };

function embeddedIn(raw: Members): Embedded {
  const requests = isMembers(raw.inputRequests) ? Object.entries(raw.inputRequests) : [];
  if (requests.length > MAX_EMBEDDED) {
    return {
      ok: false,
      message: `The server asks for ${requests.length} inputs at once; at most ${MAX_EMBEDDED} are taken.`,
    };
  }
  const params = new Map<string, unknown>();
  for (const [key, request] of requests) {
    const method = isMembers(request) ? request.method : undefined;
    if (method !== "sampling/createMessage") return { ok: false, message: notSupported(method) };
    params.set(key, isMembers(request) ? request.params : undefined);
  }
  return { ok: true, requests: params };
}

function notSupported(method: unknown): string {
  if (method === "elicitation/create")
    return "The server asks the person to fill in a form (elicitation/create), which Purser does not support.";
  if (method === "roots/list")
    return "The server asks for a list of folders (roots/list), which Purser does not support.";
  const name = typeof method === "string" ? spelled(method) : "something without a name";
  return `The server asks for ${name}, which Purser does not support.`;
}

const TOO_DEEP = { path: "params", problem: `nests deeper than ${MAX_DEPTH} levels` };

function incomingOf(
  call: ToolCall,
  hooks: RoundHooks,
  requests: ReadonlyMap<string, unknown>,
  repeated: string | null,
): ReadonlyMap<string, IncomingSampling> {
  const incoming = new Map<string, IncomingSampling>();
  for (const [key, params] of requests) {
    const tooDeep = deeperThan(params, MAX_DEPTH);
    incoming.set(key, {
      server: call.server,
      params,
      frameProblem: tooDeep ? TOO_DEEP : repeated === null ? null : { path: repeated, problem: NAMED_TWICE },
      runId: call.runId,
      protocol: hooks.protocol,
      transport: hooks.transport,
      signal: hooks.signal,
      turn: NO_TURN,
      progress: null,
    });
  }
  return incoming;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
