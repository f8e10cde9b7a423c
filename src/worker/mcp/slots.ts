/**
 * Over HTTP/1.1 a browser opens six connections to an origin. Every running call holds one, every standing stream
 * another, and answering a sampling request needs a free one: without a limit, five calls that sample hang for ever.
 */

/** Calls at once to one `http:` origin, whichever servers they belong to. */
const HTTP1_CALLS = 3;
/** Calls and standing streams together; the sixth connection is left for answers. */
const HTTP1_SOCKETS = 5;
/** Calls at once where one connection carries many (WebSocket, HTTP/2). */
const OTHER_CALLS = 32;

export interface Slots {
  /**
   * Waits for a free slot in the order of asking. `onQueued` hears why it waits, and null when it is over. Resolves
   * with the release, or with null where `signal` aborted first.
   */
  take(url: string, signal: AbortSignal, onQueued: (reason: string | null) => void): Promise<(() => void) | null>;
  /** Counts a standing stream; null where the origin has no connection left for one. */
  openStream(url: string): (() => void) | null;
}

interface Lane {
  calls: number;
  streams: number;
  readonly waiting: (() => void)[];
}

export function createSlots(): Slots {
  const lanes = new Map<string, Lane>();

  function laneOf(url: string): Lane {
    const { origin } = new URL(url);
    let lane = lanes.get(origin);
    if (lane === undefined) {
      lane = { calls: 0, streams: 0, waiting: [] };
      lanes.set(origin, lane);
    }
    return lane;
  }

  function limitOf(url: string, lane: Lane): number {
    if (!isHttp1(url)) return OTHER_CALLS;
    return Math.max(1, Math.min(HTTP1_CALLS, HTTP1_SOCKETS - lane.streams));
  }

  function letNextIn(url: string, lane: Lane): void {
    while (lane.waiting.length > 0 && lane.calls < limitOf(url, lane)) {
      lane.calls += 1;
      lane.waiting.shift()?.();
    }
  }

  function releaser(url: string, lane: Lane): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      lane.calls -= 1;
      letNextIn(url, lane);
    };
  }

  return {
    async take(url, signal, onQueued) {
      if (signal.aborted) return null;
      const lane = laneOf(url);
      const limit = limitOf(url, lane);
      if (lane.calls < limit && lane.waiting.length === 0) {
        lane.calls += 1;
        return releaser(url, lane);
      }
      onQueued(reasonFor(url, limit));
      const entered = await new Promise<boolean>((resolve) => {
        const enter = () => resolve(true);
        lane.waiting.push(enter);
        const leave = () => {
          const at = lane.waiting.indexOf(enter);
          if (at !== -1) lane.waiting.splice(at, 1);
          resolve(false);
        };
        signal.addEventListener("abort", leave, { once: true });
      });
      onQueued(null);
      if (!entered) return null;
      const release = releaser(url, lane);
      if (!signal.aborted) return release;
      release();
      return null;
    },
    openStream(url) {
      if (!isHttp1(url)) return () => undefined;
      const lane = laneOf(url);
      // One call must always fit beside the streams, and one answer beside that call.
      if (lane.streams >= HTTP1_SOCKETS - 1) return null;
      lane.streams += 1;
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        lane.streams -= 1;
        letNextIn(url, lane);
      };
    },
  };
}

function isHttp1(url: string): boolean {
  return new URL(url).protocol === "http:";
}

function reasonFor(url: string, limit: number): string {
  const { host } = new URL(url);
  const calls = limit === 1 ? "1 call is" : `${limit} calls are`;
  if (!isHttp1(url)) return `${calls} running on ${host} already; this one waits for one of them to end.`;
  return `${calls} running on ${host} already. A browser opens six connections to an http: address, and one must stay free for answers; this call waits for one of them to end.`;
}
