/**
 * A server in a process of its own that sends sampling requests at a set rate over WebSocket, so that what sending costs
 * is not counted as Purser's. Commands come as lines on stdin, answers go as JSON lines to stdout:
 * `flood <kind> <per second> <how many>` starts, `stop` stops, each answers with what was sent and told so far.
 */
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { type WebSocket, WebSocketServer } from "ws";

export type FloodKind = "identical" | "varied" | "malformed" | "mixed";

export interface FloodCount {
  readonly sent: number;
  readonly answered: number;
  /** Still unanswered when the connection they were sent on ended. */
  readonly dropped: number;
  /** Answers by `data.reason`, `-32602`, or `result`. */
  readonly told: Readonly<Record<string, number>>;
  /** Close codes of connections that the client ended. */
  readonly closed: readonly number[];
}

const TICK_MS = 4;
let socket: WebSocket | null = null;
let timer: ReturnType<typeof setInterval> | undefined;
let [sent, answered, dropped] = [0, 0, 0];
const told: Record<string, number> = {};
const closed: number[] = [];

function requestOf(kind: FloodKind, id: number): string {
  const text = kind === "varied" ? `question number ${id}` : "the same question";
  const bad = kind === "malformed" || (kind === "mixed" && id % 2 === 0);
  const maxTokens = bad ? "-1" : "100";
  return `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"${text}"}}],"maxTokens":${maxTokens}}}`;
}

function flood(kind: FloodKind, perSecond: number, howMany: number): void {
  clearInterval(timer);
  const from = sent;
  const startedAt = performance.now();
  timer = setInterval(() => {
    const due = Math.min(howMany, Math.floor(((performance.now() - startedAt) * perSecond) / 1000));
    for (; sent < from + due; sent += 1) socket?.send(requestOf(kind, sent));
    if (sent >= from + howMany) clearInterval(timer);
  }, TICK_MS);
}

function count(text: string): void {
  answered += 1;
  const reason = /"reason":"([^"]+)"/.exec(text)?.[1] ?? (text.includes('"result"') ? "result" : "-32602");
  told[reason] = (told[reason] ?? 0) + 1;
}

function serve(ws: WebSocket): void {
  socket = ws;
  ws.on("close", (code) => {
    closed.push(code);
    if (ws !== socket) return;
    clearInterval(timer);
    dropped = sent - answered;
  });
  ws.on("message", (data) => {
    const text = String(data);
    if (!text.includes('"method"')) return count(text);
    const { id, method } = JSON.parse(text) as { id?: number; method: string };
    if (id === undefined) return;
    const reply = (result: object): void => ws.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
    const serverInfo = { name: "flooder", version: "1" };
    if (method === "initialize")
      return reply({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") return reply({ tools: [{ name: "ask", inputSchema: { type: "object" } }] });
    if (method === "tools/call") return reply({ content: [] });
    if (method === "ping") return reply({});
    const error = { code: -32601, message: "Method not found" };
    ws.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
  });
}

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => "mcp" });
server.on("connection", serve);
server.once("listening", () => say({ port: (server.address() as AddressInfo).port }));

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [command, kind, perSecond, howMany] = line.split(" ");
    if (command === "flood") flood(kind as FloodKind, Number(perSecond), Number(howMany));
    if (command === "stop") clearInterval(timer);
    say({ sent, answered, dropped, told, closed } satisfies FloodCount);
  })
  .on("close", () => process.exit(0));
