/**
 * Our own normalised sampling request: what MCP's `sampling/createMessage` params become once they
 * have been checked (SPEC W9). Nothing past `parseRequest` looks at the wire's shape again.
 */
import type { Scope } from "./policy";

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object }
  | {
      readonly type: "tool_result";
      readonly toolUseId: string;
      readonly content: readonly Block[];
      readonly isError: boolean;
    };

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

export interface ModelPreferences {
  /** Hint names in order; a hint without a name is skipped (case K1-10). */
  readonly hints: readonly string[];
  readonly costPriority: number | null;
  readonly speedPriority: number | null;
  readonly intelligencePriority: number | null;
}

export interface SamplingRequest {
  readonly messages: readonly Message[];
  readonly systemPrompt: string | null;
  readonly includeContext: Scope;
  readonly modelPreferences: ModelPreferences;
  /** Output tokens asked for; at least 1. */
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly stopSequences: readonly string[];
  readonly tools: readonly object[] | null;
  readonly toolChoice: object | null;
}

/** What is wrong with a request, and where: `path` as in `messages[0].content.text`. */
export interface Malformed {
  readonly path: string;
  readonly problem: string;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Malformed);
