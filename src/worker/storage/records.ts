/** Reading the log: pages by the index that fits the filter best, so that a page never costs a scan (L2). */
import type { IDBPCursorWithValue } from "idb";
import { isShared } from "../../policy/fold";
import type { ExchangeRecord } from "../../policy/record";
import { createBatch } from "./batch";
import type { Ground } from "./ground";
import { grouped } from "./group";
import { enter, LEDGER_STORES } from "./ledger";
import type { PurserSchema, ReadTx, StoreName } from "./schema";
import type { RecordCursor, RecordFilter, RecordPage, Store } from "./store";

type Records = Pick<Store, "records" | "record" | "days" | "writeRecord">;
type IndexName = keyof PurserSchema["records"]["indexes"];
type Cursor = IDBPCursorWithValue<PurserSchema, StoreName[], "records", IndexName, "readonly">;

/** Rows of one index under one prefix; a page may have to merge several. */
interface Source {
  readonly index: IndexName;
  readonly prefix: readonly string[];
}

export function createRecords(ground: Ground): { readonly reads: Records; readonly flush: () => Promise<void> } {
  const { database } = ground;
  async function writeAll(records: readonly ExchangeRecord[]): Promise<void> {
    const rows = await database.write(LEDGER_STORES, "relaxed", (tx) => enter(tx, records));
    ground.changes.announce({ kind: "records", ids: rows.map((row) => row.id) });
    ground.witnessSoon();
  }
  const alone = grouped(async (records: readonly ExchangeRecord[]) => {
    await writeAll(records);
    return records.map(() => undefined);
  });
  const batch = createBatch(writeAll);
  const reads: Records = {
    writeRecord: (record) => (isShared(record) ? batch.add(record) : alone(record)),
    record: (id) => database.read(["records"], (tx) => tx.objectStore("records").get(id)),
    days: (from, to) =>
      database.read(["days"], (tx) => tx.objectStore("days").getAll(IDBKeyRange.bound([from], [to, []]))),
    records: (filter, before, limit) => database.read(["records"], (tx) => pageOf(tx, filter, before, limit)),
  };
  return { reads, flush: batch.flush };
}

/** The narrowest indexes for a filter. A model together with a server or endings is looked up by model and sifted. */
export function sourcesFor({ server, endings, model }: RecordFilter): readonly Source[] {
  if (model !== null) return [{ index: "byModel", prefix: [model] }];
  if (endings.length > 0) {
    return [...new Set(endings)].map((ending) =>
      server === null ? { index: "byEnding", prefix: [ending] } : { index: "byServerEnding", prefix: [server, ending] },
    );
  }
  return [server === null ? { index: "byEnd", prefix: [] } : { index: "byServer", prefix: [server] }];
}

async function pageOf(
  tx: ReadTx,
  filter: RecordFilter,
  before: RecordCursor | null,
  limit: number,
): Promise<RecordPage> {
  const cursors = await Promise.all(sourcesFor(filter).map((source) => open(tx, source, filter, before)));
  const rows: ExchangeRecord[] = [];
  // One more than asked for tells whether there is a next page.
  while (rows.length <= limit) {
    const at = newestOf(cursors);
    if (at === -1) break;
    const cursor = cursors[at] as Cursor;
    if (fits(cursor.value, filter)) rows.push(cursor.value);
    cursors[at] = await cursor.continue();
  }
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { rows: page, next: last === undefined ? null : { endedAt: last.endedAt, id: last.id } };
}

async function open(
  tx: ReadTx,
  { index, prefix }: Source,
  filter: RecordFilter,
  before: RecordCursor | null,
): Promise<Cursor | null> {
  const from = [...prefix, filter.from ?? Number.NEGATIVE_INFINITY];
  const top = [...prefix, filter.to ?? Number.POSITIVE_INFINITY, []];
  const after = before === null ? null : [...prefix, before.endedAt, before.id];
  const past = after !== null && indexedDB.cmp(after, top) <= 0;
  const to = past ? after : top;
  if (indexedDB.cmp(from, to) > 0) return null;
  const range = IDBKeyRange.bound(from, to, false, past);
  const cursor = await tx
    .objectStore("records")
    .index(index)
    .openCursor(range as never, "prev");
  return cursor as unknown as Cursor | null;
}

/** Position of the cursor that stands on the newest row; -1 where all are done. */
function newestOf(cursors: readonly (Cursor | null)[]): number {
  let newest = -1;
  for (const [at, cursor] of cursors.entries()) {
    const best = newest === -1 ? null : (cursors[newest]?.value ?? null);
    if (cursor !== null && (best === null || isNewer(cursor.value, best))) newest = at;
  }
  return newest;
}

function isNewer(a: ExchangeRecord, b: ExchangeRecord): boolean {
  return a.endedAt === b.endedAt ? a.id > b.id : a.endedAt > b.endedAt;
}

function fits(record: ExchangeRecord, { server, endings, model }: RecordFilter): boolean {
  return (
    (server === null || record.server === server) &&
    (endings.length === 0 || endings.includes(record.ending)) &&
    (model === null || record.modelUsed === model)
  );
}
