import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on 127.0.0.1 at `port`, or at any free one when that is taken. Answers the origin, `http://127.0.0.1:…`. */
export async function listen(server: Server, port: number): Promise<string> {
  try {
    await listenAt(server, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
    await listenAt(server, 0);
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function listenAt(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** Whether a Host header names this machine: a page elsewhere that resolves its own name to 127.0.0.1 does not pass. */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host ?? "");
}

/** Whether an Origin header names a page of this machine; a request without one comes from no page. */
export function isLoopbackOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    return isLoopbackHost(new URL(origin).host);
  } catch {
    return false;
  }
}
