/** What stands in the database, read past the app: accounts, records, decisions, and sums to compare them by. */
import type { Page } from "@playwright/test";
import type { Account } from "../../src/policy/account";
import type { StoredDecision } from "../../src/policy/decision";
import type { ExchangeRecord } from "../../src/policy/record";

export interface Ledger {
  readonly account: Account;
  readonly records: readonly ExchangeRecord[];
  readonly decisions: readonly StoredDecision[];
  /** Of the sums by day. */
  readonly days: { readonly chargedMicros: number };
}

/** All of one server's rows, of one moment. */
export function ledgerOf(page: Page, server: string): Promise<Ledger> {
  return page.evaluate(async (name) => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const db = await done(indexedDB.open("purser"));
    const tx = db.transaction(["accounts", "records", "decisions", "days"]);
    const [account, records, decisions, days] = await Promise.all([
      done(tx.objectStore("accounts").get(name)),
      done(tx.objectStore("records").getAll()),
      done(tx.objectStore("decisions").getAll()),
      done(tx.objectStore("days").getAll()),
    ]);
    db.close();
    const own = (rows: { server: string }[]) => rows.filter((row) => row.server === name) as never[];
    const chargedMicros = (own(days) as { chargedMicros: number }[]).reduce((sum, day) => sum + day.chargedMicros, 0);
    return { account, records: own(records), decisions: own(decisions), days: { chargedMicros } };
  }, server);
}

export function sumOf(records: readonly ExchangeRecord[]): number {
  return records.reduce((sum, record) => sum + record.chargedMicros, 0);
}

/** The most an account ever showed while it was watched. */
export interface Peaks {
  micros: number;
  slots: number;
  tokens: number;
  looks: number;
}

const PEAKS = "test:peaks";

/** Looks at an account again and again, from a page, until `peaksOf` is called. */
export function watchAccount(page: Page, server: string): Promise<void> {
  return page.evaluate(
    async ([name, key]) => {
      const open = indexedDB.open("purser");
      await new Promise((resolve) => open.addEventListener("success", resolve));
      const peaks = { micros: 0, slots: 0, tokens: 0, looks: 0 };
      const look = () => {
        const request = open.result.transaction("accounts").objectStore("accounts").get(name);
        request.onsuccess = () => {
          const account = request.result as Account | undefined;
          if (account !== undefined) {
            const held = account.holds.reduce((sum, hold) => sum + hold.amountMicros, 0);
            peaks.micros = Math.max(peaks.micros, account.settledMicros + held);
            peaks.slots = Math.max(peaks.slots, account.holds.length);
            peaks.tokens = Math.max(peaks.tokens, account.bucket.tokens);
            peaks.looks += 1;
          }
        };
      };
      const timer = setInterval(look, 5);
      const stop = () => {
        clearInterval(timer);
        open.result.close();
        return peaks;
      };
      (globalThis as unknown as Record<string, () => Peaks>)[key] = stop;
    },
    [server, PEAKS] as const,
  );
}

export function peaksOf(page: Page): Promise<Peaks> {
  return page.evaluate((key) => (globalThis as unknown as Record<string, () => Peaks>)[key]?.() as Peaks, PEAKS);
}
