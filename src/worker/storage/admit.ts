/**
 * Check and reserve in one step, in all tabs at once (A2): reads, `decide`, and the write of what it decided are one
 * transaction. The other write of an exchange is `settle.ts`; `exchange-writes.ts` opens the transaction for both.
 */
import { type Account, quietOf } from "../../policy/account";
import { decide, type Verdict } from "../../policy/decide";
import type { StoredDecision } from "../../policy/decision";
import type { PolicyRevision } from "../../policy/policy";
import { type ExchangeRecord, lostRecord, recordFor } from "../../policy/record";
import { eventOf, type Ground, isKept, knownOf } from "./ground";
import type { ReplaySession } from "./replays";
import type { WriteTx } from "./schema";
import type { AdmitAsk, Admitted, Change, LogEvent } from "./store";

/** Accounts, policies and decisions of one transaction, as they change from ask to ask. */
export interface Desk {
  readonly policies: Map<string, PolicyRevision>;
  readonly accounts: Map<string, Account>;
  readonly decisions: Map<string, StoredDecision>;
  /** Servers whose account is written back where it changed. */
  readonly kept: Set<string>;
}

interface Outcome {
  readonly verdict: Verdict;
  readonly policy: PolicyRevision;
  readonly record: ExchangeRecord | null;
  readonly decision: StoredDecision | null;
}

export interface Effects {
  readonly outcomes: Outcome[];
  readonly records: ExchangeRecord[];
  readonly events: LogEvent[];
  readonly changed: Set<string>;
}

/** What was decided, to be told once its transaction has committed; `rows` are its records as they stand. */
export interface AdmittedAll {
  readonly desk: Desk;
  readonly effects: Effects;
  readonly rows: readonly ExchangeRecord[];
}

/** After the commit: what this tab remembers of it, and what all tabs are told. */
export function afterAdmit(
  { desk, effects, rows }: AdmittedAll,
  asks: readonly AdmitAsk[],
  session: ReplaySession | null,
  ground: Ground,
): readonly Admitted[] {
  for (const [at, { verdict, decision }] of effects.outcomes.entries()) {
    if (verdict.kind === "replay") {
      ground.replays.learn(session, verdict.decision);
      ground.replays.count(verdict.decision, (asks[at] as AdmitAsk).now);
    } else if (decision !== null) {
      ground.replays.learn(session, decision);
      ground.tidy.noteDecision(decision.server);
    }
  }
  ground.tidy.noteTime(ground.now());
  tellOthers(ground, desk, effects, rows);
  return effects.outcomes.map(({ verdict, policy, record }): Admitted => {
    const row = record === null ? null : (rows.find((one) => one.id === record.id) ?? record);
    return { verdict, policy, record: row };
  });
}

/** Decides each ask on what the ones before it left, on values; `exchange-writes.ts` puts it down. */
export function decideAll(desk: Desk, asks: readonly AdmitAsk[], ground: Ground): Effects {
  const effects: Effects = { outcomes: [], records: [], events: [], changed: new Set() };
  for (const ask of asks) decideOne(desk, effects, ask, ground);
  return effects;
}

/** Three reads for one ask; all of a group's at once. */
export async function readDesk(tx: WriteTx, asks: readonly AdmitAsk[]): Promise<Desk> {
  const desk: Desk = { policies: new Map(), accounts: new Map(), decisions: new Map(), kept: new Set() };
  const reads: Promise<unknown>[] = [];
  const asked = new Set<string>();
  for (const { draft, identity, now } of asks) {
    const { server } = draft;
    if (!asked.has(server)) {
      asked.add(server);
      reads.push(
        knownOf(tx, server, now).then((known) => {
          desk.policies.set(server, known.policy);
          desk.accounts.set(server, known.account);
          if (isKept(known)) desk.kept.add(server);
        }),
      );
    }
    if (asked.has(`:${identity}`)) continue;
    asked.add(`:${identity}`);
    reads.push(
      tx
        .objectStore("decisions")
        .get([server, identity])
        .then((found) => found !== undefined && desk.decisions.set(identity, found)),
    );
  }
  await Promise.all(reads);
  return desk;
}

function decideOne(desk: Desk, effects: Effects, ask: AdmitAsk, ground: Ground): void {
  const { server } = ask.draft;
  const policy = desk.policies.get(server) as PolicyRevision;
  const account = desk.accounts.get(server) as Account;
  const verdict = decide({ ...ask, policy, account, prior: desk.decisions.get(ask.identity) ?? null });
  let record: ExchangeRecord | null = null;
  let decision: StoredDecision | null = null;
  if (verdict.kind === "replay") desk.decisions.set(ask.identity, verdict.decision);
  if (verdict.kind === "refuse" || verdict.kind === "malformed") {
    record = ground.rowOf(recordFor(ask.draft, verdict, policy, ask.now));
    effects.records.push(record);
  }
  if (verdict.kind === "refuse" && verdict.decision !== null && record !== null) {
    // Replays are counted on the row it shares, where it shares one.
    decision = { ...verdict.decision, recordId: record.id };
    desk.decisions.set(ask.identity, decision);
  }
  if ("account" in verdict) {
    desk.accounts.set(server, verdict.account);
    if (desk.kept.has(server)) effects.changed.add(server);
    effects.records.push(...verdict.orphans.map((orphan) => lostRecord(orphan, ask.now)));
    effects.events.push(...eventsOf(ask, verdict, account, ground));
  }
  effects.outcomes.push({ verdict, policy, record, decision });
}

/** What the log says of a person's answer, and of a server that fell quiet by it (K4, K6). */
function eventsOf(
  { draft, consent, now }: AdmitAsk,
  verdict: Extract<Verdict, { account: Account }>,
  before: Account,
  ground: Ground,
): readonly LogEvent[] {
  const { server } = draft;
  const events: LogEvent[] = [];
  const say = (kind: LogEvent["kind"], text: string, by: string) =>
    events.push(eventOf(ground, { at: now, server, kind, text, by }));
  if (consent?.answer === "allow_session" && verdict.kind === "admit") {
    say("consent_given", `${server} may sample for this session, up to the ceiling that was shown`, consent.by);
  }
  if (consent?.answer === "deny_and_mute" && verdict.kind === "refuse" && verdict.refusal.reason === "user.denied") {
    say("muted", `${server} is muted until its window ends`, consent.by);
  }
  const quiet = quietOf(verdict.account, now);
  if (quiet !== null && quietOf(before, now) === null) say("quiet", quietText(server, quiet), "");
  return events;
}

export function quietText(server: string, quiet: "denials" | "silence"): string {
  const why = quiet === "denials" ? "denied three times" : "left unanswered three times";
  return `${server} was ${why} in this window and shows no more dialogs in it`;
}

function tellOthers(ground: Ground, desk: Desk, effects: Effects, rows: readonly ExchangeRecord[]): void {
  const changes: Change[] = [];
  for (const [server, account] of desk.accounts) {
    ground.latest.set(server, { account, policy: desk.policies.get(server) as PolicyRevision });
    if (effects.changed.has(server)) changes.push({ kind: "account", server });
  }
  if (rows.length > 0) changes.push({ kind: "records", ids: [...new Set(rows.map((row) => row.id))] });
  if (effects.events.length > 0) changes.push({ kind: "events" });
  if (changes.length > 0) ground.witnessSoon();
  ground.changes.announce(...changes);
}
