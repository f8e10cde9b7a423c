/**
 * M6 and "closed once" against a ledger of our own: random interleavings of arrivals, answers, settles, crashes,
 * window turns, raises, clock steps and policy edits. The ledger counts what each exchange reserved and was charged;
 * it shares no arithmetic with the account but the alignment of windows, which has its own test.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Account, addGrant, closeExpired, type OrphanedHold, releaseHold, settleHold } from "./account";
import {
  aConsent,
  aDraft,
  aGrant,
  anAccount,
  anInput,
  aPolicy,
  aRequest,
  aRevision,
  CATALOG,
  NOW,
} from "./cases/given";
import { type ConsentAnswer, decide } from "./decide";
import type { BudgetWindow, PolicyRevision } from "./policy";
import { windowOf } from "./window";

type Op =
  | { readonly op: "arrive"; readonly inputTokens: number; readonly maxTokens: number }
  | { readonly op: "answer"; readonly which: number; readonly yes: boolean }
  | { readonly op: "settle"; readonly which: number; readonly percent: number }
  | { readonly op: "release" | "fall_back"; readonly which: number }
  | { readonly op: "recover" }
  | { readonly op: "step"; readonly ms: number }
  | { readonly op: "grant"; readonly micros: number }
  | { readonly op: "edit"; readonly capMicros: number; readonly window: BudgetWindow };

interface Entry {
  readonly id: string;
  reserved: number;
  dispatched: boolean;
  /** What it was charged when it was closed; null while open. */
  closedAt: number | null;
}

