/** Canonical JSON, RFC 8785, by the `canonicalize` package; the NFC step of an identity is not part of it (SPEC I4). */
import canonicalize from "canonicalize";

/**
 * The one text of a JSON value: keys in UTF-16 order, shortest numbers, no spaces. The value is bounded in depth
 * (`jsonProblem`) before it comes here; it throws for what JSON cannot hold.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("not a JSON value");
  return text;
}
