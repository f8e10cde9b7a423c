/** Protocol 2026-07-28 tells of changed lists only to those who listen; what breaks off is listened to again. */
import type { Client } from "@modelcontextprotocol/client";
import type { OpenStream } from "./session";

const ACKNOWLEDGE_TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

export interface ListenHooks {
  readonly openStream: OpenStream;
  readonly onChanged: () => void;
  readonly onWarning: (warning: string) => void;
  /** Aborts when the connection is over. */
  readonly signal: AbortSignal;
}

const NOT_TOLD_YET =
  "Other servers or tabs hold all the connections a browser opens to this address; that the tools changed is heard once one of them is free.";
const NOT_TOLD = "The server does not tell when its tools change; reconnect to see new ones.";

export async function followToolChanges(client: Client, hooks: ListenHooks): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  while (!hooks.signal.aborted) {
    const release = await hooks.openStream(hooks.signal, () => hooks.onWarning(NOT_TOLD_YET));
    if (release === null) return;
    try {
      const options = { timeout: ACKNOWLEDGE_TIMEOUT_MS, signal: hooks.signal };
      const subscription = await client.listen({ toolsListChanged: true }, options);
      if ((await subscription.closed) === "local") return;
    } catch {
      if (!hooks.signal.aborted) hooks.onWarning(NOT_TOLD);
      return;
    } finally {
      release();
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
    // What changed in between was told to nobody.
    if (!hooks.signal.aborted) hooks.onChanged();
  }
}
