/** Asks the browser once to keep what is stored, as soon as there is something worth keeping. Only the page may ask. */
import type { PurserApi } from "../worker/api";

/** What a person does that must still be there tomorrow. */
const KEEPING: ReadonlySet<string> = new Set<keyof PurserApi>([
  "addServer",
  "connectDemo",
  "savePolicy",
  "savePolicyBlock",
  "importPolicies",
]);

/** @param note tells the worker to look at the browser's answer */
export function createPersistence(
  storage: Pick<StorageManager, "persisted" | "persist"> | undefined,
  note: () => Promise<unknown>,
): (command: string, answer: unknown) => Promise<void> {
  let asked = false;
  return async (command, answer) => {
    if (asked || storage === undefined || !KEEPING.has(command) || !isDone(answer)) return;
    asked = true;
    try {
      if (await storage.persisted()) return;
      await storage.persist();
      await note();
    } catch {
      // The settings say what holds, and offer to ask again.
    }
  };
}

function isDone(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "ok" in answer && answer.ok === true;
}
