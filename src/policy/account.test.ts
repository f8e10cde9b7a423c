import { describe, expect, test } from "vitest";
import {
  accountAt,
  addConsent,
  closeAbandoned,
  closeExpired,
  heldMicros,
  isDue,
  listenAgain,
  newAccount,
  noteDenial,
  noteSilence,
  quietOf,
  releaseHold,
  resetsAtOf,
  settleHold,
  useConsent,
  widenConsents,
} from "./account";
import { aConsent, aGrant, aHold, anAccount, aPolicy, MIDNIGHT, NOW, SERVER } from "./cases/given";
import { gaugeOf } from "./gauge";

const policy = aPolicy();
const HOUR = 3_600_000;

describe("holds are closed once", () => {
  const account = anAccount(policy, { holds: [aHold()] });

  test("[M3] settled to what was reported", () => {
    const settled = settleHold(account, "ex-0", 15_000, NOW);
    expect(settled?.account).toMatchObject({ settledMicros: 15_000, settledCount: 1, holds: [] });
    expect(settled?.overrunMicros).toBe(0);
  });
  test("[M4] a second settle, or a release after it, closes nothing", () => {
    const once = settleHold(account, "ex-0", 15_000, NOW)?.account ?? account;
    expect(settleHold(once, "ex-0", 15_000, NOW)).toBeNull();
    expect(releaseHold(once, "ex-0")).toBeNull();
  });
  test("[M6] what exceeds the hold is charged and recorded as an overrun", () => {
    const settled = settleHold(account, "ex-0", 20_000, NOW);
    expect(settled?.account.settledMicros).toBe(20_000);
    expect(settled?.overrunMicros).toBe(800);
  });
  test("[M3] released: nothing is charged", () => {
    expect(releaseHold(account, "ex-0")?.account).toMatchObject({ settledMicros: 0, settledCount: 0, holds: [] });
  });
  test("[M4] past its time a dispatched hold is charged in full, one that waited is released", () => {
    const waiting = aHold({ exchangeId: "w", dispatchedAt: null });
    const { account: after, orphans } = closeExpired({ ...account, holds: [aHold(), waiting] }, policy, NOW + HOUR);
    expect(orphans.map((one) => [one.hold.exchangeId, one.chargedMicros])).toEqual([
      ["ex-0", 19_200],
      ["w", 0],
    ]);
    expect(after).toMatchObject({ settledMicros: 19_200, settledCount: 1, holds: [] });
    expect(closeExpired(after, policy, NOW + HOUR).orphans).toEqual([]);
  });
  test("[M4] a lost call counts on the consent it relied on", () => {
    const relying = anAccount(policy, { holds: [aHold({ plan: { consentId: "yes-1" } })], consents: [aConsent()] });
    expect(closeExpired(relying, policy, NOW + HOUR).account.consents[0]?.usedMicros).toBe(19_200);
  });
  test("[M4] [F31] a hold lives until its last instant", () => {
    expect(closeExpired(account, policy, NOW + 48_999).orphans).toHaveLength(0);
    expect(closeExpired(account, policy, NOW + 49_000).orphans).toHaveLength(1);
  });
});

test("[M4] [F29] a dead tab's hold has its time once more after the clock was set back, not until the old time comes", () => {
  const account = anAccount(policy, { holds: [aHold({ heldAt: NOW, dispatchedAt: NOW, expiresAt: NOW + 49_000 })] });
  const year = 365 * 24 * HOUR;
  const back = closeExpired(account, policy, NOW - year);
  expect(back.orphans).toHaveLength(0);
  expect(back.account.holds).toMatchObject([{ heldAt: NOW - year, expiresAt: NOW - year + 49_000 }]);
  expect(closeExpired(back.account, policy, NOW - year + 48_999).orphans).toHaveLength(0);
  expect(closeExpired(back.account, policy, NOW - year + 49_000).orphans).toMatchObject([{ chargedMicros: 19_200 }]);
  // Tabs read the clock in turn: less than a minute is no step.
  expect(closeExpired(account, policy, NOW - 60_000).account.holds).toEqual(account.holds);
});

test("[M4] a hold is due when its time is up, and when the clock was set back since it was made", () => {
  const hold = aHold({ heldAt: NOW, expiresAt: NOW + 49_000 });
  expect([NOW, NOW + 48_999, NOW - 60_000].map((at) => isDue(hold, at))).toEqual([false, false, false]);
  expect([NOW + 49_000, NOW - 60_001].map((at) => isDue(hold, at))).toEqual([true, true]);
});

