/** A probe over WebSocket on loopback (subprotocol `mcp`). */
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import type { Probe } from "./probe";

export interface WsProbe {
  readonly url: string;
  /** Closes every socket at once, as a lost connection would. */
  cut(): void;
  /** Stops listening; `listen` starts again on the same port, as a restarted server would. */
  close(): Promise<void>;
  listen(): Promise<void>;
}

export async function serveWs(probe: Probe, port = 0): Promise<WsProbe> {
  let server = await open(probe, port);
  const bound = (server.address() as AddressInfo).port;
  const cut = () => {
    for (const socket of server.clients) socket.terminate();
  };
  return {
    url: `ws://127.0.0.1:${bound}/`,
    cut,
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
    async listen() {
      server = await open(probe, bound);
    },
  };
}

async function open(probe: Probe, port: number): Promise<WebSocketServer> {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port,
    handleProtocols: (offered) => (offered.has("mcp") ? "mcp" : false),
  });
  await new Promise<void>((resolve, reject) => server.once("listening", resolve).once("error", reject));
  server.on("connection", (socket) => {
    socket.on("message", (data) => probe.receive(data.toString(), { send: (text) => socket.send(text) }));
  });
  return server;
}
