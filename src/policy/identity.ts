/**
 * What a request asks, as one text to be digested: equal for requests that ask the same (SPEC I1, I2, I3).
 *
 * Inside messages everything counts as it came: fields nobody knows, `_meta` of a block, `isError: false` written out.
 * Two spellings held apart cost one more evaluation; two requests held equal would answer one with the other's refusal.
 */
import { type Convention, canonicalJson } from "./canonical";
import { hasLongMarkRun, MAX_MARKS } from "./marks";
import { Bad, fields, own } from "./read";
import type { Parsed } from "./request";

/** Composing can triple a text's length; what came in a frame of 4 MiB must not leave it so. */
const MAX_CHARS = 4 * 1024 * 1024;
/** Every character below this stays as it is under NFC, so text without any above it needs no look. */
const MAY_COMPOSE = /[\u0300-\uffff]/;

const IDENTITY: Convention = {
  textOf: (text, refuse) => {
    if (!MAY_COMPOSE.test(text)) return text;
    if (hasLongMarkRun(text)) refuse(`more than ${MAX_MARKS} combining marks in a row`);
    return text.normalize("NFC");
  },
  dropsNull: true,
  isListAt: (path) => path.length === 3 && path[0] === "messages" && path[2] === "content",
};

/**
 * Canonical JSON of the identity copy of `params`: strings in NFC, null for absent, `none` for no `includeContext`, a
 * list for a single content block. Malformed where a run of marks is over 30 or two keys become one (I4). Never throws.
 */
export function identityText(params: unknown): Parsed<string> {
  try {
    const from = fields(params, "");
    const text = canonicalJson(
      {
        includeContext: own(from, "includeContext") ?? "none",
        messages: own(from, "messages"),
        modelPreferences: own(from, "modelPreferences"),
        systemPrompt: own(from, "systemPrompt"),
        // Absent members are left out, so a request without tools keeps the digest of the four above (I3).
        tools: own(from, "tools"),
        toolChoice: own(from, "toolChoice"),
      },
      IDENTITY,
    );
    return text.length <= MAX_CHARS ? { ok: true, value: text } : { ok: false, path: "", problem: TOO_LONG };
  } catch (error) {
    if (error instanceof Bad) return { ok: false, ...error.at };
    throw error;
  }
}

const TOO_LONG = "its composed text is longer than 4 MiB";
