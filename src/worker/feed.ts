/** State to the page, one way: a snapshot on attach, then batches of patches (STYLE, Worker ↔ page). */
import type { FeedMessage, Patch, Snapshot } from "./api";

/** Patches wait this long for each other: a flood of steps is one message, and nobody reads faster. */
const BATCH_MS = 40;
/** Where one message follows the other, drawing them must not take the page's time, nor that of who is answered. */
const BUSY_BATCH_MS = 200;

export interface Feed {
  attach(port: MessagePort): void;
  push(patch: Patch): void;
}

export function createFeed(snapshot: () => Snapshot, ticks: () => number = () => performance.now()): Feed {
  const ports = new Map<MessagePort, number>();
  let pending = new Map<string, Patch>();
  let scheduled = false;
  let sentAt = Number.NEGATIVE_INFINITY;

  function send(): void {
    scheduled = false;
    sentAt = ticks();
    const patches = [...pending.values()];
    pending = new Map();
    for (const [port, seq] of ports) {
      const message: FeedMessage = { seq: seq + 1, patches };
      ports.set(port, seq + 1);
      port.postMessage(message);
    }
  }

  return {
    attach(port) {
      // One page per worker: an earlier port belongs to a page that is gone or attaches again.
      for (const old of ports.keys()) old.close();
      ports.clear();
      // What waits is in the snapshot already.
      pending.clear();
      ports.set(port, 0);
      const message: FeedMessage = { seq: 0, snapshot: snapshot() };
      port.postMessage(message);
    },
    push(patch) {
      if (ports.size === 0) return;
      // A later patch of the same thing replaces the earlier one, and keeps the order of things.
      const key = keyOf(patch);
      pending.delete(key);
      pending.set(key, patch);
      if (!scheduled) setTimeout(send, ticks() - sentAt < BUSY_BATCH_MS ? BUSY_BATCH_MS : BATCH_MS);
      scheduled = true;
    },
  };
}

function keyOf(patch: Patch): string {
  switch (patch.kind) {
    case "server":
      return `server:${patch.server.name}`;
    case "server_removed":
      return `server:${patch.name}`;
    case "run":
      return `run:${patch.run.id}`;
    case "dialog":
      return `dialog:${patch.dialog.id}`;
    case "dialog_closed":
      return `dialog:${patch.id}`;
    default:
      return patch.kind;
  }
}
