/**
 * One server's mutable state and the arithmetic on it: reserve, settle, release, expire, on values.
 * Time is an argument everywhere; nothing here reads a clock (SPEC M, G, K, R).
 */
import { wholeUp } from "./money";
import type { BudgetWindow, Policy, Scope } from "./policy";
import type { ManifestEntry, RecordDraft } from "./record";
import { wasSetBack, windowOf } from "./window";

/** What one admitted request will do, fixed when it was decided. */
export interface Plan {
  readonly exchangeId: string;
  readonly server: string;
  readonly policyRevision: number;
  readonly model: string;
  readonly provider: string;
  readonly hints: readonly string[];
  /** True where hints were given and the model that runs matches none of them (W6). */
  readonly hintIgnored: boolean;
  readonly scopeAsked: Scope;
  readonly scopeGranted: Scope;
  readonly maxTokensAsked: number;
  readonly maxTokensGranted: number;
  readonly manifest: readonly ManifestEntry[];
  readonly inputTokens: number;
  readonly estimateMicros: number;
  readonly deadlineMs: number;
  readonly pricesAsOf: string;
  readonly grantIds: readonly string[];
  readonly consentId: string | null;
  readonly fellBackFrom: readonly string[];
}

/** Money and one concurrency slot reserved for one exchange; closed once (M3, M4). */
export interface Hold {
  readonly exchangeId: string;
  readonly amountMicros: number;
  readonly heldAt: number;
  /** When the provider call was allowed to start; null while it waits for consent. */
  readonly dispatchedAt: number | null;
  /** Past this the holder is dead: charged if dispatched, else released. */
  readonly expiresAt: number;
  readonly plan: Plan;
  readonly draft: RecordDraft;
}

/** A hold that was closed without its holder, to be written as a `lost` record. */
export interface OrphanedHold {
  readonly hold: Hold;
  readonly chargedMicros: number;
}

export type GrantKind = "usd" | "requests";

export interface Grant {
  readonly id: string;
  readonly server: string;
  readonly kind: GrantKind;
  /** µ$ for `usd`; requests for `requests`. */
  readonly amount: number;
  /** Of a `requests` grant: how many are left. Equals `amount` for `usd`. */
  readonly left: number;
  readonly grantedAt: number;
  readonly expiresAt: number;
  readonly grantedBy: string;
  /** Record the raise was offered on. */
  readonly recordId: string;
}

/** What a person agreed to (K1). */
export interface Consent {
  readonly id: string;
  readonly kind: "session" | "once";
  /** Of a `once`: the identity it serves. */
  readonly identity: string | null;
  readonly model: string;
  readonly scope: Scope;
  readonly ceilingMicros: number;
  readonly usedMicros: number;
  readonly policyRevision: number;
  readonly givenAt: number;
  readonly expiresAt: number;
  readonly givenBy: string;
}

export interface Account {
  readonly server: string;
  readonly window: BudgetWindow;
  readonly windowStartAt: number;
  readonly settledMicros: number;
  /** Requests settled in this window, for the mean cost (G2). */
  readonly settledCount: number;
  readonly holds: readonly Hold[];
  readonly bucket: { readonly tokens: number; readonly refilledAt: number };
  /** Slots already promised to throttled requests (A8), epoch ms of the last one; 0 for none. */
  readonly ratePromisedAt: number;
  readonly concurrencyPromisedAt: number;
  readonly grants: readonly Grant[];
  readonly consents: readonly Consent[];
  /** Denied and unanswered dialogs of this window (K6). */
  readonly denials: number;
  readonly silences: number;
  readonly mutedUntilAt: number | null;
  /** Window in which the budget notice with its raise was already shown (E); null for none. */
  readonly budgetNoticedWindowAt: number | null;
  /** The latest instant this account has seen; a clock set back does not go before it (M5). */
  readonly latestAt: number;
}

/** Denied or unanswered dialogs in one window after which no more are shown (K6). */
const QUIET_AFTER = 3;

/** A server's first account: an empty window, a full bucket. */
export function newAccount(server: string, policy: Policy, now: number): Account {
  return {
    server,
    window: policy.budget.window,
    windowStartAt: windowOf(policy.budget.window, now).startAt,
    settledMicros: 0,
    settledCount: 0,
    holds: [],
    bucket: { tokens: policy.rateLimit.burst, refilledAt: now },
    ratePromisedAt: 0,
    concurrencyPromisedAt: 0,
    grants: [],
    consents: [],
    denials: 0,
    silences: 0,
    mutedUntilAt: null,
    budgetNoticedWindowAt: null,
    latestAt: now,
  };
}

