/**
 * MCP over WebSocket. The SDK's own transport parses a frame before anyone can see its size, and drops batches and
 * malformed frames without a word; this one gives each frame to the gate as text, when its server's turn comes.
 */
import type { Transport } from "@modelcontextprotocol/client";
import type { Gate } from "./gate";
import type { Lane } from "./lanes";

const SUBPROTOCOL = "mcp";
const OPEN_TIMEOUT_MS = 15_000;
/** A WebSocket cannot be told to wait: this much is kept unread, and where more comes the connection ends. */
export const MAX_UNREAD_FRAMES = 20_000;
export const MAX_UNREAD_CHARS = 64 * 1024 * 1024;
/** What a server does not take of what it is sent. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
/** Of the codes an application may use; the number of HTTP's "too many requests". */
const FLOODED = 4429;

export interface WebSocketHooks {
  readonly gate: Gate;
  readonly lane: Lane;
  /** It sent more than is read, or took less than it asked for; the connection has been closed. */
  readonly onFlood: (what: string) => void;
}

export function webSocketTransport(url: string, { gate, lane, onFlood }: WebSocketHooks): Transport {
  let socket: WebSocket | null = null;
  let ended = false;
  let unread: string[] = [];
  let unreadChars = 0;
  const decoder = new TextDecoder();

  function end(): void {
    if (ended) return;
    ended = true;
    unread = [];
    transport.onclose?.();
  }

  function flooded(what: string): void {
    socket?.close(FLOODED, what);
    onFlood(what);
    end();
  }

  function read(): void {
    const text = unread.shift();
    if (text === undefined) return;
    unreadChars -= text.length;
    for (const message of gate.inbound(text, { stream: 0, ticket: null })) transport.onmessage?.(message as never);
  }

  function take(text: string): void {
    if (ended) return;
    unread.push(text);
    unreadChars += text.length;
    if (unread.length <= MAX_UNREAD_FRAMES && unreadChars <= MAX_UNREAD_CHARS) lane.read(read);
    else flooded("it sent more than Purser answers");
  }

  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        const opening = new WebSocket(url, SUBPROTOCOL);
        socket = opening;
        opening.binaryType = "arraybuffer";
        const timer = setTimeout(() => opening.close(), OPEN_TIMEOUT_MS);
        opening.addEventListener("open", () => {
          clearTimeout(timer);
          resolve();
        });
        opening.addEventListener("error", () => transport.onerror?.(new Error("the WebSocket failed")));
        opening.addEventListener("close", () => {
          clearTimeout(timer);
          reject(new Error("the WebSocket could not be opened"));
          // Nobody waits for what it asked any more; an answer to a call of ours may still be among what is unread.
          gate.close();
          lane.read(end);
        });
        opening.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) =>
          take(typeof data === "string" ? data : decoder.decode(data)),
        );
      }),
    async send(message) {
      if (socket === null || socket.readyState !== socket.OPEN) throw new Error("the WebSocket is not open");
      socket.send(JSON.stringify(message));
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) flooded("it does not take the answers it asked for");
    },
    async close() {
      socket?.close();
      // The close handshake may never come; for us it is over now.
      end();
    },
  };
  return transport;
}
