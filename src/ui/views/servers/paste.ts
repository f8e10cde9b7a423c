/**
 * What people have at hand when they add a server: a URL, a line `Header: value`, or the JSON block other clients use.
 * Pure; the dialog fills its fields from it.
 */

export interface Pasted {
  readonly name: string;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

const SCHEMES = /^(https?|wss?):\/\/\S+$/i;

/** A name for a server at this URL: its host's telling part, or the port on this machine. */
export function nameFor(url: string): string {
  if (!URL.canParse(url)) return "";
  const { hostname, port } = new URL(url);
  if (/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return port === "" ? "local" : `local-${port}`;
  const parts = hostname.split(".").filter((part) => !/^(www|mcp|api)$/.test(part));
  return (parts.length > 1 ? parts.at(-2) : parts[0]) ?? "";
}

/** Reads a URL, `{"url": …}`, `{"name": {"url": …}}` or `{"mcpServers": {…}}`; null for anything else. */
export function readPasted(text: string): Pasted | null {
  const trimmed = text.trim();
  if (SCHEMES.test(trimmed)) return { name: nameFor(trimmed), url: trimmed, headers: [] };
  if (!trimmed.startsWith("{") && !trimmed.startsWith('"')) return null;
  const value = parseLoosely(trimmed);
  return value === null ? null : fromConfig(value, 0);
}

/** A block copied out of the middle of a file lacks its braces. */
function parseLoosely(text: string): Readonly<Record<string, unknown>> | null {
  for (const candidate of [text, `{${text}}`]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (isRecord(value)) return value;
    } catch {
      // Not JSON this way; the next candidate may be.
    }
  }
  return null;
}

function fromConfig(value: Readonly<Record<string, unknown>>, depth: number): Pasted | null {
  const url = value.url ?? value.serverUrl;
  if (typeof url === "string") {
    const headers = isRecord(value.headers) ? Object.entries(value.headers) : [];
    return { name: nameFor(url), url, headers: headers.map(([name, text]) => ({ name, value: String(text) })) };
  }
  if (depth === 2) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = isRecord(inner) ? fromConfig(inner, depth + 1) : null;
    if (found === null) continue;
    return key === "mcpServers" || key === "servers" ? found : { ...found, name: key };
  }
  return null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Authorization: Bearer x` pasted into the name field; null when it is only a name. */
export function readHeaderLine(text: string): { readonly name: string; readonly value: string } | null {
  const match = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.+?)\s*$/.exec(text);
  return match === null ? null : { name: match[1] ?? "", value: match[2] ?? "" };
}
