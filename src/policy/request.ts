/**
 * Our own normalised sampling request: what MCP's `sampling/createMessage` params become once they
 * have been checked (SPEC W9). Nothing past `parseRequest` looks at the wire's shape again.
 */
import { contentOf } from "./blocks";
import { jsonProblem } from "./json-check";
import type { Scope } from "./policy";
import { Bad, bad, type Fields, fields, list, number, optional, own, text } from "./read";
import { checkToolBalance, toolChoiceOf, toolsOf } from "./request-tools";

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

export interface ParseOptions {
  /** Whether this server's policy lets `tools` through; otherwise they are malformed, never dropped (W9). */
  readonly samplingTools: boolean;
}

const SCOPE_OF_WIRE: Readonly<Record<string, Scope>> = {
  none: "none",
  thisServer: "this_server",
  allServers: "conversation",
};

/**
 * Reads the unchecked `params` of `sampling/createMessage`. Fields nobody knows (`task`, `_meta`, …) are left alone;
 * nothing known is ever mended. Never throws.
 */
export function parseRequest(params: unknown, { samplingTools }: ParseOptions): Parsed<SamplingRequest> {
  const problem = jsonProblem(params);
  if (problem !== null) return { ok: false, ...problem };
  try {
    return { ok: true, value: requestOf(fields(params, ""), samplingTools) };
  } catch (error) {
    if (error instanceof Bad) return { ok: false, ...error.at };
    throw error;
  }
}

function requestOf(from: Fields, samplingTools: boolean): SamplingRequest {
  const refuseTools = (path: string) => bad(path, "tools were not offered to this server");
  const tools = optional(own(from, "tools"), samplingTools ? toolsOf : () => refuseTools("tools"));
  const toolChoice = optional(own(from, "toolChoice"), samplingTools ? toolChoiceOf : () => refuseTools("toolChoice"));
  const messages = messagesOf(own(from, "messages"), samplingTools);
  if (samplingTools) checkToolBalance(messages);
  return {
    messages,
    systemPrompt: optional(own(from, "systemPrompt"), (value) => text(value, "systemPrompt")),
    includeContext: optional(own(from, "includeContext"), scopeOf) ?? "none",
    modelPreferences: preferencesOf(own(from, "modelPreferences")),
    maxTokens: wholeTokens(own(from, "maxTokens")),
    temperature: optional(own(from, "temperature"), (value) => number(value, "temperature", 0)),
    stopSequences: stopsOf(own(from, "stopSequences")),
    tools,
    toolChoice,
  };
}

function messagesOf(value: unknown, tools: boolean): readonly Message[] {
  const messages = list(value, "messages");
  if (messages.length === 0) return bad("messages", "no messages");
  return messages.map((one, at) => {
    const path = `messages[${at}]`;
    const from = fields(one, path);
    const role = own(from, "role");
    if (role !== "user" && role !== "assistant") return bad(`${path}.role`, "neither user nor assistant");
    return { role, content: contentOf(own(from, "content"), `${path}.content`, tools) };
  });
}

function wholeTokens(value: unknown): number {
  const count = number(value, "maxTokens", 1, Number.MAX_SAFE_INTEGER);
  return Number.isInteger(count) ? count : bad("maxTokens", `${count} is not a whole number`);
}

function scopeOf(value: unknown): Scope {
  const scope = typeof value === "string" && Object.hasOwn(SCOPE_OF_WIRE, value) ? SCOPE_OF_WIRE[value] : undefined;
  return scope ?? bad("includeContext", "neither none, thisServer nor allServers");
}

function stopsOf(value: unknown): readonly string[] {
  const stops = optional(value, (given) =>
    list(given, "stopSequences").map((one, at) => text(one, `stopSequences[${at}]`)),
  );
  return stops ?? [];
}

function preferencesOf(value: unknown): ModelPreferences {
  const from = optional(value, (given) => fields(given, "modelPreferences")) ?? {};
  const priority = (key: string) => optional(own(from, key), (given) => number(given, `modelPreferences.${key}`, 0, 1));
  const hints = optional(own(from, "hints"), (given) => list(given, "modelPreferences.hints")) ?? [];
  return {
    hints: hints.flatMap((one, at) => {
      const hint = fields(one, `modelPreferences.hints[${at}]`);
      const name = optional(own(hint, "name"), (given) => text(given, `modelPreferences.hints[${at}].name`));
      return name === null || name === "" ? [] : [name];
    }),
    costPriority: priority("costPriority"),
    speedPriority: priority("speedPriority"),
    intelligencePriority: priority("intelligencePriority"),
  };
}
