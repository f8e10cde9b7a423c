/**
 * Whose frame is read next (SPEC P5). Every server has a lane. One that sends now and then is read at once; one that
 * sends more than that, or has enough undecided, waits, and is read in short slices with what the others leave over.
 */

/** Requests of one server on their way to a decision at once; what is behind them waits to be begun, or even read. */
export const MAX_UNDECIDED = 16;
/** A slice of waiting work; whatever else the worker has to do comes between two of them. */
const SLICE_MS = 0.5;
/** Frames and requests taken at once before a lane counts as crowded, and how fast that is forgiven. */
const CREDIT = 128;
const CREDIT_PER_MS = 3;
/** Work that gets no slice for so long takes one: a worker that is never idle still answers what it accepted. */
const STARVED_MS = 4;

/** The part of a request's life that its server's other requests wait for. */
export interface Turn {
  /** It waits for a person, a model or another request now, or is over: the next may go on. */
  giveBack(): void;
  /** It goes on: before what is not begun yet. */
  again(): Promise<void>;
}

/** Of what is taken one by one anyway. */
export const NO_TURN: Turn = { giveBack: () => undefined, again: async () => undefined };

export interface Lane {
  /** Reads once all that came before is read and begun. */
  read(work: () => void): void;
  begin(work: (turn: Turn) => void): void;
}

export interface Lanes {
  of(server: string): Lane;
}

export interface LaneDeps {
  /** Runs a slice once nothing else is to be done. */
  readonly later: (slice: () => void) => void;
  /** Milliseconds that never run backwards. */
  readonly ticks: () => number;
}

interface Waiting {
  readonly again: (() => void)[];
  readonly begins: ((turn: Turn) => void)[];
  readonly reads: (() => void)[];
  undecided: number;
  credit: number;
  creditAt: number;
  crowded: boolean;
  /** Time its work took, as far as it is compared with others that wait. */
  spentMs: number;
}

export function createLanes({ later, ticks }: LaneDeps = { later: whenIdle(), ticks: () => performance.now() }): Lanes {
  const lanes = new Map<string, Waiting & Lane>();
  let scheduled = false;
  let sliceAt = 0;

  const waits = (lane: Waiting) => lane.again.length > 0 || lane.begins.length > 0 || lane.reads.length > 0;
  const isReady = (lane: Waiting) => lane.undecided < MAX_UNDECIDED && waits(lane);

  function step(lane: Waiting): void {
    const resume = lane.again.shift();
    if (resume !== undefined) {
      lane.undecided += 1;
      return resume();
    }
    const begin = lane.begins.shift();
    if (begin !== undefined) return begin(turnOf(lane));
    lane.reads.shift()?.();
  }

  function turnOf(lane: Waiting): Turn {
    let held = true;
    lane.undecided += 1;
    return {
      giveBack() {
        if (!held) return;
        held = false;
        lane.undecided -= 1;
        if (isReady(lane)) schedule();
      },
      again: () =>
        new Promise((resolve) => {
          const resume = () => {
            held = true;
            resolve();
          };
          lane.again.push(resume);
          enter(lane);
        }),
    };
  }

  /** Takes what was just put in at once where the lane may, else with the next slice. */
  function enter(lane: Waiting): void {
    const alone = lane.again.length + lane.begins.length + lane.reads.length === 1;
    const now = ticks();
    lane.credit = Math.min(CREDIT, lane.credit + (now - lane.creditAt) * CREDIT_PER_MS);
    lane.creditAt = now;
    if (alone && lane.credit === CREDIT) lane.crowded = false;
    lane.credit = Math.max(0, lane.credit - 1);
    if (lane.credit === 0 || !isReady(lane)) lane.crowded = true;
    if (alone && !lane.crowded) return step(lane);
    if (alone) lane.spentMs = Math.max(lane.spentMs, leastSpent());
    if (!isReady(lane)) return;
    schedule();
    if (now - sliceAt > STARVED_MS) slice();
  }

  function leastSpent(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const lane of lanes.values()) if (isReady(lane)) least = Math.min(least, lane.spentMs);
    return Number.isFinite(least) ? least : 0;
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    sliceAt = ticks();
    later(() => {
      if (scheduled) slice();
    });
  }

  /** Of those that are ready, the one that has had least. */
  function next(): Waiting | null {
    let found: Waiting | null = null;
    for (const lane of lanes.values()) {
      if (isReady(lane) && (found === null || lane.spentMs < found.spentMs)) found = lane;
    }
    return found;
  }

  function slice(): void {
    scheduled = false;
    let now = ticks();
    const untilAt = now + SLICE_MS;
    for (let lane = next(); lane !== null && now < untilAt; lane = next()) {
      step(lane);
      const after = ticks();
      // A clock that is too coarse to see a step must not make it free.
      lane.spentMs += Math.max(0.001, after - now);
      now = after;
    }
    if (next() !== null) schedule();
  }

  return {
    of(server) {
      const known = lanes.get(server);
      if (known !== undefined) return known;
      const lane: Waiting & Lane = {
        again: [],
        begins: [],
        reads: [],
        undecided: 0,
        credit: CREDIT,
        creditAt: ticks(),
        crowded: false,
        spentMs: 0,
        read(work) {
          lane.reads.push(work);
          enter(lane);
        },
        begin(work) {
          lane.begins.push(work);
          enter(lane);
        },
      };
      lanes.set(server, lane);
      return lane;
    },
  };
}

/** The lowest priority the browser has; a message to oneself, which knows no least wait, where it has none. */
function whenIdle(): LaneDeps["later"] {
  const { scheduler } = globalThis as { scheduler?: Scheduler };
  if (scheduler !== undefined) return (slice) => void scheduler.postTask(slice, { priority: "background" });
  const { port1, port2 } = new MessageChannel();
  let due: (() => void) | null = null;
  port1.onmessage = () => due?.();
  return (slice) => {
    due = slice;
    port2.postMessage(null);
  };
}
