/** The DevTools of a tab's worker, which Playwright does not hand out: its heap after a collection, and its profile. */
import type { CDPSession, Page } from "@playwright/test";

export interface WorkerSession {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Bytes in use after everything unreachable was collected. */
  heapBytes(): Promise<number>;
}

export async function workerSession(page: Page): Promise<WorkerSession> {
  const session = await page.context().newCDPSession(page);
  const sessionId = await attached(session);
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  let nextId = 1;
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = JSON.parse(message) as { id?: number; result?: Record<string, unknown> };
    if (id === undefined) return;
    waiting.get(id)?.(result ?? {});
    waiting.delete(id);
  });
  const send: WorkerSession["send"] = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, resolve);
      const message = JSON.stringify({ id, method, params });
      session.send("Target.sendMessageToTarget", { sessionId, message }).catch(reject);
    });
  return {
    send,
    async heapBytes() {
      await send("HeapProfiler.collectGarbage");
      const { usedSize } = await send("Runtime.getHeapUsage");
      return usedSize as number;
    },
  };
}

async function attached(session: CDPSession): Promise<string> {
  const found = new Promise<string>((resolve) => {
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") resolve(sessionId);
    });
  });
  // Not flattened, so that Playwright's own sessions never see its messages.
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  return found;
}
