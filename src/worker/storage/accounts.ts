/** Accounts outside of exchanges: raises, consents, quiet, and the holds of dead tabs (G, K, M4). */
import {
  type Account,
  accountAt,
  addConsent,
  addGrant,
  closeAbandoned,
  closeExpired,
  isDue,
  listenAgain,
  type OrphanedHold,
  widenConsents,
} from "../../policy/account";
import { droppedBy } from "../../policy/decision";
import { dollars } from "../../policy/money";
import { lostRecord } from "../../policy/record";
import { act } from "./act";
import { contractOf, eventOf, type Ground, isKept, knownOf } from "./ground";
import { enter, LEDGER_STORES } from "./ledger";
import { keysOf, type WriteTx } from "./schema";
import type { LogEvent, Store } from "./store";
import { write } from "./transact";

type Accounts = Pick<
  Store,
  "account" | "recover" | "addGrant" | "addConsent" | "revokeConsents" | "listenAgain" | "grants"
>;

export function createAccounts(ground: Ground): Accounts {
  const { database } = ground;

  /**
   * One act on one account, in the window its policy names now, with its line in the log. False where there is no such
   * account, or `work` finds that nothing is to be done (null).
   */
  async function change(
    server: string,
    now: number,
    event: Omit<LogEvent, "id" | "at" | "server">,
    work: (account: Account, tx: WriteTx) => Account | null | Promise<Account | null>,
  ): Promise<boolean> {
    const account = await act(ground, ["contracts", "accounts", "grants", "decisions", "events"], async (tx) => {
      const known = await knownOf(tx, server, now);
      const answer = isKept(known) ? await work(accountAt(known.account, known.policy.policy, now), tx) : null;
      if (answer === null) return { answer, changes: [] };
      write(tx.objectStore("accounts").put(answer));
      write(tx.objectStore("events").put(eventOf(ground, { ...event, at: now, server })));
      return { answer, changes: [{ kind: "account", server }, { kind: "events" }] };
    });
    if (account !== null) ground.latest.setAccount(account);
    return account !== null;
  }

  return {
    account: (server, now) =>
      database.read(["contracts", "accounts"], async (tx) => (await knownOf(tx, server, now)).account),

    addGrant(grant, now) {
      const { server, kind, amount, grantedBy: by } = grant;
      const text =
        kind === "usd" ? `${server} was granted ${dollars(amount)}` : `${server} was granted ${amount} requests`;
      return change(server, now, { kind: "grant", text, by }, async (account, tx) => {
        // The offer may stand in two tabs: whichever is taken second raises nothing (G2).
        const given = await tx.objectStore("grants").index("byServer").getAll(keysOf(server));
        if (given.some(({ recordId }) => recordId === grant.recordId)) return null;
        const event = kind === "usd" ? "budget_grant" : "rate_grant";
        const stored = await tx.objectStore("decisions").getAll(keysOf(server));
        for (const { identity, refusal } of stored) {
          if (droppedBy(event, refusal.reason)) write(tx.objectStore("decisions").delete([server, identity]));
        }
        const { policy } = await contractOf(tx, server);
        const granted = addGrant(account, grant, now);
        const widens = kind === "usd" && policy.consentCeilingMicros === null;
        const raised = widens ? widenConsents(granted, amount) : granted;
        // As it counts: its end is never later than the window's (G2).
        write(tx.objectStore("grants").put(raised.grants.at(-1) ?? grant));
        return raised;
      });
    },

    async addConsent(server, consent, now) {
      const what = consent.kind === "session" ? `this session, up to ${dollars(consent.ceilingMicros)}` : "one request";
      const event = { kind: "consent_given", text: `${server} may sample for ${what}`, by: consent.givenBy } as const;
      await change(server, now, event, (account) => addConsent(account, consent));
    },

    async revokeConsents(server, by, now) {
      const event = { kind: "consent_revoked", text: `Consent for ${server} was taken back`, by } as const;
      await change(server, now, event, (account) => ({ ...account, consents: [] }));
    },

    async listenAgain(server, by, now) {
      await change(server, now, { kind: "quiet", text: `${server} may show dialogs again`, by }, listenAgain);
    },

    grants: (server, since) =>
      database.read(["grants"], async (tx) => {
        const grants = tx.objectStore("grants");
        const found =
          server === null
            ? await grants.index("byTime").getAll(IDBKeyRange.lowerBound(since))
            : await grants.index("byServer").getAll(IDBKeyRange.bound([server, since], [server, []]));
        return found.reverse();
      }),

    recover: (now, liveTabs) => recover(ground, now, liveTabs),
  };
}

async function recover(
  ground: Ground,
  now: number,
  liveTabs: ReadonlySet<string> | undefined,
): ReturnType<Store["recover"]> {
  const hasDue = (account: Account) =>
    account.holds.some((hold) => isDue(hold, now)) || abandoned(account, liveTabs).orphans.length > 0;
  const { database } = ground;
  // Usually there is nothing to close, and then nobody's write waits for this.
  const accounts = await database.read(["accounts"], (tx) => tx.objectStore("accounts").getAll());
  if (!accounts.some(hasDue)) return [];
  const stores = ["contracts", "accounts", ...LEDGER_STORES] as const;
  const { orphans, records, changed } = await database.write(stores, "relaxed", async (tx) => {
    const due = (await tx.objectStore("accounts").getAll()).filter(hasDue);
    const policies = await Promise.all(due.map(({ server }) => contractOf(tx, server)));
    const closed = due.map((account, at) => {
      const left = abandoned(account, liveTabs);
      const expired = closeExpired(left.account, policies[at]?.policy ?? never(), now);
      return { account: expired.account, orphans: [...left.orphans, ...expired.orphans] };
    });
    const found = closed.flatMap((one) => one.orphans);
    for (const { account } of closed) write(tx.objectStore("accounts").put(account));
    const rows = await enter(
      tx,
      found.map((orphan) => lostRecord(orphan, now)),
    );
    return { orphans: found, records: rows, changed: closed.map((one) => one.account) };
  });
  for (const account of changed) ground.latest.setAccount(account);
  ground.changes.announce(...changed.map(({ server }) => ({ kind: "account", server }) as const), {
    kind: "records",
    ids: records.map((record) => record.id),
  });
  ground.witnessSoon();
  return orphans;
}

function abandoned(
  account: Account,
  liveTabs: ReadonlySet<string> | undefined,
): { readonly account: Account; readonly orphans: readonly OrphanedHold[] } {
  return liveTabs === undefined ? { account, orphans: [] } : closeAbandoned(account, liveTabs);
}

function never(): never {
  throw new Error("every account was read with its policy");
}
