/** What is kept as it is given: the log's other lines, runs, settings. */

import type { Ground } from "./ground";
import { RECORD_DAYS } from "./retention";
import type { Store } from "./store";
import { write } from "./transact";

type Rows = Pick<Store, "events" | "addEvent" | "runs" | "run" | "putRun" | "clearRuns" | "setting" | "putSetting">;

export function createRows(ground: Ground): Rows {
  const { database, changes, loss } = ground;
  return {
    events: (before, limit) =>
      database.read(["events"], async (tx) => {
        const found = [];
        const newest = before === null ? null : IDBKeyRange.upperBound(before.at);
        let cursor = await tx.objectStore("events").index("byTime").openCursor(newest, "prev");
        // Events of one millisecond stand in the order of their ids: on to the last one seen, and past it.
        if (before !== null && cursor?.key === before.at && cursor.primaryKey > before.id) {
          cursor = await cursor.continuePrimaryKey(before.at, before.id);
        }
        if (before !== null && cursor?.primaryKey === before.id) cursor = await cursor.continue();
        while (cursor !== null && found.length < limit) {
          found.push(cursor.value);
          cursor = await cursor.continue();
        }
        return found;
      }),
    async addEvent(event) {
      await database.write(["events"], "relaxed", async (tx) => write(tx.objectStore("events").put(event)));
      ground.witnessSoon();
      changes.announce({ kind: "events" });
    },

    runs: (limit) =>
      database.read(["runs"], async (tx) => {
        const found = [];
        let cursor = await tx.objectStore("runs").index("byTime").openCursor(null, "prev");
        while (cursor !== null && found.length < limit) {
          found.push(cursor.value);
          cursor = await cursor.continue();
        }
        return found;
      }),
    run: (id) => database.read(["runs"], (tx) => tx.objectStore("runs").get(id)),
    async putRun(row) {
      await database.write(["runs"], "relaxed", async (tx) => write(tx.objectStore("runs").put(row)));
      changes.announce({ kind: "runs", id: row.id });
    },
    async clearRuns() {
      const ids = await database.write(["runs"], "strict", async (tx) => {
        const keys = await tx.objectStore("runs").getAllKeys();
        write(tx.objectStore("runs").clear());
        return keys;
      });
      changes.announce(...ids.map((id) => ({ kind: "runs", id }) as const));
    },

    setting: <T>(key: string) =>
      database.read(["settings"], async (tx) => (await tx.objectStore("settings").get(key)) as T | undefined),
    async putSetting(key, value) {
      // What went under the old number of days was deleted, not lost: the witness must know before the number changes.
      if (key === RECORD_DAYS) await database.use((db) => loss.testify(db));
      await database.write(["settings"], "strict", async (tx) => write(tx.objectStore("settings").put(value, key)));
      changes.announce({ kind: "settings" });
    },
  };
}
