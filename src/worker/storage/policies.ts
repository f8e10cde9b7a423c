/** Policies and their revisions: every edit is a new one and ends what was decided under the last (P2, P3). */
import { closeExpired } from "../../policy/account";
import { DEFAULT_POLICY, type Policy, type PolicyRevision, samePolicy } from "../../policy/policy";
import { lostRecord } from "../../policy/record";
import { act } from "./act";
import { contractOf, eventOf, type Ground } from "./ground";
import { enter, LEDGER_STORES } from "./ledger";
import { keysOf, type WriteTx } from "./schema";
import type { Store } from "./store";
import { write } from "./transact";

type Policies = Pick<
  Store,
  "policy" | "revisions" | "savePolicies" | "replacePolicies" | "policyFileText" | "putPolicyFileText"
>;
type Edits = ReadonlyMap<string, Policy>;

const FILE = "policyFile";

/** Stores that `revise` touches. */
export const REVISION_STORES = ["contracts", "revisions", "decisions", "accounts", ...LEDGER_STORES] as const;

/** Puts revisions in force; each drops its server's decisions, and only that server's (P3). */
export async function revise(tx: WriteTx, revisions: readonly PolicyRevision[]): Promise<void> {
  const accounts = await Promise.all(revisions.map(({ server }) => tx.objectStore("accounts").get(server)));
  const lost = revisions.flatMap((revision, at) => {
    write(tx.objectStore("contracts").put(revision));
    write(tx.objectStore("revisions").put(revision));
    write(tx.objectStore("decisions").delete(keysOf(revision.server)));
    const account = accounts[at];
    if (account === undefined) return [];
    // What was spent moves into the new window with the edit, not with the next request.
    const closed = closeExpired(account, revision.policy, revision.editedAt);
    write(tx.objectStore("accounts").put(closed.account));
    return closed.orphans.map((orphan) => lostRecord(orphan, revision.editedAt));
  });
  await enter(tx, lost);
}

export function createPolicies(ground: Ground): Policies {
  const { database, loss } = ground;

  async function save(
    editsIn: (tx: WriteTx) => Edits | Promise<Edits>,
    by: string,
    now: number,
  ): Promise<readonly PolicyRevision[]> {
    const saved = await act(ground, [...REVISION_STORES, "events"], async (tx) => {
      const revisions = await changedBy(tx, await editsIn(tx), by, now);
      await revise(tx, revisions);
      for (const revision of revisions) {
        write(tx.objectStore("events").put(eventOf(ground, savedEvent(revision))));
      }
      const changes = revisions.map(({ server }) => ({ kind: "policy", server }) as const);
      return { answer: revisions, changes: changes.length === 0 ? [] : [...changes, { kind: "events" } as const] };
    });
    for (const revision of saved) ground.latest.setPolicy(revision);
    if (saved.length > 0) await database.use((db) => loss.testify(db));
    return saved;
  }

  return {
    policy: async (server) => loss.inForce(await database.read(["contracts"], (tx) => contractOf(tx, server))),
    async revisions(server) {
      const all = await database.read(["revisions"], (tx) => tx.objectStore("revisions").getAll(keysOf(server)));
      return all.reverse();
    },
    savePolicies: (edits, by, now) => save(() => edits, by, now),
    replacePolicies: (all, by, now) => save(async (tx) => new Map([...(await everyoneOff(tx)), ...all]), by, now),
    policyFileText: () =>
      database.read(["meta"], async (tx) => ((await tx.objectStore("meta").get(FILE)) as string | undefined) ?? null),
    putPolicyFileText: (text) =>
      database.write(["meta"], "strict", async (tx) => write(tx.objectStore("meta").put(text, FILE))),
  };
}

/** The default for each server that ever had a policy; of all others it is in force already (P1). */
async function everyoneOff(tx: WriteTx): Promise<Edits> {
  const servers = await tx.objectStore("contracts").getAllKeys();
  return new Map(servers.map((server) => [server, DEFAULT_POLICY]));
}

async function changedBy(tx: WriteTx, edits: Edits, by: string, now: number): Promise<readonly PolicyRevision[]> {
  const current = await Promise.all([...edits.keys()].map((server) => contractOf(tx, server)));
  return current.flatMap(({ server, revision, policy: before }) => {
    const policy = edits.get(server);
    if (policy === undefined || samePolicy(before, policy)) return [];
    return [{ server, revision: revision + 1, policy, editedAt: now, editedBy: by }];
  });
}

function savedEvent({ server, revision, policy, editedAt, editedBy }: PolicyRevision) {
  const text = `Policy of ${server} saved as revision ${revision}: sampling ${policy.allowSampling ? "allowed" : "off"}`;
  return { at: editedAt, server, kind: "policy_saved", text, by: editedBy } as const;
}
