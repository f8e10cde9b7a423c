/** From what a connection hands over to an exchange that can be decided: checked, identified, drafted (SPEC W9, I). */
import { identityText } from "../../policy/identity";
import type { RecordDraft } from "../../policy/record";
import { type Malformed, parseRequest, type SamplingRequest } from "../../policy/request";
import type { IncomingSampling } from "../mcp/incoming";

export interface Exchange {
  readonly incoming: IncomingSampling;
  readonly request: SamplingRequest;
  readonly identity: string;
  readonly draft: RecordDraft;
  /** First words of the last message, for the step line. Server text. */
  readonly about: string;
}

export type Intake =
  | ({ readonly ok: true } & Exchange)
  | ({ readonly ok: false; readonly draft: RecordDraft } & Malformed);

const ABOUT_CHARS = 80;

/** Sampling tool use is not offered to any server yet, so `tools` are malformed whatever a policy says (W9). */
const OFFERED = { samplingTools: false };

/** What the driver knows of an exchange before its request is read; `id` is its record's too. */
type Known = Pick<RecordDraft, "id" | "tool" | "receivedAt"> & { readonly tab: string };

export async function takeIn(incoming: IncomingSampling, known: Known): Promise<Intake> {
  const draft: RecordDraft = {
    ...known,
    server: incoming.server,
    identity: "",
    runId: incoming.runId,
    hints: [],
    scopeAsked: "none",
    maxTokensAsked: 0,
    protocol: incoming.protocol,
    transport: incoming.transport,
  };
  if (incoming.frameProblem !== null) return { ok: false, draft, ...incoming.frameProblem };
  const parsed = parseRequest(incoming.params, OFFERED);
  if (!parsed.ok) return { ok: false, draft, path: parsed.path, problem: parsed.problem };
  const text = identityText(incoming.params);
  if (!text.ok) return { ok: false, draft, path: text.path, problem: text.problem };
  const request = parsed.value;
  const identity = `${incoming.server}:${await digestOf(text.value)}`;
  return {
    ok: true,
    incoming,
    request,
    identity,
    about: aboutOf(request),
    draft: {
      ...draft,
      identity,
      hints: request.modelPreferences.hints,
      scopeAsked: request.includeContext,
      maxTokensAsked: request.maxTokens,
    },
  };
}

let scratch = new Uint8Array(64 * 1024);
const encoder = new TextEncoder();

/** First 32 hex digits of the SHA-256 of `text` in UTF-8 (I1). The buffer is reused: encoding is most of the cost. */
export async function digestOf(text: string): Promise<string> {
  // A UTF-16 unit never takes more than three bytes of UTF-8.
  if (scratch.length < text.length * 3) scratch = new Uint8Array(text.length * 3);
  const { written } = encoder.encodeInto(text, scratch);
  // `digest` copies its input before it returns, so the buffer is free again at once.
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", scratch.subarray(0, written)), 0, 16);
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

function aboutOf(request: SamplingRequest): string {
  const last = request.messages.at(-1);
  const block = last?.content.find((one) => one.type === "text");
  if (block === undefined || block.type !== "text") return last?.content[0]?.type ?? "";
  return block.text.slice(0, ABOUT_CHARS);
}
