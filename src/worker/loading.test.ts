import { expect, test } from "vitest";
import { createLoading } from "./loading";

/** Two parts of which storage may refuse one. */
function parts() {
  const log: string[] = [];
  const storage = { works: true };
  const loading = createLoading([
    async () => {
      log.push("settings");
      if (!storage.works) throw new Error("refused");
    },
    async () => void log.push("servers"),
  ]);
  return { log, storage, loading };
}

test("[D4] a refused start reads what it can, and everything once storage works", async () => {
  const { log, storage, loading } = parts();
  storage.works = false;
  await loading.load();
  expect(log).toEqual(["settings", "servers"]);
  loading.note(false);
  expect(log).toHaveLength(2);
  storage.works = true;
  loading.note(true);
  await loading.load();
  expect(log).toEqual(["settings", "servers", "settings", "servers"]);
});

test("what was read well is not read again for every word of storage", async () => {
  const { log, loading } = parts();
  await Promise.all([loading.load(), loading.load()]);
  loading.note(true);
  loading.note(true);
  expect(log).toHaveLength(2);
  // Storage failed meanwhile: what this tab could only remember is stored by reading anew.
  loading.note(false);
  loading.note(true);
  await loading.load();
  expect(log).toHaveLength(4);
});
