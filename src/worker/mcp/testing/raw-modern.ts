/** A server of protocol 2026-07-28 on bare HTTP: every result is the test's, wrong ones included. */
import { bodyOf, listen } from "./listen";

export interface RawModern {
  readonly url: string;
  /** Parameters of every `tools/call`, and the request's id with them. */
  readonly calls: { readonly id: unknown; readonly params: Record<string, unknown> }[];
  tools: unknown;
  result: (params: Record<string, unknown>, round: number) => unknown;
  /** The whole answer to a call as text, in place of `result`. */
  body: ((params: Record<string, unknown>, id: number) => string) | null;
  close(): Promise<void>;
}

export async function rawModern(): Promise<RawModern> {
  const calls: RawModern["calls"] = [];
  const listening = await listen(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await bodyOf(request));
    const discovered = {
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
    };
    let result: unknown = discovered;
    if (method === "tools/list") result = raw.tools;
    if (method === "tools/call") {
      calls.push({ id, params });
      result = raw.result(params, calls.length);
    }
    response.writeHead(200, { "content-type": "application/json" });
    if (method === "tools/call" && raw.body !== null) return void response.end(raw.body(params, id));
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const raw: RawModern = {
    url: listening.url,
    calls,
    tools: { tools: [{ name: "ask", inputSchema: { type: "object" } }] },
    result: () => ({ content: [] }),
    body: null,
    close: listening.close,
  };
  return raw;
}
