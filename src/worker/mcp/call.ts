/** One tool call on one session, from its request to an outcome; never throws. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import type { ToolCall, ToolOutcome } from "./connection";
import { isSessionProblem } from "./evidence";
import { UNREAD } from "./gate";
import type { AbortCause, SamplingHandler } from "./incoming";
import { paced } from "./paced";
import { paramHeaderValues } from "./param-headers";
import { readResult } from "./result";
import { runRounds } from "./rounds";
import { NoAnswer, type Session, StreamLost } from "./session";
import { spelled, visible } from "./spelled";
import { cut, type ListedTool } from "./tool-list";

/** The longest a consent may take (SPEC K5), and the greatest deadline a policy can set. */
const CONSENT_MS = 5 * 60_000;
const GREATEST_DEADLINE_MS = 10 * 60_000;
/**
 * A server that neither answers, nor reports progress, nor asks for anything is given up. Longer than one sampling
 * request can take, for a server may also ask in ways that cannot be told to be this call's. There is no limit in all:
 * while something goes on it is the person who ends it.
 */
export const SILENCE_MS = CONSENT_MS + GREATEST_DEADLINE_MS + 60_000;
/** A server may report progress without pause; the page is told this often. */
const PROGRESS_EVERY_MS = 100;
const MAX_MESSAGE_CHARS = 2_000;

export type Called =
  /** `suspect`: whether the server is still there should be looked into. */
  | { readonly outcome: ToolOutcome; readonly suspect: boolean }
  /** The server no longer knows the session, so the call was never run. */
  | "session_gone";

export async function callOn(
  session: Session,
  sampling: SamplingHandler,
  call: ToolCall,
  tool: ListedTool | undefined,
  lost: AbortSignal,
): Promise<Called> {
  const causes = new AbortController();
  const onCancel = () => {
    causes.abort("cancelled_by_person" satisfies AbortCause);
    session.gate.cancelRun(call.runId);
  };
  const onLost = () => causes.abort("connection_lost" satisfies AbortCause);
  call.signal.addEventListener("abort", onCancel, { once: true });
  lost.addEventListener("abort", onLost, { once: true });
  const headers = tool === undefined || session.kind !== "http" ? {} : paramHeaderValues(tool.paramHeaders, call.args);
  const progressed = paced(PROGRESS_EVERY_MS, call.onProgress);
  try {
    const rounds = await runRounds(call, {
      sampling,
      protocol: session.gate.protocol,
      transport: session.kind === "websocket" ? "websocket" : "http",
      signal: causes.signal,
      ask: (params) =>
        session.ask({
          method: "tools/call",
          params,
          runId: call.runId,
          label: `Tool ${spelled(call.tool)}`,
          signal: call.signal,
          silenceMs: SILENCE_MS,
          headers,
          onProgress: ({ progress, total, message }) =>
            progressed({ progress, total: total ?? null, message: message === undefined ? null : cut(message, 500) }),
        }),
    });
    return ended("ended" in rounds ? rounds.ended : readResult(rounds.raw, tool?.outputSchema));
  } catch (error) {
    if (call.signal.aborted) return ended({ kind: "cancelled" });
    return outcomeOf(error, session.gate.modern);
  } finally {
    progressed.stop();
    call.signal.removeEventListener("abort", onCancel);
    lost.removeEventListener("abort", onLost);
  }
}

function outcomeOf(error: unknown, modern: boolean): Called {
  if (error instanceof NoAnswer) return unknown("No answer came in time, and the server was told to stop.", false);
  if (error instanceof StreamLost) return unknown("The connection broke off before the answer came.", true);
  if (error instanceof ProtocolError) {
    const code = error.data === UNREAD ? null : error.code;
    return ended({ kind: "error", code, message: cut(error.message, MAX_MESSAGE_CHARS) });
  }
  if (error instanceof SdkHttpError) return outcomeOfStatus(error.data.status, error.data.text, modern);
  // What is no error of the SDK is `fetch` failing: the request may have reached the server all the same.
  if (!(error instanceof SdkError))
    return unknown("The server could not be reached, or the connection broke off.", true);
  switch (error.code) {
    case SdkErrorCode.ConnectionClosed:
      return unknown("The connection ended while the tool ran.", false);
    case SdkErrorCode.NotConnected:
      return ended({ kind: "error", code: null, message: "The server is not connected." });
    default:
      // The SDK's own sentence, which may quote a header or a value of the server's.
      return ended({ kind: "error", code: null, message: visible(error.message, MAX_MESSAGE_CHARS) });
  }
}

function outcomeOfStatus(status: number, text: unknown, modern: boolean): Called {
  if (!modern && isSessionProblem(status, typeof text === "string" ? text : "")) return "session_gone";
  if (status >= 500) return unknown(`The server answered HTTP ${status}.`, false);
  const message = `The server did not accept the call (HTTP ${status}).`;
  return { outcome: { kind: "error", code: null, message }, suspect: status === 401 || status === 403 };
}

function ended(outcome: ToolOutcome): Called {
  return { outcome, suspect: false };
}

function unknown(what: string, suspect: boolean): Called {
  return {
    outcome: { kind: "outcome_unknown", message: `${what} The tool may or may not have run to its end.` },
    suspect,
  };
}
