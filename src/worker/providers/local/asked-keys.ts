/** Which keys of a JSON object a prompt asks for. */

/** How far around the word JSON its keys are looked for, and how much of a prompt's ends is read. */
const NEAR = 500;
const ENDS = 2_000;

/** Words of JSON Schema and of type descriptions, which are no keys of the answer. */
const SCHEMA =
  /^(?:type|object|properties|required|string|number|integer|boolean|array|null|enum|items|description|additionalProperties|json|schema)$/;

/** Null where no JSON is asked for; else the keys in the order they are named, maybe none. */
export function askedKeys(systemPrompt: string | null, message: string): readonly string[] | null {
  const head = message.slice(0, ENDS);
  const tail = message.length > ENDS ? message.slice(-ENDS) : "";
  for (const text of [systemPrompt ?? "", head, tail]) {
    const at = text.search(/\bjson\b/i);
    if (at < 0) continue;
    const keys = keysIn(text.slice(Math.max(0, at - NEAR), at + NEAR));
    if (keys.length > 0) return keys;
  }
  return null;
}

function keysIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/["'`]([A-Za-z_]\w{1,30})["'`]/g)].map((match) => match[1] ?? "");
  const found = quoted.filter((key) => !SCHEMA.test(key));
  if (found.length > 0) return unique(found);
  const listed =
    /\{([^{}]{3,300})\}/.exec(text)?.[1] ?? /\b(?:keys?|fields?|properties)\b:?([^.\n]{3,200})/i.exec(text)?.[1];
  if (listed === undefined) return [];
  const words = listed.split(/,|;|\band\b/).map((part) => /^\W*([A-Za-z_]\w{1,30})/.exec(part)?.[1] ?? "");
  return unique(words.filter((word) => word !== "" && !SCHEMA.test(word)));
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}