describe("windows", () => {
  const spent = anAccount(policy, {
    settledMicros: 900_000,
    settledCount: 9,
    denials: 2,
    silences: 1,
    mutedUntilAt: MIDNIGHT,
    grants: [aGrant()],
    consents: [aConsent()],
    holds: [aHold()],
  });

  test("[M5] [F31] a new window forgets spending, grants, consent and quiet, and keeps open holds", () => {
    const next = accountAt(spent, policy, MIDNIGHT);
    expect(next).toMatchObject({ settledMicros: 0, settledCount: 0, denials: 0, silences: 0, mutedUntilAt: null });
    expect(next).toMatchObject({ windowStartAt: MIDNIGHT, grants: [], consents: [] });
    expect(heldMicros(next)).toBe(19_200);
  });
  test("[M5] a clock set back neither reopens nor resets it", () => {
    const next = accountAt(spent, policy, MIDNIGHT);
    const charged = settleHold(next, "ex-0", 19_200, MIDNIGHT + 1)?.account ?? next;
    const back = accountAt(charged, policy, NOW);
    expect(back).toEqual(charged);
    expect(accountAt(back, policy, MIDNIGHT + 2).settledMicros).toBe(19_200);
  });
  test("[M5] an edited window keeps what was spent, and clips the raises", () => {
    const hourly = accountAt(spent, aPolicy({ budget: { window: "1h", capMicros: 1_000_000 } }), NOW - 1);
    expect(hourly).toMatchObject({ window: "1h", settledMicros: 900_000, windowStartAt: NOW - HOUR });
    expect(hourly.grants[0]?.expiresAt).toBe(NOW);
    const weekly = accountAt(spent, aPolicy({ budget: { window: "7d", capMicros: 1_000_000 } }), NOW);
    expect(weekly).toMatchObject({ window: "7d", settledMicros: 900_000 });
  });
  test("[M5] spending moves into a longer window even where nobody looked until the old one was over", () => {
    const hourly = newAccount(SERVER, aPolicy({ budget: { window: "1h", capMicros: 1 } }), NOW);
    const spending = { ...hourly, settledMicros: 5 };
    expect(accountAt(spending, policy, NOW + 3 * HOUR).settledMicros).toBe(5);
  });
  test("[M5] one function names the reset for engine and gauge", () => {
    expect(resetsAtOf(spent)).toBe(MIDNIGHT);
    expect(gaugeOf(spent, policy, NOW).resetsAt).toBe(MIDNIGHT);
  });
});

test("[STYLE] the gauge reads what decide would, and changes nothing", () => {
  const account = anAccount(policy, {
    settledMicros: 38_400,
    settledCount: 2,
    holds: [aHold()],
    grants: [aGrant(), aGrant({ id: "r", kind: "requests", amount: 10, left: 7 })],
    bucket: { tokens: 2, refilledAt: NOW },
  });
  const before = structuredClone(account);
  expect(gaugeOf(account, policy, NOW)).toEqual({
    window: "24h",
    settledMicros: 38_400,
    heldMicros: 19_200,
    capMicros: 1_000_000,
    grantedMicros: 100_000,
    resetsAt: MIDNIGHT,
    slotsInUse: 1,
    maxConcurrent: 2,
    requestsLeft: 9,
    meanMicros: 19_200,
  });
  expect(account).toEqual(before);
});

describe("quiet", () => {
  const calm = anAccount(policy);
  const times = (count: number, step: (account: typeof calm) => typeof calm) =>
    Array.from({ length: count }).reduce<typeof calm>((account) => step(account), calm);

  test("[K6] three denials, or three silences, in one window", () => {
    const denied = times(3, (account) => noteDenial(account, false, NOW));
    expect(quietOf(denied, NOW)).toBe("denials");
    expect(quietOf(denied, MIDNIGHT)).toBeNull();
    expect(
      quietOf(
        times(2, (account) => noteDenial(account, false, NOW)),
        NOW,
      ),
    ).toBeNull();
    expect(
      quietOf(
        times(3, (account) => noteSilence(account, NOW)),
        NOW,
      ),
    ).toBe("silence");
  });
  test("[K6] the chip lifts quiet and mute", () => {
    const muted = noteDenial(
      times(3, (account) => noteSilence(account, NOW)),
      true,
      NOW,
    );
    expect(muted.mutedUntilAt).toBe(MIDNIGHT);
    const listening = listenAgain(muted);
    expect(quietOf(listening, NOW)).toBeNull();
    expect(listening.mutedUntilAt).toBeNull();
  });
});

test("[K1] a charge counts on its consent, and on no other", () => {
  const account = [aConsent(), aConsent({ id: "yes-2" })].reduce(addConsent, anAccount(policy));
  const used = useConsent(useConsent(account, "yes-2", 700), "gone", 900);
  expect(used.consents.map((one) => one.usedMicros)).toEqual([0, 700]);
});

describe("what a tab that is gone held", () => {
  const started = aHold({ exchangeId: "started", dispatchedAt: NOW });
  const waiting = aHold({ exchangeId: "waiting", dispatchedAt: null });
  const of = (tab: string, hold: typeof started) => ({ ...hold, draft: { ...hold.draft, tab } });

  test("[M4] is given back where its call never started, and only of tabs that are gone", () => {
    const account = anAccount(policy, {
      holds: [of("gone", started), of("gone", waiting), of("here", waiting), waiting],
    });
    const { account: after, orphans } = closeAbandoned(account, new Set(["here"]));
    expect(orphans).toMatchObject([{ hold: { exchangeId: "waiting", draft: { tab: "gone" } }, chargedMicros: 0 }]);
    expect(after.holds).toHaveLength(3);
  });
});

test("[K1] a raise widens what the person agreed to for the session, and no yes to one request", () => {
  const session = aConsent({ kind: "session", ceilingMicros: 5_000 });
  const once = aConsent({ id: "once", kind: "once", ceilingMicros: 5_000 });
  const { consents } = widenConsents(anAccount(policy, { consents: [session, once] }), 3_000);
  expect(consents.map((one) => one.ceilingMicros)).toEqual([8_000, 5_000]);
});
