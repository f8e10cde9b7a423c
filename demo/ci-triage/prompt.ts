import type { CreateMessageRequestParams } from "@modelcontextprotocol/sdk/types.js";
import type { Failure } from "./failures";

export type Scope = "none" | "thisServer" | "allServers";

/** The end of a log says most. */
const LOG_CHARS = 6_000;

const SYSTEM = `You read logs of failed tests and find the cause of each failure.
Answer with one JSON object and nothing else: {"cause": string, "confidence": "low" | "medium" | "high", "file": string}.
"cause" is one sentence. "file" is the file and line of our code that failed, such as "src/a.ts:12".`;

/** One request for one failure; `attempt` counts from 0 and is told, so that a repeat is a request of its own. */
export function promptFor(failure: Failure, log: string, scope: Scope, attempt: number): CreateMessageRequestParams {
  const again =
    attempt === 0 ? "" : `\nAttempt ${attempt + 1}: the answer before was not one JSON object. Answer with JSON only.`;
  const text = `Test: ${failure.test}\nSuite: ${failure.suite}\n\nLog:\n${log.slice(-LOG_CHARS)}${again}`;
  return {
    systemPrompt: SYSTEM,
    messages: [{ role: "user", content: { type: "text", text } }],
    // Wider than the example policy allows, in both, so that it shows how Purser trims.
    includeContext: scope,
    maxTokens: 2048,
    modelPreferences: {
      hints: [{ name: "claude-haiku" }],
      costPriority: 0.8,
      speedPriority: 0.5,
      intelligencePriority: 0.3,
    },
  };
}
