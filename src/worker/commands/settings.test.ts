import { expect, test } from "vitest";
import { NOW } from "../../policy/cases/given";
import { createProviders } from "../providers/registry";
import type { StorageHealth } from "../storage/store";
import { memoryStore } from "../testing/memory-store";
import { createSettings } from "./settings";

const HEALTH: StorageHealth = {
  state: "ok",
  persisted: null,
  usageBytes: null,
  quotaBytes: null,
  problem: null,
  lost: null,
};

async function rig(store = memoryStore(() => NOW)) {
  const registry = await createProviders({
    settings: { get: (key) => store.setting(key), put: (key, value) => store.putSetting(key, value) },
    now: () => NOW,
  });
  const settings = createSettings({
    store: {
      ...store,
      setting: (key) => store.setting(key),
      health: () => HEALTH,
      confirmLoss: async () => undefined,
      dropDecisions: async () => undefined,
    },
    registry,
    now: () => NOW,
    newId: () => "id",
    demo: () => null,
    onChanged: () => undefined,
    isPersisted: async () => false,
    onLossConfirmed: () => undefined,
  });
  return { settings, registry, store };
}

test("[L4] how long records are kept can be set, is kept, and is a whole number of days", async () => {
  const { settings, store } = await rig();
  await settings.load();
  expect(settings.view().recordDays).toBe(90);
  expect(await settings.commands.setRecordDays(30)).toEqual({ ok: true });
  expect(settings.view().recordDays).toBe(30);
  for (const days of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 100_000]) {
    expect((await settings.commands.setRecordDays(days)).ok).toBe(false);
  }
  const again = await rig(store);
  await again.settings.load();
  expect(again.settings.view().recordDays).toBe(30);
});

test("[D4] refused storage still gives a screen to show, and its settings once it works", async () => {
  const store = memoryStore(() => NOW);
  await store.putSetting("profileName", "Robin");
  store.refuses = true;
  const { settings, registry } = await rig(store);
  await expect(settings.load()).rejects.toThrow("refuses");
  expect(settings.view()).toMatchObject({ profileName: "", recordDays: 90 });
  expect(settings.view().providers.map(({ id }) => id)).toContain("local");
  store.refuses = false;
  await Promise.all([settings.load(), registry.load()]);
  expect(settings.view().profileName).toBe("Robin");
});
