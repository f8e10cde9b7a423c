import { expect, test } from "vitest";
import { createPersistence } from "./persistence";

/** A browser that answers as told, and what it was asked. */
function browser(persisted: boolean) {
  const asked: string[] = [];
  const storage = {
    persisted: async () => persisted,
    persist: async () => {
      asked.push("persist");
      return true;
    },
  };
  return { asked, after: createPersistence(storage, async () => asked.push("note")) };
}

test("persistence is asked for after the first server or policy that was kept, once", async () => {
  const { asked, after } = browser(false);
  await after("setProfileName", { ok: true });
  await after("addServer", { ok: false, problems: [] });
  expect(asked).toEqual([]);
  await after("addServer", { ok: true });
  await after("savePolicy", { ok: true, revision: 1 });
  expect(asked).toEqual(["persist", "note"]);
});

test("a browser that keeps it already is not asked, and one without the means neither", async () => {
  const { asked, after } = browser(true);
  await after("connectDemo", { ok: true });
  expect(asked).toEqual([]);
  await createPersistence(undefined, async () => asked.push("note"))("connectDemo", { ok: true });
  expect(asked).toEqual([]);
});
