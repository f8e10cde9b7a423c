/**
 * MCP over WebSocket. The SDK's own transport parses a frame before anyone can see its size, and drops batches and
 * malformed frames without a word; this one gives each frame to the gate as text.
 */
import type { Transport } from "@modelcontextprotocol/client";
import type { Gate } from "./gate";

const SUBPROTOCOL = "mcp";
const OPEN_TIMEOUT_MS = 15_000;

export function webSocketTransport(url: string, gate: Gate): Transport {
  let socket: WebSocket | null = null;
  let ended = false;
  const decoder = new TextDecoder();

  function end(): void {
    if (ended) return;
    ended = true;
    transport.onclose?.();
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
          end();
        });
        opening.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
          const text = typeof data === "string" ? data : decoder.decode(data);
          for (const message of gate.inbound(text, { stream: 0, ticket: null }))
            transport.onmessage?.(message as never);
        });
      }),
    async send(message) {
      if (socket === null || socket.readyState !== socket.OPEN) throw new Error("the WebSocket is not open");
      socket.send(JSON.stringify(message));
    },
    async close() {
      socket?.close();
      // The close handshake may never come; for us it is over now.
      end();
    },
  };
  return transport;
}
