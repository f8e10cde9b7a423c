/** The log, its bounds, and what is kept as given. */
import { aPlan, NOW, SERVER } from "../../../policy/cases/given";
import type { EventCursor, LogEvent, RecordFilter, Store } from "../store";
import { ALL, type Cases, OTHER, settledDown } from "./bench";
import { anAsk, identityOf, recordOf } from "./given";

export const LOG_CASES: Cases = {
  "[D5] decisions stay bounded per server and in all, and the log says so": async ({ store, equal }) => {
    const ids = Array.from({ length: 150 }, (_, id) => id);
    for (const server of [SERVER, OTHER, "third"]) {
      const identities = ids.map((id) => identityOf(id, server));
      await Promise.all(
        identities.map((identity, at) => store.admit(anAsk(`${server}-${at}`, { server, identity, now: NOW + at }))),
      );
    }
    await settledDown(async () => (await store.events(null, 50)).some(({ server }) => server === null));
    for (const server of [SERVER, OTHER, "third"]) {
      const kept = await store.decisions(server);
      if (kept.length > 100) throw new Error(`${server} keeps ${kept.length}`);
    }
    const newest = (await store.decisions("third"))[0];
    equal(newest?.lastAt, NOW + 149);
    const events = await store.events(null, 50);
    equal(
      events.some(({ kind, server }) => kind === "decisions_dropped" && server === SERVER),
      true,
    );
  },

  "[L2] pages hold every row of a filter once, newest first, ties included": async ({ store, equal }) => {
    const endings = ["completed", "trimmed", "failed", "cancelled"] as const;
    const written = Array.from({ length: 120 }, (_, at) =>
      recordOf(aPlan({ exchangeId: `r-${String(at).padStart(3, "0")}` }), {
        server: at % 3 === 0 ? SERVER : OTHER,
        modelUsed: at % 5 === 0 ? null : "steady",
        ending: endings[at % 4] ?? "completed",
        endedAt: NOW + Math.floor(at / 7),
      }),
    );
    await Promise.all(written.map(store.writeRecord));
    const filters: readonly RecordFilter[] = [
      ALL,
      { ...ALL, server: SERVER },
      { ...ALL, endings: ["trimmed", "failed"] },
      { ...ALL, server: OTHER, endings: ["completed", "trimmed", "failed"] },
      { ...ALL, model: "steady", server: OTHER },
      { ...ALL, from: NOW + 3, to: NOW + 9 },
      { ...ALL, server: SERVER, endings: ["failed"], model: "steady", from: NOW + 3, to: NOW + 9 },
    ];
    for (const filter of filters) {
      const expected = written
        .filter((row) => filter.server === null || row.server === filter.server)
        .filter((row) => filter.endings.length === 0 || filter.endings.includes(row.ending))
        .filter((row) => filter.model === null || row.modelUsed === filter.model)
        .filter((row) => row.endedAt >= (filter.from ?? 0) && row.endedAt <= (filter.to ?? Number.POSITIVE_INFINITY))
        .sort((a, b) => b.endedAt - a.endedAt || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      equal(await allPages(store, filter), expected);
    }
  },

  "[L2] pages of events hold every one once, newest first, also those of one millisecond": async ({ store, equal }) => {
    const ids = Array.from({ length: 23 }, (_, at) => `e-${String(at).padStart(2, "0")}`);
    const written = ids.map((id, at) => ({ id, at: NOW + Math.floor(at / 10) }));
    const common = { server: SERVER, kind: "quiet", text: "", by: "" } as const;
    await Promise.all(written.map((one) => store.addEvent({ ...one, ...common })));
    const found: string[] = [];
    for (let before: EventCursor | null = null; ; ) {
      const page: readonly LogEvent[] = await store.events(before, 4);
      found.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (last === undefined) break;
      before = { at: last.at, id: last.id };
    }
    equal(found, ids.toReversed());
    // One that is there no more still says where the page goes on.
    equal(
      (await store.events({ at: NOW + 1, id: "e-155" }, 2)).map(({ id }) => id),
      ["e-15", "e-14"],
    );
  },

  "[L4] records older than they are kept for go, their daily sums stay": async ({ store, equal }) => {
    const old = NOW - 100 * 86_400_000;
    await store.writeRecord(recordOf(aPlan({ exchangeId: "old" }), { endedAt: old }));
    await store.writeRecord(recordOf(aPlan({ exchangeId: "new" })));
    await store.admit(anAsk("ex-1", { now: NOW + 700_000 }));
    await settledDown(async () => (await store.record("old")) === undefined);
    equal((await store.record("new"))?.id, "new");
    equal((await store.days("2026-01-01", "2026-12-31")).length, 3);
  },

  "[E1] runs and settings come back as they were given": async ({ store, equal }) => {
    await store.putRun({ id: "a", server: SERVER, startedAt: NOW, run: { tool: "triage" } });
    await store.putRun({ id: "b", server: SERVER, startedAt: NOW + 1, run: null });
    equal(
      (await store.runs(10)).map(({ id }) => id),
      ["b", "a"],
    );
    equal((await store.run("a"))?.run, { tool: "triage" });
    await store.clearRuns();
    equal(await store.runs(10), []);
    await store.putSetting("profileName", "Robin");
    equal(await store.setting("profileName"), "Robin");
    equal(await store.setting("other"), undefined);
    equal(await store.policyFileText(), null);
    await store.putPolicyFileText("servers: {}");
    equal(await store.policyFileText(), "servers: {}");
  },
};

async function allPages(store: Store, filter: RecordFilter): Promise<readonly string[]> {
  const ids: string[] = [];
  let page = await store.records(filter, null, 17);
  ids.push(...page.rows.map(({ id }) => id));
  while (page.next !== null) {
    page = await store.records(filter, page.next, 17);
    ids.push(...page.rows.map(({ id }) => id));
  }
  return ids;
}
