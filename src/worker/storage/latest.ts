/** The last known account and policy of each server, for the cheap first pass (A1). Binding is only the transaction. */
import type { Account } from "../../policy/account";
import type { PolicyRevision } from "../../policy/policy";
import { type Ground, knownOf } from "./ground";

export interface Known {
  readonly account: Account;
  readonly policy: PolicyRevision;
}

export interface Latest {
  get(server: string): Known | undefined;
  set(server: string, known: Known): void;
  /** Keeps what is known of the account; of a server that is not known yet there is nothing to keep. */
  setPolicy(policy: PolicyRevision): void;
  setAccount(account: Account): void;
  forget(server: string): void;
  servers(): readonly string[];
}

export function createLatest(): Latest {
  const known = new Map<string, Known>();
  function change(server: string, part: Partial<Known>): void {
    const before = known.get(server);
    if (before !== undefined) known.set(server, { ...before, ...part });
  }
  return {
    get: (server) => known.get(server),
    set: (server, value) => void known.set(server, value),
    setPolicy: (policy) => change(policy.server, { policy }),
    setAccount: (account) => change(account.server, { account }),
    forget: (server) => void known.delete(server),
    servers: () => [...known.keys()],
  };
}

export async function loadLatest({
  database,
  latest,
  now,
}: Pick<Ground, "database" | "latest" | "now">): Promise<void> {
  await database.read(["contracts", "accounts"], async (tx) => {
    const [contracts, accounts] = await Promise.all([
      tx.objectStore("contracts").getAllKeys(),
      tx.objectStore("accounts").getAllKeys(),
    ]);
    for (const server of new Set([...contracts, ...accounts])) latest.set(server, await knownOf(tx, server, now()));
  });
}

/** A busy tab says "account" hundreds of times a second; the others read it a few times. */
const FOLLOW_EVERY_MS = 100;

/** Reads again, soon, what another tab changed. */
export function createFollower(ground: Pick<Ground, "database" | "latest" | "now">): (server: string) => void {
  const due = new Set<string>();
  async function read(): Promise<void> {
    const servers = [...due];
    due.clear();
    try {
      await ground.database.read(["contracts", "accounts"], async (tx) => {
        const known = await Promise.all(servers.map((server) => knownOf(tx, server, ground.now())));
        for (const [at, server] of servers.entries()) {
          const one = known[at];
          if (one !== undefined) ground.latest.set(server, one);
        }
      });
    } catch {
      // What was known stays; the transaction that binds reads for itself.
    }
  }
  return (server) => {
    due.add(server);
    if (due.size === 1) setTimeout(() => void read(), FOLLOW_EVERY_MS);
  };
}
