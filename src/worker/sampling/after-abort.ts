/** What a server is told once its request was aborted (SPEC W1, K7). */
import { refusalFrame } from "../../policy/frame";
import { REASONS } from "../../policy/reasons";
import { isoOf } from "../../policy/window";
import type { AbortCause, IncomingSampling, SamplingAnswer } from "../mcp/incoming";

/**
 * Nothing, where the server cancelled or the connection is gone. Where the person stopped the tool run the server still
 * waits for its one response; nobody denied this request, so it is told to come back later.
 */
export function answerAfterAbort({ server, signal }: IncomingSampling, now: number): SamplingAnswer | null {
  if ((signal.reason as AbortCause) !== "cancelled_by_person") return null;
  const reason = "consent.pending";
  const data = { retryAt: isoOf(now + REASONS[reason].retryAfterMs) };
  return { error: refusalFrame(server, { reason, data }) };
}
