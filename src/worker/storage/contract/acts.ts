/** What a person does: policies, raises, consents, forgetting, removing. */
import { aGrant, IDENTITY, NOW, SERVER } from "../../../policy/cases/given";
import { DEFAULT_POLICY } from "../../../policy/policy";
import { toolsKeyOf } from "../store";
import { admitted, type Cases, OTHER, refused } from "./bench";
import { allow, anAsk, consentFor, DENY, generous, identityOf, settlementOf } from "./given";

export const ACT_CASES: Cases = {
  "[P3] an edit makes a revision and drops that server's decisions only; the same values make none": async ({
    store,
    equal,
  }) => {
    await refused(store, anAsk("ex-1"));
    await refused(store, anAsk("ex-2", { server: OTHER, identity: identityOf(1, OTHER) }));
    const first = await store.savePolicies(new Map([[SERVER, generous()]]), "Robin", NOW);
    equal(
      first.map(({ revision }) => revision),
      [1],
    );
    equal([(await store.decisions(SERVER)).length, (await store.decisions(OTHER)).length], [0, 1]);
    equal(store.replay(IDENTITY, NOW), undefined);
    const again = await store.savePolicies(new Map([[SERVER, generous()]]), "Robin", NOW + 1);
    equal([again.length, (await store.revisions(SERVER)).length], [0, 1]);
    await store.savePolicies(new Map([[SERVER, DEFAULT_POLICY]]), "Kim", NOW + 2);
    equal(
      (await store.revisions(SERVER)).map(({ revision, editedBy }) => [revision, editedBy]),
      [
        [2, "Kim"],
        [1, "Robin"],
      ],
    );
  },

  "[P1] [P2] replacing all policies switches off whoever is not among them, in one transaction": async ({
    store,
    equal,
  }) => {
    await store.savePolicies(new Map([SERVER, OTHER].map((server) => [server, generous()])), "Robin", NOW);
    await refused(store, anAsk("ex-1", { consent: DENY }));
    const changed = await store.replacePolicies(new Map([[OTHER, generous()]]), "Kim", NOW + 1);
    equal(
      changed.map(({ server, revision, policy }) => [server, revision, policy.allowSampling]),
      [[SERVER, 2, false]],
    );
    equal((await store.policy(OTHER)).revision, 1);
    equal(await store.decisions(SERVER), []);
    equal(await store.replacePolicies(new Map([[OTHER, generous()]]), "Kim", NOW + 2), []);
  },

  "[G2] one record is raised once, whoever asks twice": async ({ store, equal }) => {
    await allow(store, generous({ budget: { window: "24h", capMicros: 10 } }));
    await refused(store, anAsk("ex-1"));
    const grant = aGrant({ id: "grant-1", recordId: "ex-1", amount: 10, left: 10 });
    const twice = [grant, { ...grant, id: "grant-2" }].map((one) => store.addGrant(one, NOW));
    equal((await Promise.all(twice)).toSorted(), [false, true]);
    equal([(await store.grants(SERVER, 0)).length, (await store.account(SERVER, NOW)).grants.length], [1, 1]);
    equal((await store.events(null, 10)).filter(({ kind }) => kind === "grant").length, 1);
    equal(await store.addGrant({ ...grant, id: "grant-3", recordId: "ex-2" }, NOW), true);
  },

  "[G4] a budget grant drops that server's budget decisions and nothing else": async ({ store, equal }) => {
    await allow(store, generous({ budget: { window: "24h", capMicros: 10 } }));
    equal(await refused(store, anAsk("ex-1")), "policy.budget_exhausted");
    equal(await refused(store, anAsk("ex-2", { identity: identityOf(2), consent: DENY })), "user.denied");
    await store.addGrant(aGrant({ expiresAt: NOW + 365 * 86_400_000 }), NOW);
    equal(
      (await store.decisions(SERVER)).map(({ refusal }) => refusal.reason),
      ["user.denied"],
    );
    await admitted(store, anAsk("ex-3"));
    const [grant] = await store.grants(SERVER, 0);
    equal([grant?.grantedBy, grant?.expiresAt], ["Robin", Date.UTC(2026, 11, 3)]);
    equal((await store.grants(null, 0)).length, 1);
  },

  "[K6] three unanswered dialogs make a server quiet, in the log too; the person lifts it": async ({
    store,
    equal,
  }) => {
    await store.savePolicies(new Map([[SERVER, generous()]]), "Robin", NOW);
    for (const id of [1, 2, 3]) {
      const { verdict } = await store.admit(anAsk(`ex-${id}`, { identity: identityOf(id) }));
      if (verdict.kind !== "ask") throw new Error(`not asked: ${verdict.kind}`);
      await store.admit(
        anAsk(`ex-${id}`, { identity: identityOf(id), consent: { answer: "unanswered", shown: true } }),
      );
    }
    equal((await store.admit(anAsk("ex-4"))).verdict.kind, "refuse");
    equal((await store.events(null, 10)).filter((event) => event.kind === "quiet").length, 1);
    await store.listenAgain(SERVER, "Robin", NOW);
    equal((await store.admit(anAsk("ex-5"))).verdict.kind, "ask");
  },

  "[K1] a consent that is taken back covers nothing more": async ({ store, equal }) => {
    await allow(store, generous());
    await store.revokeConsents(SERVER, "Robin", NOW);
    equal((await store.admit(anAsk("ex-1"))).verdict.kind, "ask");
  },

  "[D1] a decision the person forgets is evaluated anew": async ({ store, equal }) => {
    await allow(store, generous());
    await refused(store, anAsk("ex-1", { consent: DENY }));
    await store.forgetDecision(IDENTITY, "Robin", NOW);
    equal(store.replay(IDENTITY, NOW), undefined);
    await admitted(store, anAsk("ex-2"));
  },

  "[W] a price edit drops the decisions that end with it, of all servers": async ({ store, equal }) => {
    for (const server of [SERVER, OTHER]) {
      await allow(store, generous({ models: ["nameless-price"] }), server);
      const measured = { model: "nameless-price", scope: "none", inputTokens: 1, manifest: [] } as const;
      const ask = anAsk(`ex-${server}`, { server, identity: identityOf(1, server), measured });
      equal(await refused(store, ask), "policy.model_unpriced");
    }
    await store.dropDecisions(["policy.model_unpriced"]);
    equal([(await store.decisions(SERVER)).length, (await store.decisions(OTHER)).length], [0, 0]);
  },

  "[P1] [K7-11] a name that is used again inherits nothing of a removed server": async ({ store, equal }) => {
    const row = {
      name: SERVER,
      url: "http://127.0.0.1:1/mcp",
      headers: {},
      autoConnect: true,
      addedAt: NOW,
      era: null,
    };
    await store.putServer(row);
    await allow(store, generous());
    await admitted(store, anAsk("ex-1"));
    await store.addGrant(aGrant(), NOW);
    const measured = { model: "steady", scope: "none", inputTokens: 1_000_000, manifest: [] } as const;
    equal(await refused(store, anAsk("ex-2", { identity: identityOf(2), measured })), "policy.input_too_large");
    await store.putSetting(toolsKeyOf(SERVER), "what is known of its tools");
    await store.removeServer(SERVER, "Robin", NOW + 1);
    equal(await store.servers(), []);
    const record = await store.record("ex-1");
    equal([record?.ending, record?.detail.cause, record?.chargeBasis], ["cancelled", "server_removed", "estimate"]);
    await store.putServer(row);
    const policy = await store.policy(SERVER);
    equal([policy.revision, policy.policy.allowSampling], [2, false]);
    const { consents, grants, settledMicros, holds } = await store.account(SERVER, NOW);
    equal([consents, grants, settledMicros, holds], [[], [], 0, []]);
    equal([await store.decisions(SERVER), store.replay(identityOf(2), NOW + 2)], [[], undefined]);
    equal(await store.setting(toolsKeyOf(SERVER)), undefined);
  },

  "[P1] what was under way when a server was removed does not bring its account back": async ({ store, equal }) => {
    await allow(store, generous());
    const plan = await admitted(store, anAsk("ex-1"));
    await store.removeServer(SERVER, "Robin", NOW + 1);
    await Promise.all([
      store.admit(anAsk("ex-2", { identity: identityOf(2) })),
      store.settle(settlementOf(plan)),
      store.addConsent(SERVER, consentFor(1), NOW + 2),
      store.addGrant(aGrant(), NOW + 2),
      store.revokeConsents(SERVER, "Robin", NOW + 2),
      store.listenAgain(SERVER, "Robin", NOW + 2),
    ]);
    // One that nobody has written is made for the instant that is asked about.
    const later = NOW + 3_600_000;
    equal((await store.account(SERVER, later)).latestAt, later);
    const [newest] = await store.events(null, 1);
    equal(newest?.kind, "server_removed");
  },
};
