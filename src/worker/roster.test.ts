import { expect, test, vi } from "vitest";
import { aDecision, aGrant, aPolicy, aRevision, NOW, SERVER } from "../policy/cases/given";
import { DEFAULT_POLICY } from "../policy/policy";
import { aReport, aRow, rosterRig } from "./testing/rig";

const LOOP = { server: SERVER, policyRevision: 3, represented: 41, expiresAt: null, loopAlertedAt: NOW - 500 } as const;

test("a changed address or header is connected to at once, and what is shown is what is connected", async () => {
  const { roster, store, opened, moved } = rosterRig();
  store.rows.set(SERVER, aRow());
  await roster.load();
  await roster.put(aRow({ url: "http://127.0.0.1:2/mcp", autoConnect: false }));
  expect(opened.map(({ url }) => url)).toEqual(["http://127.0.0.1:1/mcp", "http://127.0.0.1:2/mcp"]);
  // Another tab edits the headers.
  store.rows.set(SERVER, aRow({ url: "http://127.0.0.1:2/mcp", headers: { authorization: "Bearer other" } }));
  await roster.load();
  expect(opened.at(-1)).toMatchObject({ url: "http://127.0.0.1:2/mcp", headers: { authorization: "Bearer other" } });
  expect(roster.view(SERVER)?.host).toBe("127.0.0.1:2");
  expect(moved).toEqual([SERVER, SERVER]);
  // What did not change reconnects nothing.
  await roster.load();
  expect(opened).toHaveLength(3);
});

test("a server the person disconnected stays so, whatever its address becomes", async () => {
  const { roster, store, opened } = rosterRig();
  store.rows.set(SERVER, aRow());
  await roster.load();
  await roster.disconnect(SERVER);
  await roster.put(aRow({ url: "http://127.0.0.1:2/mcp" }));
  expect(opened).toHaveLength(1);
});

test("[D7] [P1] sampling is declared again once the loss is confirmed, though the revision is the same", async () => {
  const { roster, store, opened } = rosterRig();
  store.rows.set(SERVER, aRow());
  store.policies.set(SERVER, aRevision(aPolicy({ allowSampling: false })));
  await roster.load();
  expect(opened.at(-1)?.declareSampling).toBe(false);
  store.policies.set(SERVER, aRevision(aPolicy()));
  roster.refresh(SERVER);
  await vi.waitFor(() => expect(opened.at(-1)?.declareSampling).toBe(true));
  store.policies.set(SERVER, aRevision(aPolicy({ maxOutputTokens: 1 }), 4));
  roster.refresh(SERVER);
  await vi.waitFor(() => expect(roster.view(SERVER)?.policy.revision).toBe(4));
  expect(opened).toHaveLength(2);
});

test("[D3] the mark of a retry loop comes with the stored decision and goes with it", async () => {
  const { roster, store } = rosterRig();
  store.rows.set(SERVER, aRow());
  store.policies.set(SERVER, aRevision(aPolicy()));
  await roster.load();
  expect(roster.view(SERVER)?.loop).toBeNull();
  // Another tab saw it.
  store.stored.push(aDecision(LOOP));
  roster.refresh(SERVER, "loops");
  await vi.waitFor(() => expect(roster.view(SERVER)?.loop?.represented).toBe(41));
  // Seen here, forgotten there.
  store.stored.length = 0;
  roster.noteLoop(SERVER, { identity: `${SERVER}:1`, since: NOW, represented: 40 });
  roster.refresh(SERVER, "loops");
  await vi.waitFor(() => expect(roster.view(SERVER)?.loop).toBeNull());
  // One that an edit or its time ended is no loop any more.
  store.stored.push(aDecision({ ...LOOP, policyRevision: 2 }), aDecision({ ...LOOP, expiresAt: NOW }));
  roster.refresh(SERVER, "loops");
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(roster.view(SERVER)?.loop).toBeNull();
});

test("[G4] a raise another tab gave is news, one given here or known at the start is not", async () => {
  const { roster, store, foreignGrants } = rosterRig();
  store.rows.set(SERVER, aRow());
  store.given.push(aGrant({ id: "old", grantedAt: NOW }));
  await roster.load();
  const own = aGrant({ id: "own", grantedAt: NOW });
  store.given.push(own, aGrant({ id: "theirs", grantedAt: NOW }));
  roster.noteGrant(own);
  roster.refresh(SERVER);
  await vi.waitFor(() => expect(foreignGrants.map(({ id }) => id)).toEqual(["theirs"]));
  roster.refresh(SERVER);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(foreignGrants).toHaveLength(1);
});

test("[D4] where storage is refused a server can still be connected, is off, and is stored once that works", async () => {
  const { roster, store, opened } = rosterRig();
  store.refuses = true;
  await roster.put(aRow());
  roster.connect(SERVER);
  expect(opened).toMatchObject([{ name: SERVER, declareSampling: false }]);
  expect(roster.view(SERVER)?.policy.policy).toEqual(DEFAULT_POLICY);
  await expect(roster.load()).rejects.toThrow("refuses");
  expect(roster.row(SERVER)).toBeDefined();
  store.refuses = false;
  await roster.load();
  expect(store.rows.get(SERVER)).toEqual(aRow());
  // From then on it is as stored: removed elsewhere, it is gone here.
  store.rows.clear();
  await roster.load();
  expect(roster.row(SERVER)).toBeUndefined();
});

test("Connect while it waits for its next try makes the try now", async () => {
  const { roster, store, retried } = rosterRig();
  store.rows.set(SERVER, aRow());
  await roster.load();
  roster.connect(SERVER);
  expect(retried).toEqual([]);
  roster.report(SERVER, aReport({ state: "reconnecting", attempt: 2, nextTryAt: NOW + 60_000, problem: "gone" }));
  roster.connect(SERVER);
  expect(retried).toEqual([SERVER]);
});

test("[P1] a server that is removed while it is read comes back neither to the screen nor to the network", async () => {
  vi.useFakeTimers();
  const rig = rosterRig();
  const { store } = rig;
  await rig.roster.put(aRow());
  await store.savePolicies(new Map([[SERVER, aPolicy()]]), "Robin", NOW);
  rig.roster.connect(SERVER);
  const { account } = store;
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  store.account = (...given) => gate.then(() => account(...given));
  rig.roster.refresh(SERVER);
  await vi.advanceTimersByTimeAsync(100);
  await rig.roster.remove(SERVER, "Robin");
  const before = [rig.shown.length, rig.opened.length];
  goOn();
  await vi.advanceTimersByTimeAsync(100);
  expect([rig.shown.length, rig.opened.length]).toEqual(before);
  expect(rig.closed).toEqual([SERVER]);
  vi.useRealTimers();
});
