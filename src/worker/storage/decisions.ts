/** Stored decisions outside of exchanges: listed, forgotten by the person, ended by an edit elsewhere (D, W). */
import type { Identity } from "../../policy/decision";
import { act } from "./act";
import { eventOf, type Ground } from "./ground";
import { keysOf } from "./schema";
import type { Store } from "./store";
import { write } from "./transact";

type Decisions = Pick<Store, "decisions" | "forgetDecision" | "dropDecisions">;

/** An identity is `server name : 32 hex digits`, and a name may hold colons. */
export function serverOf(identity: Identity): string {
  return identity.slice(0, identity.lastIndexOf(":"));
}

export function createDecisions(ground: Ground): Decisions {
  return {
    async decisions(server) {
      const found = await ground.database.read(["decisions"], (tx) =>
        tx.objectStore("decisions").getAll(keysOf(server)),
      );
      return found.sort((a, b) => b.lastAt - a.lastAt);
    },

    forgetDecision: (identity, by, now) =>
      act(ground, ["decisions", "events"], async (tx) => {
        const server = serverOf(identity);
        const found = await tx.objectStore("decisions").get([server, identity]);
        // One the store dropped by itself may still be in some tab's memory, which this act empties.
        if (found === undefined) return { answer: undefined, changes: [] };
        write(tx.objectStore("decisions").delete([server, identity]));
        const text = `A decision of ${server} was forgotten: ${found.refusal.reason}`;
        write(tx.objectStore("events").put(eventOf(ground, { at: now, server, kind: "forgotten", text, by })));
        return { answer: undefined, changes: [{ kind: "records", ids: [found.recordId] }, { kind: "events" }] };
      }),

    dropDecisions: (reasons) =>
      act(ground, ["decisions"], async (tx) => {
        const found = await tx.objectStore("decisions").getAll();
        const dropped = found.filter(({ refusal }) => reasons.includes(refusal.reason));
        for (const { server, identity } of dropped) write(tx.objectStore("decisions").delete([server, identity]));
        const ids = dropped.map(({ recordId }) => recordId);
        return { answer: undefined, changes: ids.length === 0 ? [] : [{ kind: "records", ids }] };
      }),
  };
}
