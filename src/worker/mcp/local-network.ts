/** Servers on this machine or network, which browsers let a public page reach only with the person's permission. */

export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || hostname.startsWith("127.")
  );
}

export function isPrivate(hostname: string): boolean {
  return (
    isLoopback(hostname) ||
    /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cd])/.test(hostname) ||
    hostname.endsWith(".local")
  );
}

export interface SpaceHint {
  readonly targetAddressSpace?: "loopback" | "local";
}

/**
 * What `fetch` is told of where the server is. Without it a browser may refuse a secure page before it asks the person;
 * a page that is on this machine itself needs no permission.
 */
export function spaceHint(url: string, pageUrl: string | null): SpaceHint {
  const { hostname } = new URL(url);
  if (pageUrl === null || isLoopback(new URL(pageUrl).hostname) || !isPrivate(hostname)) return {};
  const hint: SpaceHint = { targetAddressSpace: isLoopback(hostname) ? "loopback" : "local" };
  return isUnderstood(url) ? hint : {};
}

/** Browsers that know the member by earlier names take these for an error; those that do not know it pass it over. */
function isUnderstood(url: string): boolean {
  try {
    new Request(url, { targetAddressSpace: "loopback" } as RequestInit);
    return true;
  } catch {
    return false;
  }
}
