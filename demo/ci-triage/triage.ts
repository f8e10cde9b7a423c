/**
 * Asks about each failure in turn and reports what came of each, the ones not analysed included. What was found before
 * is not asked again: after a raise, the same call goes on where the budget ended.
 */
import type { Extra, Refused } from "../sampling";
import { ask } from "../sampling";
import type { Failure } from "./failures";
import { readLog } from "./failures";
import type { Finding } from "./finding";
import { readFinding } from "./finding";
import type { Scope } from "./prompt";
import { promptFor } from "./prompt";

/** Asked again this often when an answer is not the JSON asked for. */
const REPEATS = 2;
/** A refusal for one of these concerns one prompt; any other final refusal would only come again for the next one. */
const ABOUT_ONE_REQUEST = new Set(["policy.input_too_large", "provider.unsupported_content"]);

export type Outcome = Failure &
  (
    | { readonly status: "analysed"; readonly finding: Finding; readonly model: string; readonly requests: number }
    | {
        readonly status: "not_analysed";
        readonly why: string;
        readonly reason: string | null;
        readonly requests: number;
      }
  );

/** `found` holds the outcomes by failure id, and is added to. */
export async function triage(
  failures: readonly Failure[],
  scope: Scope,
  found: Map<string, Outcome>,
  extra: Extra,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let final: Refused | null = null;
  for (const failure of failures) {
    const before = found.get(failure.id);
    if (before !== undefined) {
      outcomes.push({ ...before, requests: 0 });
      continue;
    }
    await tell(
      extra,
      outcomes.length,
      failures.length,
      final === null ? `asking about ${failure.test}` : "not asking any more",
    );
    if (final !== null) {
      const why = `not asked about, since that answer was final (${final.reason ?? "no reason given"})`;
      outcomes.push({ ...failure, status: "not_analysed", why, reason: final.reason, requests: 0 });
      continue;
    }
    const { outcome, refused } = await analyse(failure, scope, extra);
    outcomes.push(outcome);
    if (outcome.status === "analysed") found.set(failure.id, outcome);
    if (refused !== null && !refused.retryable && !ABOUT_ONE_REQUEST.has(refused.reason ?? "")) final = refused;
  }
  await tell(extra, failures.length, failures.length, "done");
  return outcomes;
}

async function analyse(
  failure: Failure,
  scope: Scope,
  extra: Extra,
): Promise<{ outcome: Outcome; refused: Refused | null }> {
  const log = await readLog(failure);
  for (let attempt = 0; attempt <= REPEATS; attempt += 1) {
    const answer = await ask(extra, promptFor(failure, log, scope, attempt));
    const requests = attempt + 1;
    if (!answer.ok) {
      const { message: why, reason } = answer.refused;
      return { outcome: { ...failure, status: "not_analysed", why, reason, requests }, refused: answer.refused };
    }
    const finding = readFinding(answer.text);
    if (finding !== null) {
      return { outcome: { ...failure, status: "analysed", finding, model: answer.model, requests }, refused: null };
    }
  }
  const why = `the model gave no JSON in ${REPEATS + 1} answers`;
  return { outcome: { ...failure, status: "not_analysed", why, reason: null, requests: REPEATS + 1 }, refused: null };
}

async function tell(extra: Extra, progress: number, total: number, message: string): Promise<void> {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  await extra.sendNotification({
    method: "notifications/progress",
    params: { progressToken, progress, total, message },
  });
}
