/** What roster and commands ask of storage, in memory, with a switch that refuses it all. The contract is proved elsewhere. */
import { type Account, type Grant, newAccount } from "../../policy/account";
import type { StoredDecision } from "../../policy/decision";
import { DEFAULT_POLICY, type Policy, type PolicyRevision, samePolicy } from "../../policy/policy";
import { type LogEvent, type ServerRow, StorageUnavailable, type Store } from "../storage/store";

type Kept = Pick<
  Store,
  | "servers"
  | "putServer"
  | "removeServer"
  | "account"
  | "policy"
  | "revisions"
  | "savePolicies"
  | "replacePolicies"
  | "policyFileText"
  | "putPolicyFileText"
  | "grants"
  | "decisions"
  | "addEvent"
  | "setting"
  | "putSetting"
>;

export interface MemoryStore extends Kept {
  refuses: boolean;
  readonly rows: Map<string, ServerRow>;
  readonly policies: Map<string, PolicyRevision>;
  readonly stored: StoredDecision[];
  readonly given: Grant[];
  readonly events: LogEvent[];
}

export function memoryStore(now: () => number): MemoryStore {
  const settings = new Map<string, unknown>();
  let file: string | null = null;
  const current = (server: string): PolicyRevision =>
    kept.policies.get(server) ?? { server, revision: 0, policy: DEFAULT_POLICY, editedAt: 0, editedBy: "" };

  function save(edits: ReadonlyMap<string, Policy>, by: string): readonly PolicyRevision[] {
    const changed = [...edits].flatMap(([server, policy]) => {
      const before = current(server);
      if (samePolicy(before.policy, policy)) return [];
      return [{ server, revision: before.revision + 1, policy, editedAt: now(), editedBy: by }];
    });
    for (const revision of changed) kept.policies.set(revision.server, revision);
    return changed;
  }
  /** Does `work`, or rejects as a browser does that refuses storage. */
  async function kindly<T>(work: () => T): Promise<T> {
    if (kept.refuses) throw new StorageUnavailable("refused", "the browser refuses");
    return work();
  }

  const kept: MemoryStore = {
    refuses: false,
    rows: new Map(),
    policies: new Map(),
    stored: [],
    given: [],
    events: [],
    servers: () => kindly(() => [...kept.rows.values()]),
    putServer: (row) => kindly(() => void kept.rows.set(row.name, row)),
    removeServer: (name) => kindly(() => void kept.rows.delete(name)),
    account: (server, at): Promise<Account> => kindly(() => newAccount(server, current(server).policy, at)),
    policy: (server) => kindly(() => current(server)),
    revisions: (server) => kindly(() => [current(server)]),
    savePolicies: (edits, by) => kindly(() => save(edits, by)),
    replacePolicies: (all, by) =>
      kindly(() =>
        save(new Map([...[...kept.policies.keys()].map((name) => [name, DEFAULT_POLICY] as const), ...all]), by),
      ),
    policyFileText: () => kindly(() => file),
    putPolicyFileText: (text) =>
      kindly(() => {
        file = text;
      }),
    grants: (server, since) =>
      kindly(() => kept.given.filter((one) => (server === null || one.server === server) && one.grantedAt >= since)),
    decisions: (server) => kindly(() => kept.stored.filter((one) => one.server === server)),
    addEvent: (event) => kindly(() => void kept.events.push(event)),
    setting: <T>(key: string) => kindly(() => settings.get(key) as T | undefined),
    putSetting: (key, value) => kindly(() => void settings.set(key, value)),
  };
  return kept;
}