const which = fc.nat({ max: 5 });
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("arrive" as const),
      inputTokens: fc.nat({ max: 8_500 }),
      maxTokens: fc.integer({ min: 1, max: 2_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("answer" as const), which, yes: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("settle" as const), which, percent: fc.nat({ max: 150 }) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constantFrom("release" as const, "fall_back" as const), which }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("recover" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("step" as const),
      ms: fc.oneof(fc.nat({ max: 60_000 }), fc.nat({ max: 90_000_000 }), fc.integer({ min: -7_200_000, max: 0 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("grant" as const), micros: fc.nat({ max: 60_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("edit" as const),
      capMicros: fc.nat({ max: 200_000 }),
      window: fc.constantFrom<BudgetWindow>("1h", "24h", "7d"),
    }),
  },
);

/** The world: the engine's account beside the ledger. */
class World {
  now = NOW;
  latestAt = NOW;
  policy: PolicyRevision = revised(100_000, "24h", 1);
  account: Account = anAccount(this.policy.policy, { latestAt: NOW });
  readonly ledger = new Map<string, Entry>();
  windowStartAt = windowOf("24h", NOW).startAt;
  settled = 0;
  overrun = 0;
  admitted = 0;
  grants: { readonly micros: number; expiresAt: number }[] = [];
  private count = 0;

  /** The window as the ledger sees it: forward only. */
  private tick(): void {
    this.latestAt = Math.max(this.latestAt, this.now);
    const { startAt } = windowOf(this.policy.policy.budget.window, this.latestAt);
    if (startAt > this.windowStartAt) {
      this.windowStartAt = startAt;
      this.settled = 0;
    }
    this.grants = this.grants.filter((grant) => grant.expiresAt > this.latestAt);
  }

  private close(id: string, charge: number): void {
    const entry = this.ledger.get(id);
    expect(entry?.closedAt, `${id} was closed twice`).toBeNull();
    if (entry !== undefined) entry.closedAt = charge;
    this.settled += charge;
  }

  private closeOrphans(orphans: readonly OrphanedHold[]): void {
    for (const { hold, chargedMicros } of orphans) {
      const entry = this.ledger.get(hold.exchangeId);
      expect(chargedMicros).toBe(entry?.dispatched ? entry.reserved : 0);
      this.close(hold.exchangeId, chargedMicros);
    }
  }

  private held(): number {
    return [...this.ledger.values()].reduce((sum, one) => sum + (one.closedAt === null ? one.reserved : 0), 0);
  }

  private limit(): number {
    return this.policy.policy.budget.capMicros + this.grants.reduce((sum, grant) => sum + grant.micros, 0);
  }

  private open(at: number): Entry | undefined {
    return [...this.ledger.values()].filter((one) => one.closedAt === null)[at];
  }

  private judge(
    id: string,
    inputTokens: number,
    maxTokens: number,
    consent: ConsentAnswer | null,
    tried: string[],
  ): void {
    this.tick();
    const model = tried.length === 0 ? "steady" : "claude-haiku-4-5";
    const bucket = { tokens: 40, refilledAt: this.now };
    const verdict = decide(
      anInput({
        draft: aDraft({ id }),
        request: { ok: true, value: aRequest({ maxTokens }) },
        policy: this.policy,
        account: { ...this.account, bucket, denials: 0, consents: [] },
        measured: { model, scope: "none", inputTokens, manifest: [] },
        catalog: CATALOG,
        consent,
        tried,
        now: this.now,
      }),
    );
    if (!("account" in verdict)) throw new Error(verdict.kind);
    this.account = verdict.account;
    // Whatever is answered, the exchange's own earlier hold is replaced or given back, and dead ones are charged.
    const own = this.ledger.get(id);
    if (own !== undefined) own.reserved = 0;
    this.closeOrphans(verdict.orphans);
    if (verdict.kind === "refuse") {
      if (own !== undefined) this.close(id, 0);
      return;
    }
    const plan = verdict.kind === "ask" ? verdict.terms.plan : verdict.plan;
    this.ledger.set(id, { id, reserved: plan.estimateMicros, dispatched: verdict.kind === "admit", closedAt: null });
    this.admitted += 1;
    expect(this.settled + this.held(), "reserved beyond cap and raises").toBeLessThanOrEqual(this.limit());
    expect(this.account.holds.length).toBeLessThanOrEqual(this.policy.policy.maxConcurrent);
  }

  apply(next: Op): void {
    switch (next.op) {
      case "arrive":
        this.count += 1;
        return this.judge(`ex-${this.count}`, next.inputTokens, next.maxTokens, null, []);
      case "answer": {
        const entry = this.open(next.which);
        if (entry === undefined || entry.dispatched) return;
        const { plan } = this.account.holds.find((hold) => hold.exchangeId === entry.id) ?? { plan: null };
        const answer: ConsentAnswer = next.yes
          ? { answer: "allow_once", consentId: `yes-${entry.id}`, by: "Robin" }
          : { answer: "deny", by: "Robin" };
        return this.judge(entry.id, plan?.inputTokens ?? 0, plan?.maxTokensAsked ?? 1, answer, []);
      }
      case "fall_back": {
        const entry = this.open(next.which);
        if (entry === undefined || !entry.dispatched) return;
        return this.judge(entry.id, 1_000, 100, null, ["steady"]);
      }
      case "settle":
        return this.settle(next.which, next.percent);
      case "release": {
        const entry = this.open(next.which);
        if (entry === undefined) return;
        this.account = releaseHold(this.account, entry.id)?.account ?? this.account;
        return this.close(entry.id, 0);
      }
      case "recover": {
        this.tick();
        const { account, orphans } = closeExpired(this.account, this.policy.policy, this.now);
        this.account = account;
        return this.closeOrphans(orphans);
      }
      case "step":
        this.now += next.ms;
        return;
      case "grant": {
        this.tick();
        const { resetsAt } = windowOf(this.policy.policy.budget.window, this.windowStartAt);
        this.account = addGrant(this.account, aGrant({ amount: next.micros, expiresAt: resetsAt }), this.now);
        this.grants.push({ micros: next.micros, expiresAt: resetsAt });
        return;
      }
      case "edit":
        return this.edit(next.capMicros, next.window);
    }
  }

  private settle(at: number, percent: number): void {
    const entry = this.open(at);
    if (entry === undefined) return;
    this.tick();
    const charge = Math.ceil((entry.reserved * percent) / 100);
    const before = Math.max(0, this.settled + this.held() - this.limit());
    const settled = settleHold(this.account, entry.id, charge, this.now);
    expect(settled?.overrunMicros).toBe(Math.max(0, charge - entry.reserved));
    this.account = settled?.account ?? this.account;
    this.close(entry.id, charge);
    const excess = this.settled + this.held() - this.limit();
    expect(excess, "a settle exceeds by more than its overrun").toBeLessThanOrEqual(
      before + (settled?.overrunMicros ?? 0),
    );
    // A second settle, the retry of a transaction or a dead tab's late answer, finds nothing to charge.
    expect(settleHold(this.account, entry.id, charge, this.now)).toBeNull();
  }

  /** Spending moves along unless it lies before the new window as well as in an old one that is over. */
  private edit(capMicros: number, window: BudgetWindow): void {
    const seenAt = this.latestAt;
    const lapsed = windowOf(this.policy.policy.budget.window, Math.max(seenAt, this.now)).startAt > this.windowStartAt;
    this.policy = revised(capMicros, window, this.policy.revision + 1);
    this.windowStartAt = lapsed ? windowOf(window, seenAt).startAt : Number.POSITIVE_INFINITY;
    this.tick();
    const { startAt, resetsAt } = windowOf(window, this.latestAt);
    this.windowStartAt = startAt;
    for (const grant of this.grants) grant.expiresAt = Math.min(grant.expiresAt, resetsAt);
    const { account, orphans } = closeExpired(this.account, this.policy.policy, this.now);
    this.account = account;
    this.closeOrphans(orphans);
  }

  /** The account's holds are the ledger's open entries. Compared as text: it runs a few hundred thousand times. */
  check(): void {
    const open = [...this.ledger.values()].filter((one) => one.closedAt === null);
    const ours = open.map((one) => `${one.id} ${one.reserved}`).sort();
    const theirs = this.account.holds.map((hold) => `${hold.exchangeId} ${hold.amountMicros}`).sort();
    if (ours.join() !== theirs.join()) expect(theirs).toEqual(ours);
  }

  end(): void {
    this.now = Math.max(this.now, this.latestAt) + 1_000_000;
    this.apply({ op: "recover" });
    expect(this.account.holds).toEqual([]);
    for (const entry of this.ledger.values()) expect(entry.closedAt, `${entry.id} was never closed`).not.toBeNull();
    expect(this.account.settledMicros, "what the window was charged").toBe(this.settled);
  }
}

function revised(capMicros: number, window: BudgetWindow, revision: number): PolicyRevision {
  const models = ["steady", "claude-haiku-4-5"];
  return aRevision(
    aPolicy({ models, budget: { window, capMicros }, consent: "per_request", maxConcurrent: 4 }),
    revision,
  );
}

test("[M6][M4] no interleaving exceeds the budget but by overruns, and every hold is closed once", {
  timeout: 120_000,
}, () => {
  let [runs, admitted] = [0, 0];
  fc.assert(
    fc.property(fc.array(op, { minLength: 5, maxLength: 30 }), (ops) => {
      const world = new World();
      for (const next of ops) {
        world.apply(next);
        world.check();
      }
      world.end();
      runs += 1;
      admitted += world.admitted;
    }),
    { numRuns: 10_000 },
  );
  expect(admitted, "hardly anything was admitted").toBeGreaterThan(runs);
});

test("[K1] no interleaving takes more from a consent than its ceiling but by overruns", { timeout: 60_000 }, () => {
  const requests = fc.array(fc.record({ inputTokens: fc.nat({ max: 8_000 }), settle: fc.boolean() }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(requests, fc.nat({ max: 100_000 }), (arrivals, ceilingMicros) => {
      const policy = aRevision(aPolicy({ maxConcurrent: 100 }));
      let account = anAccount(policy.policy, { consents: [aConsent({ ceilingMicros })] });
      let relied = 0;
      for (const [at, { inputTokens, settle }] of arrivals.entries()) {
        const measured = { model: "steady", scope: "none", inputTokens, manifest: [] } as const;
        const verdict = decide(anInput({ policy, account, measured, draft: aDraft({ id: `ex-${at}` }) }));
        if (verdict.kind !== "admit") continue;
        account = verdict.account;
        relied += verdict.plan.estimateMicros;
        expect(relied).toBeLessThanOrEqual(ceilingMicros);
        if (!settle) continue;
        const charge = verdict.plan.estimateMicros;
        const closed = settleHold(account, `ex-${at}`, charge, NOW)?.account ?? account;
        account = {
          ...closed,
          consents: closed.consents.map((one) => ({ ...one, usedMicros: one.usedMicros + charge })),
        };
      }
    }),
    { numRuns: 500 },
  );
});
