/** What a load does to the page: tasks that block its main thread, its heap, its nodes. */
import type { Page } from "@playwright/test";

export interface Load {
  /** Tasks over 50 ms since the last look, ms each. */
  readonly longTasks: readonly number[];
  readonly nodes: number;
  readonly pageHeapBytes: number;
}

interface Watched {
  tasks?: number[];
  scrolling?: ReturnType<typeof setInterval>;
}

export async function watchTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const tasks: number[] = [];
    (globalThis as Watched).tasks = tasks;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(Math.round(entry.duration));
    }).observe({ type: "longtask" });
  });
}

/** Scrolls the log down in steps, as a wheel would, and from its end back to the top. */
export async function scrollLog(page: Page): Promise<void> {
  await page.getByRole("table", { name: "Activity" }).evaluate((table) => {
    const scroller = table.parentElement as HTMLElement;
    const watched = globalThis as Watched;
    clearInterval(watched.scrolling);
    watched.scrolling = setInterval(() => {
      const atEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
      scroller.scrollTop = atEnd ? 0 : scroller.scrollTop + 240;
    }, 50);
  });
}

export async function stopScrolling(page: Page): Promise<void> {
  await page.evaluate(() => clearInterval((globalThis as Watched).scrolling));
}

export async function lookAt(page: Page): Promise<Load> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  const { longTasks, nodes } = await page.evaluate(() => {
    const watched = globalThis as Watched;
    const longTasks = watched.tasks?.splice(0) ?? [];
    return { longTasks, nodes: document.querySelectorAll("*").length };
  });
  return { longTasks, nodes, pageHeapBytes: usedSize };
}
