/**
 * Over HTTP/1.1 a browser opens six connections to an origin, in all its tabs together. Every running call holds one,
 * every standing stream another, and answering a sampling request needs a free one: without a limit that holds for all
 * tabs, calls that sample hang for ever. So a connection is a Web Lock: five of the six may be held, calls take the
 * first three and streams the last four, and therefore one call always fits beside the streams, and one answer beside
 * both. A tab that dies gives its locks back.
 */
import { type SlotLocks, tabLocks } from "./slot-locks";

const HTTP1_CALLS = [0, 1, 2];
const HTTP1_STREAMS = [4, 3, 2, 1];
/** Calls at once where one connection carries many (WebSocket, HTTP/2); counted in this tab alone. */
const OTHER_CALLS = Array.from({ length: 32 }, (_, at) => at);

export interface Slots {
  /**
   * Waits for a free slot in the order of asking. `onQueued` hears why it waits, and null when it is over. Resolves
   * with the release, or with null where `signal` aborted first.
   */
  take(url: string, signal: AbortSignal, onQueued: (reason: string | null) => void): Promise<(() => void) | null>;
  /** The same for a standing stream, which may wait long: `onWait` hears that it does. */
  openStream(url: string, signal: AbortSignal, onWait: () => void): Promise<(() => void) | null>;
}

interface Holding {
  readonly by: "call" | "stream";
  /** Released here, and not yet known to be free. */
  leaving: boolean;
}
type Release = () => null;

/** What this tab holds of one origin's connections. */
interface Lane {
  readonly locks: SlotLocks;
  readonly prefix: string;
  readonly mine: Map<number, Holding>;
}

/** @param shared locks of all tabs; where there are none, this tab is counted alone */
export function createSlots(shared: SlotLocks | null): Slots {
  const lanes = new Map<string, Lane>();
  const own = tabLocks();

  function laneOf(url: string): Lane {
    const { origin } = new URL(url);
    let lane = lanes.get(origin);
    if (lane === undefined) {
      const locks = isHttp1(url) ? (shared ?? own) : own;
      lane = { locks, prefix: `purser:slot:${origin}:`, mine: new Map() };
      lanes.set(origin, lane);
    }
    return lane;
  }

  return {
    async take(url, signal, onQueued) {
      const lane = laneOf(url);
      const slots = isHttp1(url) ? HTTP1_CALLS : OTHER_CALLS;
      let waited = false;
      const release = await slotOf(lane, "call", slots, signal, () => {
        waited = true;
        onQueued(reasonFor(url, lane, slots));
      });
      if (waited) onQueued(null);
      return release;
    },
    async openStream(url, signal, onWait) {
      if (!isHttp1(url)) return () => undefined;
      return slotOf(laneOf(url), "stream", HTTP1_STREAMS, signal, onWait);
    },
  };
}

async function slotOf(
  lane: Lane,
  by: Holding["by"],
  slots: readonly number[],
  signal: AbortSignal,
  onWait: () => void,
): Promise<Release | null> {
  // What this tab holds itself needs no question, and what it has just let go of comes last: most calls ask once.
  const free = slots.filter((slot) => !lane.mine.has(slot));
  for (const slot of [...free, ...slots.filter((one) => lane.mine.get(one)?.leaving)]) {
    if (signal.aborted) return null;
    const release = await ask(lane, by, slot, { ifAvailable: true });
    if (release !== null) return signal.aborted ? release() : release;
  }
  onWait();
  return firstOf(lane, by, slots, signal);
}

/** Waits in the queue of every slot; the first to come is kept, and the other queues are left. */
function firstOf(
  lane: Lane,
  by: Holding["by"],
  slots: readonly number[],
  signal: AbortSignal,
): Promise<Release | null> {
  const enough = new AbortController();
  const until = AbortSignal.any([signal, enough.signal]);
  return new Promise((resolve) => {
    let kept = false;
    const asked = slots.map(async (slot) => {
      const release = await ask(lane, by, slot, { signal: until });
      if (release === null) return;
      if (kept || signal.aborted) return void release();
      kept = true;
      resolve(release);
      enough.abort();
    });
    void Promise.all(asked).then(() => resolve(null));
  });
}

/** Null where it is not available, or the signal aborted first. */
function ask(
  lane: Lane,
  by: Holding["by"],
  slot: number,
  options: { ifAvailable?: boolean; signal?: AbortSignal },
): Promise<Release | null> {
  const holding: Holding = { by, leaving: false };
  const forget = () => {
    // Another call of this tab may hold the slot by now.
    if (lane.mine.get(slot) === holding) lane.mine.delete(slot);
  };
  return new Promise((resolve) => {
    const granted = (lock: object | null): Promise<void> => {
      if (lock === null) {
        resolve(null);
        return Promise.resolve();
      }
      lane.mine.set(slot, holding);
      return new Promise((done) => {
        resolve(() => {
          holding.leaving = true;
          done();
          return null;
        });
      });
    };
    lane.locks.request(`${lane.prefix}${slot}`, options, granted).then(forget, () => resolve(null));
  });
}

function isHttp1(url: string): boolean {
  return new URL(url).protocol === "http:";
}

function reasonFor(url: string, lane: Lane, slots: readonly number[]): string {
  const { host } = new URL(url);
  const calls = [...lane.mine.values()].filter(({ by }) => by === "call").length;
  const running = calls === 1 ? "1 call is" : `${calls} calls are`;
  if (!isHttp1(url)) return `${running} running on ${host} already; this one waits for one of them to end.`;
  const elsewhere = slots.filter((slot) => !lane.mine.has(slot)).length;
  const connections = elsewhere === 1 ? "a connection" : `${elsewhere} connections`;
  const others = `another tab holds ${connections} to ${host}`;
  const here = `${running} running on ${host} already`;
  const why = elsewhere === 0 ? here : calls === 0 ? `Another${others.slice(7)}` : `${here}, and ${others}`;
  return `${why}. A browser opens six connections to an http: address, in all its tabs together, and one must stay free for answers; this call waits for one of them to end.`;
}
