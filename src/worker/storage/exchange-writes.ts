/**
 * The transaction of an exchange's two writes. Whatever waits shares one (A7), and a settle nobody waits for goes along
 * with the next admit: a busy server costs one transaction an exchange, not two. Settles go first, so that what they
 * give back is there for the admits.
 */
import { admitAll, afterAdmit } from "./admit";
import type { Ground } from "./ground";
import { grouped } from "./group";
import { LEDGER_STORES } from "./ledger";
import { afterSettle, settleAll } from "./settle";
import type { AdmitAsk, Settlement, Store } from "./store";

const STORES = ["contracts", "accounts", "decisions", ...LEDGER_STORES, "events"] as const;

type Work = { readonly ask: AdmitAsk } | { readonly settlement: Settlement };
type Done = Awaited<ReturnType<Store["admit"]>> | Awaited<ReturnType<Store["settle"]>>;

export function createExchangeWrites(ground: Ground): Pick<Store, "admit" | "settle"> {
  async function commit(works: readonly Work[]): Promise<readonly Done[]> {
    const asks = works.flatMap((work) => ("ask" in work ? [work.ask] : []));
    const settlements = works.flatMap((work) => ("settlement" in work ? [work.settlement] : []));
    const session = ground.replays.session();
    const { settledAll, admittedAll } = await ground.database.write(STORES, "relaxed", async (tx) => {
      if (asks.length > 0) ground.loss.check();
      const settledAll = settlements.length > 0 ? await settleAll(tx, settlements, ground) : null;
      const admittedAll = asks.length > 0 ? await admitAll(tx, asks, ground) : null;
      return { settledAll, admittedAll };
    });
    const settled = settledAll === null ? [] : [...afterSettle(settledAll, session, ground)];
    const admitted = admittedAll === null ? [] : [...afterAdmit(admittedAll, asks, session, ground)];
    return works.map((work) => ("ask" in work ? admitted.shift() : settled.shift()) as Done);
  }
  /** The reply is out and the hold covers the charge; a refusal's frame, on the other hand, waits for its settle. */
  const lingers = (work: Work) =>
    "settlement" in work && work.settlement.decision === null && work.settlement.charge.basis !== "none";
  const enqueue = grouped(commit, lingers);
  return {
    admit: (ask) => enqueue({ ask }) as ReturnType<Store["admit"]>,
    settle: (settlement) => enqueue({ settlement }) as ReturnType<Store["settle"]>,
  };
}
