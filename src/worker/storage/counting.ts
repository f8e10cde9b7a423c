/** Writes replays that were answered from memory to decision, record and day, a batch within a second (A4, A7, D3). */
import type { StoredDecision } from "../../policy/decision";
import { endingOf } from "../../policy/ending";
import { dayKeyOf, emptyDay, withReplays } from "./days";
import { eventOf, type Ground } from "./ground";
import type { WriteTx } from "./schema";
import type { LogEvent } from "./store";
import { type Counted, withCounted } from "./tally";
import { write } from "./transact";

const FLUSH_AFTER_MS = 700;
/** Where storage fails the counts wait; they are not worth more than a try now and then. */
const RETRY_AFTER_MS = 5_000;

/** Starts counting; the function it returns writes at once what waits. */
export function countReplays(ground: Ground): () => Promise<void> {
  const { tally } = ground.replays;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    const counted = tally.take();
    if (counted.length === 0) return;
    try {
      const events = await ground.database.write(["decisions", "records", "days", "events"], "relaxed", (tx) =>
        countAll(tx, counted, ground),
      );
      const ids = [...new Set(counted.map(({ decision }) => decision.recordId))];
      ground.changes.announce({ kind: "records", ids }, ...(events.length > 0 ? [{ kind: "events" } as const] : []));
    } catch {
      tally.giveBack(counted);
      clearTimeout(timer);
      timer = setTimeout(() => void flush(), RETRY_AFTER_MS);
    }
  }

  tally.onFirst(() => {
    timer = setTimeout(() => void flush(), FLUSH_AFTER_MS);
  });
  return flush;
}

async function countAll(tx: WriteTx, counted: readonly Counted[], ground: Ground): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for (const one of counted) {
    const { server, identity, recordId } = one.decision;
    const [stored, record] = await Promise.all([
      tx.objectStore("decisions").get([server, identity]),
      tx.objectStore("records").get(recordId),
    ]);
    // One that was dropped or made anew in between is past; its record still counts what it answered.
    if (stored !== undefined && stored.recordId === recordId) {
      const { decision, loopAlert } = withCounted(stored, one);
      write(tx.objectStore("decisions").put(decision));
      if (loopAlert) events.push(loopEvent(decision, ground));
    }
    if (record !== undefined) {
      write(tx.objectStore("records").put({ ...record, represented: record.represented + one.count }));
    }
    const summed = record ?? { server, modelUsed: null, ending: endingOf(one.decision.refusal.reason) };
    const at = one.times.at(-1) ?? ground.now();
    const day = (await tx.objectStore("days").get(dayKeyOf(summed, at))) ?? emptyDay(summed, at);
    write(tx.objectStore("days").put(withReplays(day, one.count)));
  }
  for (const event of events) write(tx.objectStore("events").put(event));
  return events;
}

function loopEvent({ server, refusal, lastAt }: StoredDecision, ground: Ground): LogEvent {
  const text = `${server} keeps repeating a request that was answered with ${refusal.reason}: 40 times within 10 minutes`;
  return eventOf(ground, { at: lastAt, server, kind: "loop_alert", text, by: "" });
}
