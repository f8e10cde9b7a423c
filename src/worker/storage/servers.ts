/** The registered servers. A name that is used again starts from nothing but its old revisions. */
import { DEFAULT_POLICY } from "../../policy/policy";
import { lostRecord } from "../../policy/record";
import { act } from "./act";
import { contractOf, eventOf, type Ground } from "./ground";
import { enter } from "./ledger";
import { REVISION_STORES, revise } from "./policies";
import { keysOf, type WriteTx } from "./schema";
import { type Change, type Store, toolsKeyOf } from "./store";
import { write } from "./transact";

const REMOVED = { cause: "server_removed" } as const;

type Servers = Pick<Store, "servers" | "putServer" | "removeServer">;

export function createServers(ground: Ground): Servers {
  const { database, loss } = ground;
  return {
    async servers() {
      const rows = await database.read(["servers"], (tx) => tx.objectStore("servers").getAll());
      return rows.sort((a, b) => a.addedAt - b.addedAt || a.name.localeCompare(b.name, "en"));
    },

    async putServer(row) {
      const added = await database.write(["servers", "events"], "strict", async (tx) => {
        const known = await tx.objectStore("servers").getKey(row.name);
        write(tx.objectStore("servers").put(row));
        if (known !== undefined) return false;
        const event = { at: row.addedAt, server: row.name, text: `${row.name} was added`, by: "" };
        write(tx.objectStore("events").put(eventOf(ground, { ...event, kind: "server_added" })));
        return true;
      });
      ground.changes.announce({ kind: "servers" }, ...(added ? [{ kind: "events" } as const] : []));
      if (added) await database.use((db) => loss.testify(db));
    },

    async removeServer(name, by, now) {
      await act(ground, [...REVISION_STORES, "servers", "events", "settings"], async (tx) => {
        await remove(tx, name, by, now);
        const text = `${name} was removed`;
        write(
          tx.objectStore("events").put(eventOf(ground, { at: now, server: name, kind: "server_removed", text, by })),
        );
        const changes: Change[] = [
          { kind: "servers" },
          { kind: "policy", server: name },
          { kind: "account", server: name },
        ];
        return { answer: undefined, changes: [...changes, { kind: "events" }] };
      });
      ground.latest.forget(name);
      await database.use((db) => loss.testify(db));
    },
  };
}

async function remove(tx: WriteTx, name: string, by: string, now: number): Promise<void> {
  const contract = await contractOf(tx, name);
  // Whoever is given this name later must not inherit what this one was allowed; revisions go on counting.
  if (contract.revision > 0) {
    await revise(tx, [
      { ...contract, revision: contract.revision + 1, policy: DEFAULT_POLICY, editedAt: now, editedBy: by },
    ]);
  }
  const account = await tx.objectStore("accounts").get(name);
  const open = (account?.holds ?? []).map((hold) => ({
    hold,
    chargedMicros: hold.dispatchedAt === null ? 0 : hold.amountMicros,
  }));
  await enter(
    tx,
    // Nobody died: a person ended it. What it cost by then nobody waits to hear, so the estimate is charged.
    open.map(
      (orphan) => ({ ...lostRecord(orphan, now), ending: "cancelled", because: "K7", detail: REMOVED }) as const,
    ),
  );
  write(tx.objectStore("accounts").delete(name));
  write(tx.objectStore("decisions").delete(keysOf(name)));
  write(tx.objectStore("settings").delete(toolsKeyOf(name)));
  write(tx.objectStore("servers").delete(name));
}
