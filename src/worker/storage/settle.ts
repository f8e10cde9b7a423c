/**
 * Closes a hold, once, in one transaction with its record (M3, M4). The other write of an exchange; it may follow the
 * reply, since the hold covers it (A7).
 */
import { type Account, quietOf, releaseHold, settleHold, useConsent } from "../../policy/account";
import { dollars, wholeUp } from "../../policy/money";
import type { PolicyRevision } from "../../policy/policy";
import type { ExchangeRecord } from "../../policy/record";
import { quietText } from "./admit";
import { contractOf, eventOf, type Ground } from "./ground";
import { readDays } from "./ledger";
import type { ReplaySession } from "./replays";
import type { WriteTx } from "./schema";
import type { Change, LogEvent, Settled, Settlement } from "./store";

interface Closed {
  readonly account: Account;
  readonly record: ExchangeRecord;
}

const ALREADY_CLOSED = { outcome: "already_closed" } as const;

/** What was closed, to be told once its transaction has committed. */
export type SettledAll = ReturnType<typeof closeAll>;

/** After the commit: what this tab remembers of it, and what all tabs are told. */
export function afterSettle(
  { accounts, closed, records, events, kept }: SettledAll,
  session: ReplaySession | null,
  ground: Ground,
): readonly Settled[] {
  for (const { decision } of kept) {
    if (decision === null) continue;
    ground.replays.learn(session, decision);
    ground.tidy.noteDecision(decision.server);
  }
  for (const account of accounts.values()) ground.latest.setAccount(account);
  const changes: Change[] = [...accounts.keys()].map((server) => ({ kind: "account", server }));
  if (records.length > 0) changes.push({ kind: "records", ids: records.map((record) => record.id) });
  if (events.length > 0) changes.push({ kind: "events" });
  ground.changes.announce(...changes);
  ground.witnessSoon();
  return closed.map((one) => (one === null ? ALREADY_CLOSED : { outcome: "settled", record: one.record }));
}

/** What settling needs to have read. */
export type SettleReads = Awaited<ReturnType<typeof readForSettle>>;

/** Closes what is open, on values; `exchange-writes.ts` puts it down. */
export function closeAll({ accounts, policies }: SettleReads, settlements: readonly Settlement[], ground: Ground) {
  const touched = new Map<string, Account>();
  const closed: (Closed | null)[] = [];
  const events: LogEvent[] = [];
  const kept: Settlement[] = [];
  for (const settlement of settlements) {
    const before = touched.get(settlement.server) ?? accounts.get(settlement.server);
    const one = before === undefined ? null : close(before, settlement);
    closed.push(one);
    // Its frame leaves whoever closed the hold (A7). One made under a policy that was edited meanwhile is dropped (P3).
    const revision = policies.get(settlement.server)?.revision;
    if (settlement.decision !== null && settlement.decision.policyRevision === revision) kept.push(settlement);
    if (one === null || before === undefined) continue;
    touched.set(settlement.server, one.account);
    events.push(...eventsOf(settlement, one, before, ground));
  }
  const records = closed.filter((one) => one !== null).map((one) => one.record);
  return { accounts: touched, closed, records, events, kept };
}

/** One account a server, and the days their records will count in. */
export async function readForSettle(tx: WriteTx, settlements: readonly Settlement[]) {
  const servers = new Set(settlements.map((one) => one.server));
  const remembering = new Set(settlements.filter((one) => one.decision !== null).map((one) => one.server));
  const [accounts, policies, days] = await Promise.all([
    Promise.all([...servers].map((server) => tx.objectStore("accounts").get(server))),
    Promise.all([...remembering].map((server) => contractOf(tx, server))),
    readDays(
      tx,
      settlements.map((one) => one.record),
    ),
  ]);
  return {
    accounts: new Map(accounts.filter((one) => one !== undefined).map((one): [string, Account] => [one.server, one])),
    policies: new Map(policies.map((one): [string, PolicyRevision] => [one.server, one])),
    days,
  };
}

/** Null where the hold was closed before: nothing is charged, counted or written again. */
function close(account: Account, settlement: Settlement): Closed | null {
  const { exchangeId, charge, record, consentId, now } = settlement;
  const micros = charge.basis === "none" ? 0 : wholeUp(charge.micros);
  const settled = charge.basis === "none" ? null : settleHold(account, exchangeId, micros, now);
  const ended = charge.basis === "none" ? releaseHold(account, exchangeId) : settled;
  if (ended === null) return null;
  let after = ended.account;
  if (consentId !== null && micros > 0) after = useConsent(after, consentId, micros);
  return {
    account: after,
    record: {
      ...record,
      chargedMicros: micros,
      chargeBasis: charge.basis,
      usage: charge.basis === "reported" ? charge.usage : record.usage,
      overrunMicros: settled?.overrunMicros ?? 0,
    },
  };
}

function eventsOf(settlement: Settlement, closed: Closed, before: Account, ground: Ground): readonly LogEvent[] {
  const { server, now } = settlement;
  const events: LogEvent[] = [];
  const { overrunMicros } = closed.record;
  if (overrunMicros > 0) {
    const text = `The provider reported ${dollars(overrunMicros)} more than was held for a request of ${server}`;
    events.push(eventOf(ground, { at: now, server, kind: "overrun", text, by: "" }));
  }
  const quiet = quietOf(closed.account, now);
  if (quiet !== null && quietOf(before, now) === null) {
    events.push(eventOf(ground, { at: now, server, kind: "quiet", text: quietText(server, quiet), by: "" }));
  }
  return events;
}
