/** Tasks that kept the page's main thread for more than 50 ms: reported, never asserted, since machines differ. */
import type { Page } from "@playwright/test";

interface Watching {
  longTasksMs?: number[];
}

export async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const found: number[] = [];
    (globalThis as Watching).longTasksMs = found;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) found.push(Math.round(entry.duration));
    });
    observer.observe({ type: "longtask" });
  });
}

/** How many there were, and the longest, in milliseconds. */
export async function longTasks(page: Page): Promise<{ readonly count: number; readonly longest: readonly number[] }> {
  const all = await page.evaluate(() => (globalThis as Watching).longTasksMs ?? []);
  return { count: all.length, longest: all.sort((a, b) => b - a).slice(0, 8) };
}