/** When the account's present window ends. */
export function resetsAtOf(account: Account): number {
  return windowOf(account.window, account.windowStartAt).resetsAt;
}

/**
 * The account as it stands at `now`: a new window begun if the old one is over, what expired is gone. The instant that
 * counts is the latest one the account has seen, so a clock set back neither reopens nor resets a window (M5).
 */
export function turned(account: Account, now: number): Account {
  const latestAt = Math.max(account.latestAt, now);
  const { startAt } = windowOf(account.window, latestAt);
  const lapsed = startAt > account.windowStartAt;
  const live = (one: { readonly expiresAt: number }) => one.expiresAt > latestAt;
  return {
    ...account,
    latestAt,
    ...(lapsed ? { windowStartAt: startAt, settledMicros: 0, settledCount: 0, denials: 0, silences: 0 } : {}),
    grants: account.grants.every(live) ? account.grants : account.grants.filter(live),
    consents: account.consents.every(live) ? account.consents : account.consents.filter(live),
    mutedUntilAt: account.mutedUntilAt !== null && account.mutedUntilAt > latestAt ? account.mutedUntilAt : null,
  };
}

/**
 * The account as it stands at `now` under a policy whose window may have been edited since. Spending is forgotten only
 * where both the window it was made in and the one it would count in now are over.
 */
export function accountAt(account: Account, policy: Policy, now: number): Account {
  const { startAt } = windowOf(account.window, Math.max(account.latestAt, now));
  const lapsed = startAt > account.windowStartAt;
  return lapsed ? turned(inWindowOf(account, policy), now) : inWindowOf(turned(account, now), policy);
}

/**
 * The account in the window the policy names now. What was spent in the window it leaves stays counted in the one it
 * enters, and no grant outlives the new window (G2): an edit never gives a server money.
 */
function inWindowOf(account: Account, policy: Policy): Account {
  const { window } = policy.budget;
  if (account.window === window) return account;
  const { startAt, resetsAt } = windowOf(window, account.latestAt);
  const noticed = account.budgetNoticedWindowAt === account.windowStartAt;
  return {
    ...account,
    window,
    windowStartAt: startAt,
    budgetNoticedWindowAt: noticed ? startAt : account.budgetNoticedWindowAt,
    grants: account.grants.map((grant) => ({ ...grant, expiresAt: Math.min(grant.expiresAt, resetsAt) })),
  };
}

/**
 * Turns the window and closes the holds of dead tabs: charged in full where the call was dispatched, else released
 * (M4). What they are charged counts on the consent they relied on; the caller need not call `useConsent` for them.
 * An edit of the policy calls this with the new one, so that what was spent moves into the new window at once.
 */
export function closeExpired(
  account: Account,
  policy: Policy,
  now: number,
): { readonly account: Account; readonly orphans: readonly OrphanedHold[] } {
  let current = accountAt(account, policy, now);
  const orphans: OrphanedHold[] = [];
  // A hold's time runs by the clock that set it: `latestAt` would end it at once after a clock was set back.
  current = { ...current, holds: current.holds.map((hold) => inTime(hold, now)) };
  for (const hold of current.holds.filter((one) => !(one.expiresAt > now))) {
    const chargedMicros = hold.dispatchedAt === null ? 0 : hold.amountMicros;
    current = hold.dispatchedAt === null ? without(current, hold) : charged(without(current, hold), chargedMicros);
    if (hold.plan.consentId !== null) current = useConsent(current, hold.plan.consentId, chargedMicros);
    orphans.push({ hold, chargedMicros });
  }
  return { account: current, orphans };
}

/** Whether `closeExpired` would change this hold. */
export function isDue(hold: Hold, now: number): boolean {
  return !(hold.expiresAt > now) || wasSetBack(hold.heldAt, now);
}

/** Made before the clock was set back, it has its whole time once more, and not until the old time comes round again. */
function inTime(hold: Hold, now: number): Hold {
  if (!wasSetBack(hold.heldAt, now)) return hold;
  return { ...hold, heldAt: now, expiresAt: now + hold.expiresAt - hold.heldAt };
}

/**
 * Closes a hold at what its call cost. Null where it was closed before: nothing is charged twice (M4). What exceeds
 * the hold is an overrun, charged all the same (M6).
 */
export function settleHold(
  account: Account,
  exchangeId: string,
  chargeMicros: number,
  now: number,
): { readonly account: Account; readonly hold: Hold; readonly overrunMicros: number } | null {
  const hold = holdOf(account, exchangeId);
  if (hold === null) return null;
  const charge = wholeUp(chargeMicros);
  const settled = charged(without(turned(account, now), hold), charge);
  return { account: settled, hold, overrunMicros: Math.max(0, charge - hold.amountMicros) };
}

