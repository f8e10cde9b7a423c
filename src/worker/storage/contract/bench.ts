/** What a case of the contract is given, and the shorthands the cases share. */
import type { Plan } from "../../../policy/account";
import type { AdmitAsk, RecordFilter, Store } from "../store";

/** A store of its own for each case, and the means to fail. */
export interface Bench {
  readonly store: Store;
  equal(found: unknown, expected: unknown): void;
}

export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

export const ALL: RecordFilter = { server: null, endings: [], model: null, from: null, to: null };
export const OTHER = "wiki-search";

export async function admitted(store: Store, ask: AdmitAsk): Promise<Plan> {
  const { verdict } = await store.admit(ask);
  if (verdict.kind !== "admit") throw new Error(`not admitted: ${JSON.stringify(verdict)}`);
  return verdict.plan;
}

export async function refused(store: Store, ask: AdmitAsk): Promise<string> {
  const { verdict } = await store.admit(ask);
  if (verdict.kind !== "refuse") throw new Error(`not refused: ${JSON.stringify(verdict)}`);
  return verdict.refusal.reason;
}

/** What is done in the background is waited for, not timed. */
export async function settledDown(isDone: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await isDone()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nothing happened in ten seconds");
}
