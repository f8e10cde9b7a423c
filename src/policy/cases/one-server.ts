/** One server's store, as the transaction sees it: what a verdict leaves is what the next request meets. */
import type { Account } from "../account";
import { type DecideInput, decide, type Verdict } from "../decide";
import type { StoredDecision } from "../decision";

export interface OneServer {
  /** Decides the first input with `over` put over it. */
  decide(over: Partial<DecideInput>): Verdict;
  account(): Account;
  /** Puts what a settle, a raise or an hour made of the account in its place. */
  become(account: Account): void;
}

export function oneServer(input: DecideInput): OneServer {
  let account = input.account;
  const decisions = new Map<string, StoredDecision>();
  return {
    decide(over) {
      const next = { ...input, account, ...over };
      const verdict = decide({ ...next, prior: decisions.get(next.identity) ?? null });
      if (verdict.kind === "replay") decisions.set(next.identity, verdict.decision);
      if (verdict.kind === "refuse" && verdict.decision !== null) decisions.set(next.identity, verdict.decision);
      if ("account" in verdict) account = verdict.account;
      return verdict;
    },
    account: () => account,
    become(next) {
      account = next;
    },
  };
}
