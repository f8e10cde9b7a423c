/** Fills a store that exists with records of the past, sums by day included, in a few large transactions. */
import type { Page } from "@playwright/test";

/** `count` completed exchanges of `server`, spread over the sixty days before `before`, each charged one micro-dollar. */
export function fillRecords(page: Page, server: string, count: number, before: number): Promise<void> {
  return page.evaluate(write, { server, count, before });
}

/** Runs in the page: what it uses must be in it. */
async function write(given: {
  readonly server: string;
  readonly count: number;
  readonly before: number;
}): Promise<void> {
  const { server, count, before } = given;
  const stepMs = (60 * 86_400_000) / count;
  const days = new Map<string, { count: number } & Record<string, unknown>>();
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open("purser");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const recordAt = (at: number, number: number) => {
    const base = { receivedAt: at - 20, decidedAt: at - 15, dispatchedAt: at - 14, endedAt: at };
    const usage = { inputTokens: 900, outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return {
      ...base,
      id: `past-${number}`,
      server,
      identity: `${server}:${number.toString(16).padStart(32, "0")}`,
      runId: null,
      tool: null,
      hints: [],
      scopeAsked: "none",
      maxTokensAsked: 100,
      protocol: "2025-11-25",
      transport: "websocket",
      ending: "completed",
      reason: null,
      detail: { stopReason: "endTurn" },
      because: "A",
      policyRevision: 1,
      modelUsed: "local-extractive-1",
      provider: "local",
      scopeGranted: "none",
      maxTokensGranted: 100,
      manifest: [],
      estimatedInputTokens: 950,
      estimatedOutputTokens: 100,
      estimatedMicros: 2,
      usage,
      chargedMicros: 1,
      chargeBasis: "reported",
      overrunMicros: 0,
      pricesAsOf: "2026-12-01",
      grantIds: [],
      consentId: null,
      fellBackFrom: [],
      answeredBy: null,
      represented: 0,
      count: 1,
    };
  };
  for (let from = 0; from < count; from += 5_000) {
    const tx = db.transaction(["records", "days"], "readwrite", { durability: "relaxed" });
    const done = new Promise<void>((resolve, reject) => {
      tx.oncomplete = () => resolve();
      tx.onabort = () => reject(tx.error);
    });
    for (let number = from; number < Math.min(count, from + 5_000); number += 1) {
      const at = Math.floor(before - (count - number) * stepMs);
      tx.objectStore("records").put(recordAt(at, number));
      const day = new Date(at).toISOString().slice(0, 10);
      const sums = days.get(day) ?? { day, server, model: "local-extractive-1", ending: "completed", count: 0 };
      sums.count += 1;
      days.set(day, sums);
    }
    for (const sums of days.values()) {
      const { count: n } = sums;
      tx.objectStore("days").put({
        ...sums,
        represented: 0,
        estimatedMicros: 2 * n,
        chargedMicros: n,
        inputTokens: 900 * n,
        outputTokens: 40 * n,
      });
    }
    tx.commit();
    await done;
  }
  db.close();
}
