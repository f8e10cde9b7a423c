import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { WebSocket } from "ws";

/** MCP over one accepted WebSocket: a frame is a message. The SDK brings the client's side only. */
export function webSocketTransport(socket: WebSocket): Transport {
  const transport: Transport = {
    async start() {
      socket.on("message", (data) => {
        let message: JSONRPCMessage;
        try {
          message = JSONRPCMessageSchema.parse(JSON.parse(data.toString()));
        } catch (error) {
          return transport.onerror?.(error as Error);
        }
        transport.onmessage?.(message);
      });
      socket.on("error", (error) => transport.onerror?.(error));
      socket.on("close", () => transport.onclose?.());
    },
    send: (message) =>
      new Promise((resolve, reject) =>
        socket.send(JSON.stringify(message), (error) => (error ? reject(error) : resolve())),
      ),
    async close() {
      socket.close();
    },
  };
  return transport;
}
