/** Which keys of a JSON object a prompt asks for. */

/** How far from the word JSON its keys may begin, and how much of a prompt's ends is read. */
const NEAR = 200;
const ENDS = 2_000;
const OBJECT_MAX = 2_000;

/** Whether a prompt offers words for how sure the answer is, as in `"low" | "medium" | "high"`. */
export function asksForGrades(systemPrompt: string | null, message: string): boolean {
  return /\blow\b["'`]?\s*(?:\||,|\/|or)\s*["'`]?medium\b/i.test(`${systemPrompt ?? ""} ${message.slice(0, ENDS)}`);
}

/** Null where no JSON with named keys is asked for; else the keys in the order they are named. */
export function askedKeys(systemPrompt: string | null, message: string): readonly string[] | null {
  const head = message.slice(0, ENDS);
  const tail = message.length > ENDS ? message.slice(-ENDS) : "";
  for (const text of [systemPrompt ?? "", head, tail]) {
    const at = text.search(/\bjson\b/i);
    if (at < 0) continue;
    const keys = [...new Set(keysAround(text, at))];
    if (keys.length > 0) return keys;
  }
  return null;
}

/** From an object drawn near the word, else from the line the word stands in. */
function keysAround(text: string, at: number): readonly string[] {
  const opens = text.slice(Math.max(0, at - NEAR), at + NEAR).indexOf("{");
  if (opens >= 0) {
    const keys = keysOfObject(objectAt(text, Math.max(0, at - NEAR) + opens));
    if (keys.length > 0) return keys;
  }
  const line = text.slice(text.lastIndexOf("\n", at) + 1).split("\n")[0] ?? "";
  const quoted = [...line.matchAll(/["'`]([A-Za-z_]\w{1,30})["'`]/g)].map((match) => match[1] ?? "");
  if (quoted.length > 0) return quoted;
  const listed = /\b(?:keys?|fields?|properties)\b:?([^.]{3,300})/i.exec(line)?.[1] ?? "";
  return listed.split(/,|;|\band\b/).flatMap((part) => /^\W*([A-Za-z_]\w{1,30})/.exec(part)?.[1] ?? []);
}

/** The text between a brace and the one that closes it. */
function objectAt(text: string, opens: number): string {
  let depth = 0;
  for (let at = opens; at < Math.min(text.length, opens + OBJECT_MAX); at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(opens + 1, at);
  }
  return "";
}

/** Keys of `{"cause": string, …}`, of a bare `{cause, …}`, or of the properties of a JSON schema. */
function keysOfObject(body: string): readonly string[] {
  const properties = /["']?properties["']?\s*:\s*\{/.exec(body);
  if (properties !== null) return keysOfObject(objectAt(body, properties.index + properties[0].length - 1));
  const flat = withoutInner(body);
  const named = [...flat.matchAll(/["'`]?\b([A-Za-z_]\w{1,30})["'`]?\s*:/g)].map((match) => match[1] ?? "");
  if (named.length > 0) return named;
  const bare = flat.split(",").map((part) => /^\s*["'`]?([A-Za-z_]\w{1,30})["'`]?\s*$/.exec(part)?.[1]);
  return bare.every((word) => word !== undefined) ? bare : [];
}

/** Nested objects and the texts that describe values hold no keys of ours. */
function withoutInner(body: string): string {
  let depth = 0;
  let flat = "";
  for (const character of body) {
    if (character === "}") depth -= 1;
    if (depth === 0) flat += character;
    if (character === "{") depth += 1;
  }
  return flat.replace(/:\s*"[^"]*"/g, ":").replace(/:\s*'[^']*'/g, ":");
}
