/** What a load does to the page: tasks that block its main thread, its heap, its nodes. */
import type { Page } from "@playwright/test";

export interface Load {
  readonly nodes: number;
  readonly pageHeapBytes: number;
}

/** Tasks of the page's main thread. */
export interface Tasks {
  /** The longest, by the processor time it took: what a busy machine does in between is not the page's. */
  readonly longestMs: number;
  readonly over50: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Watches until the function it resolves with is called. */
export async function watchTasks(page: Page): Promise<() => Promise<Tasks>> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  if (session === undefined) throw new Error("the browser has no session of its own");
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  const includedCategories = ["toplevel", "__metadata"];
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { recordMode: "recordAsMuchAsPossible", includedCategories, excludedCategories: ["*"] },
  });
  return async () => {
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    await session.detach();
    const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
    const isMain = ({ name, args }: TraceEvent) => name === "thread_name" && args?.name === "CrRendererMain";
    const main = new Set(events.filter(isMain).map(threadOf));
    const took = events.flatMap((event) => (main.has(threadOf(event)) ? [(event.tdur ?? 0) / 1000] : []));
    if (took.length === 0) throw new Error("the trace holds no task of a main thread");
    const longest = took.reduce((most, ms) => Math.max(most, ms), 0);
    return { longestMs: Math.round(longest * 10) / 10, over50: took.filter((ms) => ms > 50).length };
  };
}

interface Watched {
  scrolling?: ReturnType<typeof setInterval>;
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
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  return { nodes, pageHeapBytes: usedSize };
}
