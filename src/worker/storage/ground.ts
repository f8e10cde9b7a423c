/** What every part of storage stands on; made once in `open.ts`. */
import type { Account } from "../../policy/account";
import { newAccount } from "../../policy/account";
import { DEFAULT_POLICY, type PolicyRevision } from "../../policy/policy";
import type { Changes } from "./changes";
import type { Database } from "./db";
import type { Latest } from "./latest";
import type { Loss } from "./loss";
import type { Replays } from "./replays";
import type { ReadTx, WriteTx } from "./schema";
import type { LogEvent, Store } from "./store";
import type { Tidy } from "./tidy";

export interface Ground {
  readonly database: Database;
  readonly changes: Changes;
  readonly latest: Latest;
  readonly loss: Loss;
  readonly replays: Replays;
  readonly tidy: Tidy;
  readonly now: () => number;
  readonly newId: () => string;
  /** See `Store.rowOf`. */
  readonly rowOf: Store["rowOf"];
  /** Something was committed that the witness should know soon. */
  readonly witnessSoon: () => void;
}

/** Both kinds read alike; only their types differ. */
type Tx = Pick<ReadTx | WriteTx, "objectStore">;

/** A server nobody edited has the default policy, revision 0 (P1). Needs `contracts`. */
export async function contractOf(tx: Tx, server: string): Promise<PolicyRevision> {
  const found = await (tx as ReadTx).objectStore("contracts").get(server);
  return found ?? { server, revision: 0, policy: DEFAULT_POLICY, editedAt: 0, editedBy: "" };
}

export interface Known {
  readonly account: Account;
  readonly policy: PolicyRevision;
  /** False where the account is one nobody has written yet. */
  readonly stored: boolean;
}

/**
 * Whether a change of this account is to be kept. A server that may not sample has nothing to count: it gets no account,
 * so that what was under way when a server was removed does not bring its account back.
 */
export function isKept({ policy, stored }: Known): boolean {
  return stored || policy.policy.allowSampling;
}

/** Needs `contracts` and `accounts`. */
export async function knownOf(tx: Tx, server: string, now: number): Promise<Known> {
  const [policy, account] = await Promise.all([
    contractOf(tx, server),
    (tx as ReadTx).objectStore("accounts").get(server),
  ]);
  return { policy, account: account ?? newAccount(server, policy.policy, now), stored: account !== undefined };
}

export function eventOf(ground: Pick<Ground, "newId">, event: Omit<LogEvent, "id">): LogEvent {
  return { id: ground.newId(), ...event };
}
