/** What an attack left behind: the account, records and decisions as they are stored, and what was seen meanwhile. */
import { test } from "@playwright/test";
import type { Purser } from "../purser";

export interface Entry {
  readonly id: string;
  readonly identity: string;
  readonly ending: string;
  readonly reason: string | null;
  readonly because: string;
  readonly dispatchedAt: number | null;
  readonly scopeAsked: string;
  readonly scopeGranted: string | null;
  readonly chargedMicros: number;
  readonly consentId: string | null;
  readonly answeredBy: string | null;
  readonly represented: number;
  readonly count: number;
}

export interface Books {
  readonly settledMicros: number;
  readonly heldMicros: number;
  readonly holds: number;
  readonly denials: number;
  readonly grants: number;
  readonly consents: number;
  readonly records: readonly Entry[];
  readonly decisions: number;
  readonly loopAlerts: number;
}

/** Reads one server's books from the store of the tab's browser, as any other tab would. */
export function booksOf({ page }: Purser, server: string): Promise<Books> {
  return page.evaluate(async (name) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open("purser");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error ?? new Error("not opened"));
    });
    const all = <T>(store: string) =>
      new Promise<readonly (T & { readonly server: string })[]>((resolve, reject) => {
        const reading = database.transaction(store).objectStore(store).getAll();
        reading.onsuccess = () => resolve(reading.result.filter((row: { server: string }) => row.server === name));
        reading.onerror = () => reject(reading.error ?? new Error("not read"));
      });
    interface Account {
      readonly settledMicros: number;
      readonly holds: readonly { readonly amountMicros: number }[];
      readonly denials: number;
      readonly grants: readonly unknown[];
      readonly consents: readonly unknown[];
    }
    const [account] = await all<Account>("accounts");
    const events = await all<{ readonly kind: string }>("events");
    const books = {
      settledMicros: account?.settledMicros ?? 0,
      heldMicros: (account?.holds ?? []).reduce((sum, hold) => sum + hold.amountMicros, 0),
      holds: account?.holds.length ?? 0,
      denials: account?.denials ?? 0,
      grants: account?.grants.length ?? 0,
      consents: account?.consents.length ?? 0,
      records: (await all<Entry>("records")) as readonly Entry[],
      decisions: (await all("decisions")).length,
      loopAlerts: events.filter(({ kind }) => kind === "loop_alert").length,
    };
    database.close();
    return books;
  }, server);
}

/** How many consent dialogs came up in this tab from now on; reads the page as it changes. */
export async function countDialogs({ page }: Purser): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    let shown = 0;
    let open: readonly Element[] = [];
    const look = () => {
      const now = [...document.querySelectorAll("[role=alertdialog]")];
      shown += now.filter((one) => !open.includes(one)).length;
      open = now;
      document.body.dataset.dialogs = String(shown);
    };
    look();
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => Number(document.body.dataset.dialogs));
}

/**
 * Watches one account while requests race for it: the most of `settled + held` that was ever committed, in µ$. Every
 * state another tab could read counts, not only the last (M6).
 */
export async function watchAccount({ page }: Purser, server: string): Promise<() => Promise<number>> {
  await page.evaluate(async (name) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open("purser");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error ?? new Error("not opened"));
    });
    let most = 0;
    const look = () => {
      if (document.body.dataset.most === "stop") return database.close();
      const reading = database.transaction("accounts").objectStore("accounts").get(name);
      reading.onsuccess = () => {
        const account = reading.result as
          | { readonly settledMicros: number; readonly holds: readonly { readonly amountMicros: number }[] }
          | undefined;
        const held = (account?.holds ?? []).reduce((sum, hold) => sum + hold.amountMicros, 0);
        most = Math.max(most, (account?.settledMicros ?? 0) + held);
        if (document.body.dataset.most !== "stop") document.body.dataset.most = String(most);
        setTimeout(look, 3);
      };
    };
    look();
  }, server);
  return () =>
    page.evaluate(() => {
      const most = Number(document.body.dataset.most);
      document.body.dataset.most = "stop";
      return most;
    });
}

export interface Figures {
  readonly scenario: string;
  readonly sent: number;
  readonly answers: number;
  readonly completions: number;
  readonly records: number;
  readonly calls: number;
  readonly dialogs: number;
}

/** Puts a row of the README's table beside the test's result. */
export function tell({ scenario, sent, answers, completions, records, calls, dialogs }: Figures): void {
  const cells = [scenario, sent, answers, completions, records, calls, dialogs];
  const description = `| ${cells.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en-US") : cell)).join(" | ")} |`;
  test.info().annotations.push({ type: "figures", description });
}
