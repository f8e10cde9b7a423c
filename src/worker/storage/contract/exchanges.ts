/** Deciding, settling, replaying, recovering. */
import { aPlan, IDENTITY, NOW, SERVER } from "../../../policy/cases/given";
import { decisionFor } from "../../../policy/decision";
import { ALL, admitted, type Cases, OTHER, refused } from "./bench";
import { allow, anAsk, consentFor, DENY, ESTIMATE_MICROS, generous, identityOf, recordOf, settlementOf } from "./given";

export const EXCHANGE_CASES: Cases = {
  "[P1] a server nobody edited is refused, and the refusal is on record": async ({ store, equal }) => {
    const { verdict, policy, record } = await store.admit(anAsk("ex-1"));
    equal([verdict.kind, policy.revision, record?.reason], ["refuse", 0, "policy.sampling_disabled"]);
    equal((await store.record("ex-1"))?.reason, "policy.sampling_disabled");
    equal((await store.decisions(SERVER)).length, 1);
  },

  "[A2] an admitted request holds its money and its slot once it is committed": async ({ store, equal }) => {
    await allow(store, generous());
    await admitted(store, anAsk("ex-1"));
    const { holds } = await store.account(SERVER, NOW);
    equal(
      holds.map((hold) => [hold.exchangeId, hold.amountMicros]),
      [["ex-1", ESTIMATE_MICROS]],
    );
    equal(store.latest(SERVER)?.account.holds.length, 1);
  },

  "[A2] requests that share a transaction see each other's effects, in order": async ({ store, equal }) => {
    await allow(store, generous({ budget: { window: "24h", capMicros: 3 * ESTIMATE_MICROS } }));
    const ids = [0, 1, 2, 3, 4, 5];
    const all = await Promise.all(ids.map((id) => store.admit(anAsk(`ex-${id}`, { identity: identityOf(id) }))));
    const kinds = all.map(({ verdict }) => verdict.kind);
    equal(kinds, ["admit", "admit", "admit", "refuse", "refuse", "refuse"]);
    const { rows } = await store.records({ ...ALL, endings: ["refused"] }, null, 10);
    equal(rows.length, 3);
  },

  "[P5] one server's requests do not change another's account": async ({ store, equal }) => {
    await allow(store, generous());
    await allow(store, generous(), OTHER);
    await Promise.all([
      admitted(store, anAsk("ex-1")),
      admitted(store, anAsk("ex-2", { server: OTHER, identity: identityOf(1, OTHER) })),
    ]);
    equal((await store.account(SERVER, NOW)).holds.length, 1);
    equal((await store.account(OTHER, NOW)).holds.length, 1);
  },

  "[A4] a refused request that comes again is replayed, and counted everywhere": async ({ store, equal }) => {
    await store.savePolicies(new Map([[SERVER, generous()]]), "Robin", NOW);
    equal(await refused(store, anAsk("ex-1", { consent: DENY })), "user.denied");
    const memory = store.replay(IDENTITY, NOW + 1);
    equal(memory?.decision.represented, 1);
    const second = await store.admit(anAsk("ex-2", { now: NOW + 2 }));
    equal(second.verdict.kind, "replay");
    await store.flush();
    equal((await store.decisions(SERVER))[0]?.represented, 2);
    equal((await store.record("ex-1"))?.represented, 2);
    equal(await store.record("ex-2"), undefined);
    const days = await store.days("2026-12-02", "2026-12-02");
    equal(
      days.map(({ ending, count, represented }) => [ending, count, represented]),
      [["denied", 1, 2]],
    );
  },

  "[D3] forty replays within ten minutes are one alert in the log": async ({ store, equal }) => {
    await refused(store, anAsk("ex-1"));
    let alerts = 0;
    for (let at = 1; at <= 60; at += 1) {
      if (store.replay(IDENTITY, NOW + at)?.loopAlert === true) alerts += 1;
      if (at % 25 === 0) await store.flush();
    }
    await store.flush();
    equal(alerts, 1);
    equal((await store.decisions(SERVER))[0]?.represented, 60);
    const events = await store.events(null, 10);
    equal(events.filter((event) => event.kind === "loop_alert").length, 1);
  },

  "[M3] settling charges what was reported and writes its record in the same step": async ({ store, equal }) => {
    await allow(store, generous());
    const plan = await admitted(store, anAsk("ex-1"));
    const settled = await store.settle(settlementOf(plan));
    equal(settled.outcome === "settled" && settled.record.chargedMicros, 10_000);
    const account = await store.account(SERVER, NOW);
    equal([account.holds.length, account.settledMicros], [0, 10_000]);
    equal(account.consents[0]?.usedMicros, 10_000);
    equal((await store.record("ex-1"))?.chargeBasis, "reported");
    const [day] = await store.days("2026-12-02", "2026-12-02");
    equal([day?.count, day?.chargedMicros, day?.inputTokens, day?.outputTokens], [1, 10_000, 2_100, 300]);
  },

  "[M4] [F42] a hold is closed once: the second settle charges, counts and writes nothing": async ({
    store,
    equal,
  }) => {
    await allow(store, generous());
    const plan = await admitted(store, anAsk("ex-1"));
    const both = await Promise.all([store.settle(settlementOf(plan)), store.settle(settlementOf(plan))]);
    const third = await store.settle(settlementOf(plan));
    equal(
      [...both, third].map(({ outcome }) => outcome),
      ["settled", "already_closed", "already_closed"],
    );
    equal((await store.account(SERVER, NOW)).settledMicros, 10_000);
    equal((await store.days("2026-12-02", "2026-12-02"))[0]?.count, 1);
  },

  "[M6] a charge above its hold is counted, and is an overrun in the log": async ({ store, equal }) => {
    await allow(store, generous());
    const plan = await admitted(store, anAsk("ex-1"));
    await store.settle(settlementOf(plan, { charge: { basis: "estimate", micros: ESTIMATE_MICROS + 5 } }));
    equal((await store.record("ex-1"))?.overrunMicros, 5);
    equal(
      (await store.events(null, 10)).some((event) => event.kind === "overrun"),
      true,
    );
  },

  "[M3] a call that never left gives its hold back": async ({ store, equal }) => {
    await allow(store, generous());
    const plan = await admitted(store, anAsk("ex-1"));
    await store.settle(settlementOf(plan, { charge: { basis: "none" } }));
    const account = await store.account(SERVER, NOW);
    equal([account.holds.length, account.settledMicros, account.settledCount], [0, 0, 0]);
  },

  "[A7] a provider's refusal is remembered with the settle that made it": async ({ store, equal }) => {
    await allow(store, generous());
    const ask = anAsk("ex-1");
    const plan = await admitted(store, ask);
    const refusal = { reason: "provider.rejected", data: { status: 400 } } as const;
    const decision = decisionFor({
      draft: ask.draft,
      refusal,
      because: "R2",
      policyRevision: plan.policyRevision,
      now: NOW,
    });
    await store.settle(settlementOf(plan, { decision, charge: { basis: "none" } }));
    equal((await store.admit(anAsk("ex-2"))).verdict.kind, "replay");
  },

  "[A7] a refusal is remembered also where its hold had expired by then": async ({ store, equal }) => {
    await allow(store, generous());
    const ask = anAsk("ex-1");
    const plan = await admitted(store, ask);
    const late = NOW + 8 * 3_600_000;
    equal((await store.recover(late)).length, 1);
    const refusal = { reason: "provider.rejected", data: { status: 400 } } as const;
    const { policyRevision } = plan;
    const decision = decisionFor({ draft: ask.draft, refusal, because: "R2", policyRevision, now: late });
    equal((await store.settle(settlementOf(plan, { decision, now: late }))).outcome, "already_closed");
    equal((await store.admit(anAsk("ex-2", { now: late }))).verdict.kind, "replay");
    equal((await store.record("ex-1"))?.ending, "lost");
  },

  "[P3] a refusal settled under a policy that was edited meanwhile is not remembered": async ({ store, equal }) => {
    await allow(store, generous());
    const ask = anAsk("ex-1");
    const plan = await admitted(store, ask);
    const refusal = { reason: "provider.rejected", data: { status: 400 } } as const;
    const decision = decisionFor({
      draft: ask.draft,
      refusal,
      because: "R2",
      policyRevision: plan.policyRevision,
      now: NOW,
    });
    await store.savePolicies(new Map([[SERVER, generous({ maxOutputTokens: 900 })]]), "Robin", NOW);
    const { outcome } = await store.settle(settlementOf(plan, { decision, charge: { basis: "none" } }));
    equal(outcome, "settled");
    equal((await store.decisions(SERVER)).length, 0);
  },

  "[E] throttles of one server, reason and minute share a record": async ({ store, equal }) => {
    await allow(store, generous({ rateLimit: { requestsPerMinute: 1, burst: 1 } }));
    await admitted(store, anAsk("ex-0"));
    const ids = [1, 2, 3, 4, 5];
    await Promise.all(ids.map((id) => store.admit(anAsk(`ex-${id}`, { identity: identityOf(id) }))));
    await store.admit(anAsk("ex-6", { identity: identityOf(6), now: NOW + 30_000 }));
    const { rows } = await store.records({ ...ALL, endings: ["throttled"] }, null, 10);
    equal(
      rows.map(({ count, endedAt }) => [count, endedAt]),
      [[6, NOW + 30_000]],
    );
    const decisions = await store.decisions(SERVER);
    equal(new Set(decisions.map(({ recordId }) => recordId)).size, 1);
    store.replay(identityOf(3), NOW + 30_001);
    await store.flush();
    equal((await store.records(ALL, null, 1)).rows[0]?.represented, 1);
  },

  "[F20] [E] a crowd of refusals that look at nothing is five records and one that counts the rest, in sums too":
    async ({ store, equal }) => {
      const malformed = recordOf(aPlan({ exchangeId: "bad" }), {
        ending: "refused",
        reason: "malformed",
        endedAt: NOW,
      });
      const crowd = Array.from({ length: 60 }, (_, at) =>
        store.rowOf({ ...malformed, id: `bad-${at}`, modelUsed: null }),
      );
      const written = crowd.map(store.writeRecord);
      const asks = Array.from({ length: 40 }, (_, at) => anAsk(`off-${at}`, { identity: identityOf(at) }));
      const off = await Promise.all(asks.map(store.admit));
      await store.flush();
      await Promise.all(written);
      const { rows } = await store.records(ALL, null, 100);
      equal(rows.length, 12);
      const counted = (reason: string) =>
        rows.filter((row) => row.reason === reason).reduce((sum, row) => sum + row.count, 0);
      equal([counted("malformed"), counted("policy.sampling_disabled")], [60, 40]);
      const days = await store.days("2026-12-02", "2026-12-02");
      equal(
        days.map(({ ending, count }) => [ending, count]),
        [["refused", 100]],
      );
      // What the step line and the replays point to is there.
      const shown = new Set(off.map(({ record }) => record?.id));
      equal(shown.size, 6);
      equal((await store.decisions(SERVER)).length, 40);
      equal(
        (await store.decisions(SERVER)).every(({ recordId }) => shown.has(recordId)),
        true,
      );
    },

  "[M4] holds past their time are closed by whoever comes next": async ({ store, equal }) => {
    await store.savePolicies(new Map([[SERVER, generous()]]), "Robin", NOW);
    const asked = await store.admit(anAsk("ex-1"));
    equal(asked.verdict.kind, "ask");
    await store.addConsent(SERVER, consentFor(1), NOW);
    const plan = await admitted(store, anAsk("ex-2", { identity: identityOf(2) }));
    equal((await store.recover(NOW + 1_000)).length, 0);
    const orphans = await store.recover(NOW + 1_000_000);
    equal(
      orphans.map(({ chargedMicros }) => chargedMicros).sort((a, b) => a - b),
      [0, ESTIMATE_MICROS],
    );
    equal((await store.recover(NOW + 1_000_000)).length, 0);
    equal((await store.settle(settlementOf(plan))).outcome, "already_closed");
    const { rows } = await store.records({ ...ALL, endings: ["lost"] }, null, 10);
    equal(
      rows.map(({ chargedMicros }) => chargedMicros).sort((a, b) => a - b),
      [0, ESTIMATE_MICROS],
    );
    equal((await store.account(SERVER, NOW)).settledMicros, ESTIMATE_MICROS);
  },
};