/** Closes a hold whose call provably never left (M3). Null where it was closed before. */
export function releaseHold(
  account: Account,
  exchangeId: string,
): { readonly account: Account; readonly hold: Hold } | null {
  const hold = holdOf(account, exchangeId);
  return hold === null ? null : { account: without(account, hold), hold };
}

export function holdOf(account: Account, exchangeId: string): Hold | null {
  return account.holds.find((hold) => hold.exchangeId === exchangeId) ?? null;
}

function without(account: Account, hold: Hold): Account {
  return { ...account, holds: account.holds.filter((one) => one.exchangeId !== hold.exchangeId) };
}

/**
 * Gives back what tabs that are gone held for calls that were never started: no outcome is left to wait for (M4).
 * Calls that were started keep their hold until it expires.
 */
export function closeAbandoned(
  account: Account,
  liveTabs: ReadonlySet<string>,
): { readonly account: Account; readonly orphans: readonly OrphanedHold[] } {
  const gone = (hold: Hold) =>
    hold.dispatchedAt === null && hold.draft.tab !== undefined && !liveTabs.has(hold.draft.tab);
  return {
    account: { ...account, holds: account.holds.filter((hold) => !gone(hold)) },
    orphans: account.holds.filter(gone).map((hold) => ({ hold, chargedMicros: 0 })),
  };
}

function charged(account: Account, micros: number): Account {
  return {
    ...account,
    settledMicros: wholeUp(account.settledMicros + micros),
    settledCount: account.settledCount + 1,
  };
}

/** Money reserved for exchanges that are still open, µ$. */
export function heldMicros(account: Account): number {
  return account.holds.reduce((sum, hold) => wholeUp(sum + hold.amountMicros), 0);
}

/**
 * Adds a raise. A raised limit is a new fact: promises made to throttled requests under the old one are void, and
 * reaching the new one is worth a full notice again.
 */
export function addGrant(account: Account, grant: Grant, now: number): Account {
  const current = turned(account, now);
  const expiresAt = Math.min(grant.expiresAt, resetsAtOf(current));
  const grants = [...current.grants, { ...grant, expiresAt }];
  if (grant.kind === "usd") return { ...current, grants, budgetNoticedWindowAt: null };
  return { ...current, grants, ratePromisedAt: 0 };
}

/**
 * A raise says yes to that much more money: session consents that reached as far as the budget now reach as far as the
 * raised one. Not for a policy that sets a consent ceiling of its own.
 */
export function widenConsents(account: Account, micros: number): Account {
  const wider = (one: Consent) =>
    one.kind === "session" ? { ...one, ceilingMicros: wholeUp(one.ceilingMicros + micros) } : one;
  return { ...account, consents: account.consents.map(wider) };
}

/** Dollar grants of a turned account, µ$: by how much they extend the cap (M2). */
export function grantedMicros(account: Account): number {
  return account.grants.reduce((sum, grant) => (grant.kind === "usd" ? wholeUp(sum + grant.amount) : sum), 0);
}

export function addConsent(account: Account, consent: Consent): Account {
  return { ...account, consents: [...account.consents, consent] };
}

/** Counts a charge against what a consent covers; a consent that is gone has nothing to count on. */
export function useConsent(account: Account, consentId: string, micros: number): Account {
  const consents = account.consents.map((consent) =>
    consent.id === consentId ? { ...consent, usedMicros: wholeUp(consent.usedMicros + micros) } : consent,
  );
  return { ...account, consents };
}

/** A dialog went unanswered (K5). */
export function noteSilence(account: Account, now: number): Account {
  const current = turned(account, now);
  return { ...current, silences: current.silences + 1 };
}

/** A person said no; with `mute`, also to whatever the server asks until the window ends (K4). */
export function noteDenial(account: Account, mute: boolean, now: number): Account {
  const current = turned(account, now);
  const mutedUntilAt = mute ? resetsAtOf(current) : current.mutedUntilAt;
  return { ...current, denials: current.denials + 1, mutedUntilAt };
}

/** Lifts quiet and mute (the chip, K6). */
export function listenAgain(account: Account): Account {
  return { ...account, denials: 0, silences: 0, mutedUntilAt: null };
}

/** Why no more dialogs of this server are shown in this window; null while they are (K6). */
export function quietOf(account: Account, now: number): "denials" | "silence" | null {
  const { denials, silences } = turned(account, now);
  if (denials + silences < QUIET_AFTER) return null;
  return denials >= silences ? "denials" : "silence";
}
