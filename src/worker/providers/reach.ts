/**
 * When a call is known never to have left (SPEC M3, K4-06).
 *
 * A browser says of a `fetch` that failed only that it failed: a refused connection, a network that broke while the
 * provider was answering, and an answer its CORS headers hide all look alike, and resource timing shows nothing of
 * other origins. Asking again afterwards proves nothing either: a network that went down after the request was sent
 * makes the question fail too. So once `fetch` was called with a prompt, a failure without an answer may have cost.
 *
 * What proves it is the order: an address from which nothing was heard lately is asked for a sign of life first, with
 * nothing in the question that a model could run. Where that fails the call is not made, so it costs nothing, and
 * another model may be tried. An address that answered lately is not asked: at most one call of each outage is charged.
 */
const PROBE_MS = 2_000;
/** How long an answer shows that somebody is there. */
const FRESH_MS = 60_000;

export interface Reach {
  /** False where the address certainly cannot be reached now; nothing of a prompt may be sent then. */
  mayAnswer(url: string, signal: AbortSignal): Promise<boolean>;
  heard(url: string): void;
  /** A call ended without any answer. */
  notHeard(url: string): void;
}

export function createReach(fetcher: typeof fetch, now: () => number): Reach {
  const heardAt = new Map<string, number>();
  const originOf = (url: string) => new URL(url).origin;
  return {
    async mayAnswer(url, signal) {
      const at = heardAt.get(originOf(url));
      // A clock set back says nothing.
      if (at !== undefined && now() >= at && now() - at < FRESH_MS) return true;
      return probe(fetcher, url, signal);
    },
    heard: (url) => void heardAt.set(originOf(url), now()),
    notHeard: (url) => void heardAt.delete(originOf(url)),
  };
}

async function probe(fetcher: typeof fetch, url: string, signal: AbortSignal): Promise<boolean> {
  const patience = AbortSignal.timeout(PROBE_MS);
  try {
    const any = AbortSignal.any([patience, signal]);
    await fetcher(url, { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store", signal: any });
    return true;
  } catch {
    // Somebody slow may be there all the same.
    return patience.aborted;
  }
}
