/**
 * The transaction of an exchange's two writes. Whatever waits shares one (A7), and a settle nobody waits for goes along
 * with the next admit: a busy server costs one transaction an exchange, not two. All is read at once, decided on values,
 * and written; settles count first, so that what they give back is there for the admits.
 */
import { afterAdmit, type Desk, decideAll, readDesk } from "./admit";
import type { Ground } from "./ground";
import { grouped } from "./group";
import { enter, LEDGER_STORES } from "./ledger";
import type { WriteTx } from "./schema";
import { afterSettle, closeAll, readForSettle, type SettledAll } from "./settle";
import type { AdmitAsk, Settlement, Store } from "./store";
import { write } from "./transact";

const STORES = ["contracts", "accounts", "decisions", ...LEDGER_STORES, "events"] as const;

type Work = { readonly ask: AdmitAsk } | { readonly settlement: Settlement };
type Done = Awaited<ReturnType<Store["admit"]>> | Awaited<ReturnType<Store["settle"]>>;

export function createExchangeWrites(ground: Ground): Pick<Store, "admit" | "settle"> {
  async function commit(works: readonly Work[]): Promise<readonly Done[]> {
    const asks = works.flatMap((work) => ("ask" in work ? [work.ask] : []));
    const settlements = works.flatMap((work) => ("settlement" in work ? [work.settlement] : []));
    const session = ground.replays.session();
    const { settledAll, admittedAll } = await ground.database.write(STORES, "relaxed", (tx) => {
      if (asks.length > 0) ground.loss.check();
      return workAll(tx, settlements, asks, ground);
    });
    const settled = settlements.length === 0 ? [] : [...afterSettle(settledAll, session, ground)];
    const admitted = asks.length === 0 ? [] : [...afterAdmit(admittedAll, asks, session, ground)];
    return works.map((work) => ("ask" in work ? admitted.shift() : settled.shift()) as Done);
  }
  /** The reply is out and the hold covers the charge; a refusal's frame, on the other hand, waits for its settle. */
  const lingers = (work: Work) =>
    "settlement" in work && work.settlement.decision === null && work.settlement.charge.basis !== "none";
  const enqueue = grouped(commit, lingers);
  return {
    async admit(ask) {
      const room = ground.tidy.room(ask.draft.server);
      if (room !== null) await room;
      return enqueue({ ask }) as ReturnType<Store["admit"]>;
    },
    settle: (settlement) => enqueue({ settlement }) as ReturnType<Store["settle"]>,
  };
}

async function workAll(tx: WriteTx, settlements: readonly Settlement[], asks: readonly AdmitAsk[], ground: Ground) {
  const [reads, desk] = await Promise.all([readForSettle(tx, settlements), readDesk(tx, asks)]);
  const settledAll = closeAll(reads, settlements, ground);
  carryOver(settledAll, desk);
  const effects = decideAll(desk, asks, ground);
  const rows = await enter(tx, [...settledAll.records, ...effects.records], reads.days);

  const accounts = new Map(settledAll.accounts);
  for (const server of effects.changed) {
    const account = desk.accounts.get(server);
    if (account !== undefined) accounts.set(server, account);
  }
  for (const account of accounts.values()) write(tx.objectStore("accounts").put(account));
  for (const { decision } of [...settledAll.kept, ...effects.outcomes]) {
    if (decision !== null) write(tx.objectStore("decisions").put(decision));
  }
  for (const event of [...settledAll.events, ...effects.events]) write(tx.objectStore("events").put(event));
  return { settledAll, admittedAll: { desk, effects, rows: rows.slice(settledAll.records.length) } };
}

/** What the settles left is what the asks are decided on. */
function carryOver({ accounts, kept }: SettledAll, desk: Desk): void {
  for (const [server, account] of accounts) if (desk.accounts.has(server)) desk.accounts.set(server, account);
  for (const { decision } of kept) if (decision !== null) desk.decisions.set(decision.identity, decision);
}
