/**
 * A scriptable MCP server that keeps every frame the client sent, byte for byte. Tests say what its one tool does while
 * a call runs; the transports are in `probe-http.ts` and `probe-ws.ts`. Protocol 2025-11-25 and earlier.
 */

export interface Frame {
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export interface SampleOptions {
  /** JSON-RPC id; the next number where not given. */
  readonly id?: string | number;
  /** Sent as it is instead of `JSON.stringify` of the request; `$ID` stands for the id. */
  readonly raw?: string;
  /** Asks for `notifications/progress` with this token. */
  readonly progressToken?: string;
  /** Where the request travels: the call's own stream (default) or the standalone one. */
  readonly stream?: "call" | "standalone";
}

/** What a script can do while the tool call it belongs to runs. */
export interface Script {
  readonly args: Record<string, unknown>;
  /** Sends `sampling/createMessage` and resolves with the client's response frame. */
  sample(params: unknown, options?: SampleOptions): Promise<Frame>;
  /** The same without waiting for an answer; returns the id. */
  post(params: unknown, options?: SampleOptions): string | number;
  /** The response to `id`, or null when none came within `ms`. */
  answerTo(id: string | number, ms: number): Promise<Frame | null>;
  cancel(id: string | number): void;
  /** Any other frame to the client. */
  send(message: unknown): void;
}

export type Tool = (script: Script) => Promise<unknown>;

/** One connection to the client, as a transport hands it over. */
export interface Wire {
  /** `stream` names the call whose stream should carry it; null for the standalone one. */
  send(text: string, stream: string | number | null): void;
}

export interface Probe {
  /** What the `ask` tool does; its result becomes the call's text, or is the call's result where it has `content`. */
  tool: Tool;
  readonly frames: readonly Frame[];
  /** Client capabilities of the last `initialize`. */
  readonly capabilities: Record<string, unknown> | null;
  readonly initializations: number;
  receive(text: string, wire: Wire): void;
  /** Sees every frame first; answers true where the probe itself is to do nothing about it. */
  intercept: (json: Readonly<Record<string, unknown>>, wire: Wire) => boolean;
  /** The newest connection, for what is sent outside any call. */
  readonly wire: Wire | null;
  claimedName: string;
  protocol: string;
}

/** A tool's whole result where it returned one, else what it returned as text. */
function resultOf(said: unknown): object {
  if (typeof said === "object" && said !== null && "content" in said) return said;
  return { content: [{ type: "text", text: typeof said === "string" ? said : JSON.stringify(said) }] };
}

interface Waiting {
  readonly resolve: (frame: Frame) => void;
}

export function createProbe(tool: Tool = async () => "nothing asked"): Probe {
  const frames: Frame[] = [];
  const waiting = new Map<string, Waiting>();
  const answers = new Map<string, Frame>();
  let nextId = 1000;
  const probe = {
    tool,
    frames: frames as readonly Frame[],
    capabilities: null as Record<string, unknown> | null,
    initializations: 0,
    intercept: (() => false) as Probe["intercept"],
    wire: null as Wire | null,
    claimedName: "probe",
    protocol: "2025-11-25",
    receive,
  };

  function receive(text: string, wire: Wire): void {
    const json = JSON.parse(text) as Record<string, unknown>;
    const frame = { text, json };
    frames.push(frame);
    probe.wire = wire;
    if (probe.intercept(json, wire)) return;
    if (json.method === undefined) {
      const key = JSON.stringify(json.id);
      answers.set(key, frame);
      waiting.get(key)?.resolve(frame);
      waiting.delete(key);
      return;
    }
    const id = json.id as string | number | undefined;
    if (id === undefined) return;
    const reply = (body: object) => wire.send(JSON.stringify({ jsonrpc: "2.0", id, ...body }), id);
    const params = (json.params ?? {}) as Record<string, unknown>;
    switch (json.method) {
      case "initialize":
        probe.capabilities = params.capabilities as Record<string, unknown>;
        probe.initializations += 1;
        return reply({
          result: {
            protocolVersion: probe.protocol,
            capabilities: { tools: {} },
            serverInfo: { name: probe.claimedName, version: "1.0.0" },
          },
        });
      case "ping":
        return reply({ result: {} });
      case "tools/list":
        return reply({
          result: {
            tools: [
              {
                name: "ask",
                description: "Runs what the test scripted.",
                inputSchema: { type: "object", properties: {} },
              },
            ],
          },
        });
      case "tools/call":
        void call(id, params, wire).then(
          (said) => reply({ result: resultOf(said) }),
          (error: unknown) => reply({ result: { isError: true, content: [{ type: "text", text: String(error) }] } }),
        );
        return;
      default:
        return reply({ error: { code: -32601, message: "Method not found" } });
    }
  }

  function call(callId: string | number, params: Record<string, unknown>, wire: Wire): Promise<unknown> {
    const post = (sampling: unknown, options: SampleOptions = {}): string | number => {
      const id = options.id ?? nextId++;
      const meta = options.progressToken === undefined ? {} : { _meta: { progressToken: options.progressToken } };
      const request = {
        jsonrpc: "2.0",
        id,
        method: "sampling/createMessage",
        params: { ...(sampling as object), ...meta },
      };
      const text = options.raw?.replaceAll("$ID", JSON.stringify(id)) ?? JSON.stringify(request);
      answers.delete(JSON.stringify(id));
      wire.send(text, options.stream === "standalone" ? null : callId);
      return id;
    };
    const answer = (id: string | number): Promise<Frame> => {
      const key = JSON.stringify(id);
      const there = answers.get(key);
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((resolve) => waiting.set(key, { resolve }));
    };
    return probe.tool({
      args: (params.arguments ?? {}) as Record<string, unknown>,
      post,
      sample: (sampling, options) => answer(post(sampling, options)),
      answerTo: (id, ms) =>
        Promise.race([answer(id), new Promise<null>((resolve) => setTimeout(() => resolve(null), ms))]),
      cancel: (requestId) =>
        wire.send(
          JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason: "test" } }),
          callId,
        ),
      send: (message) => wire.send(JSON.stringify(message), callId),
    });
  }

  return probe;
}
