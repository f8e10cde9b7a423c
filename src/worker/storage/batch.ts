/**
 * Records that share a row and that nobody waits for: joined in memory and written within half a second, so that a flood
 * of them costs two transactions a second (A7).
 */
import { joined } from "../../policy/fold";
import type { ExchangeRecord } from "../../policy/record";

const WRITE_AFTER_MS = 500;

interface Waiting {
  record: ExchangeRecord;
  readonly done: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
}

export interface Batch {
  /** Resolves once the row that counts it is committed. */
  add(record: ExchangeRecord): Promise<void>;
  /** Writes at once what waits. Never rejects. */
  flush(): Promise<void>;
}

export function createBatch(write: (records: readonly ExchangeRecord[]) => Promise<void>): Batch {
  let waiting = new Map<string, Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...waiting.values()];
    waiting = new Map();
    if (taken.length === 0) return;
    try {
      await write(taken.map(({ record }) => record));
      for (const { resolve } of taken.flatMap(({ done }) => done)) resolve();
    } catch (error) {
      for (const { reject } of taken.flatMap(({ done }) => done)) reject(error);
    }
  }

  return {
    add: (record) =>
      new Promise((resolve, reject) => {
        const row = waiting.get(record.id);
        if (row === undefined) waiting.set(record.id, { record, done: [{ resolve, reject }] });
        else {
          row.record = joined(row.record, record);
          row.done.push({ resolve, reject });
        }
        timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS);
      }),
    flush,
  };
}
