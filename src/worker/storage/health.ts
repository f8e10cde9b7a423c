/** How storage is, for the screen (D4, D7). */
import type { Proof } from "./db";
import type { Lost } from "./loss";
import type { StorageHealth, StorageUnavailable } from "./store";

export interface Health {
  view(): StorageHealth;
  setProblem(problem: StorageUnavailable): void;
  /** Something worked: whatever it disproves is no problem any more. */
  worked(proof: Proof): void;
  setLost(lost: Lost | null): void;
  /** Asks the browser anew how much is used, and whether it will be kept. */
  measure(): Promise<void>;
}

/** @param onTurn called when the state, or what is wrong, became another */
export function createHealth(storage: StorageManager | null, onTurn: () => void): Health {
  let problem: StorageUnavailable | null = null;
  let lost: Lost | null = null;
  let persisted: boolean | null = null;
  let usageBytes: number | null = null;
  let quotaBytes: number | null = null;

  function set(found: StorageUnavailable | null): void {
    const turned = found?.message !== problem?.message;
    problem = found;
    if (turned) onTurn();
  }

  return {
    view: () => ({
      state: problem !== null ? "unavailable" : lost !== null ? "amnesia" : "ok",
      persisted,
      usageBytes,
      quotaBytes,
      problem: problem?.message ?? null,
      lost,
    }),
    setProblem(found) {
      // A loss that waits to be confirmed is a state of its own; that nothing is allowed meanwhile is no further problem.
      if (found.problem === "lost" && lost !== null) return;
      set(found);
    },
    worked(proof) {
      if (problem !== null && (problem.problem !== "full" || proof === "write")) set(null);
    },
    setLost(found) {
      lost = found;
      if (problem?.problem === "lost") problem = null;
      onTurn();
    },
    async measure() {
      const before = persisted;
      try {
        persisted = (await storage?.persisted()) ?? null;
        const estimate = await storage?.estimate();
        usageBytes = estimate?.usage ?? null;
        quotaBytes = estimate?.quota ?? null;
      } catch {
        // Some browsers answer neither in a worker; then it is unknown.
      }
      if (persisted !== before) onTurn();
    },
  };
}
