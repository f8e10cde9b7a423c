/** Registering, connecting and removing servers. */
import { isServerName, lookAlikeOf, MAX_NAME_CHARS, mixesAlphabets } from "../../policy/server-name";
import type { Answer, DemoInfo, PurserApi } from "../api";
import { hostOf, type Roster } from "../roster";
import type { ServerRow } from "../storage/store";
import { answering, done, refuse } from "./answers";

/** RFC 9110 token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The browser or the protocol sets these; a static value would break the connection. */
const RESERVED_HEADERS = new Set([
  "content-type",
  "accept",
  "host",
  "origin",
  "mcp-session-id",
  "mcp-protocol-version",
]);

type ServerCommands = Pick<
  PurserApi,
  "addServer" | "editServer" | "removeServer" | "connect" | "disconnect" | "connectDemo"
>;

export interface ServerCommandDeps {
  readonly roster: Roster;
  readonly now: () => number;
  readonly profileName: () => string;
  readonly demo: () => DemoInfo | null;
  /** Puts the file's policies beside those there are. */
  readonly mergePolicies: (text: string) => Promise<Answer>;
}

export function serverCommands(deps: ServerCommandDeps): ServerCommands {
  const { roster } = deps;

  async function addServer(input: Parameters<PurserApi["addServer"]>[0]): Promise<Answer> {
    const name = input.name.trim().normalize("NFC");
    const problem = nameProblem(name) ?? urlProblem(input.url) ?? headerProblem(input.url, input.headers);
    if (problem !== null) return problem;
    if (roster.row(name) !== undefined) return refuse("name", `A server named ${name} is registered already`);
    const twin = lookAlikeOf(
      name,
      roster.rows().map((row) => row.name),
    );
    if (twin !== undefined) return refuse("name", `Too much like ${twin}, which is registered: take another name`);
    const row: ServerRow = {
      name,
      url: new URL(input.url.trim()).href,
      headers: input.headers,
      autoConnect: input.connect,
      addedAt: deps.now(),
      era: null,
    };
    await roster.put(row);
    if (input.connect) roster.connect(name);
    return done;
  }

  async function setAutoConnect(name: string, autoConnect: boolean): Promise<Answer> {
    const row = roster.row(name);
    if (row === undefined) return unknown(name);
    if (row.autoConnect !== autoConnect) await roster.put({ ...row, autoConnect });
    return done;
  }

  return {
    addServer: (input) => answering(() => addServer(input)),
    editServer: (name, input) =>
      answering(async () => {
        const row = roster.row(name);
        if (row === undefined) return unknown(name);
        const headers = input.headers ?? row.headers;
        const problem = urlProblem(input.url) ?? headerProblem(input.url, headers);
        if (problem !== null) return problem;
        const url = new URL(input.url.trim()).href;
        // What was learnt of one endpoint says nothing about another.
        const era = url === row.url ? row.era : null;
        await roster.put({ ...row, url, headers, era, autoConnect: input.autoConnect });
        if (input.autoConnect) roster.connect(name);
        return done;
      }),
    removeServer: (name) =>
      answering(async () => {
        if (roster.row(name) === undefined) return unknown(name);
        await roster.remove(name, deps.profileName());
        return done;
      }),
    connect: (name) =>
      answering(async () => {
        const answer = await setAutoConnect(name, true);
        if (answer.ok) roster.connect(name);
        return answer;
      }),
    disconnect: (name) =>
      answering(async () => {
        const answer = await setAutoConnect(name, false);
        if (answer.ok) await roster.disconnect(name);
        return answer;
      }),
    connectDemo: () =>
      answering(async () => {
        const demo = deps.demo();
        if (demo === null) return refuse("demo", "This page was not served with the demo servers");
        // Policies first: a server is never connected with more than its policy will say.
        const merged = await deps.mergePolicies(demo.policyText);
        // Where nothing can be stored nothing may sample, and the tools are still there to run (D4).
        if (!merged.ok && !merged.problems.every(({ where }) => where === "storage")) return merged;
        for (const { name, url } of demo.servers) {
          const known = roster.row(name);
          const added = known === undefined ? await addServer({ name, url, headers: {}, connect: true }) : done;
          if (!added.ok) return added;
          if (known !== undefined) {
            // The demo's ports differ from start to start.
            await roster.put({ ...known, url, autoConnect: true });
            roster.connect(name);
          }
        }
        return done;
      }),
  };
}

function unknown(name: string): Answer {
  return refuse("name", `No server named ${name} is registered`);
}

function nameProblem(name: string): Answer | null {
  if (name === "") return refuse("name", "Give the server a name of your own");
  if (name.length > MAX_NAME_CHARS) return refuse("name", `A name has at most ${MAX_NAME_CHARS} characters`);
  if (!isServerName(name)) return refuse("name", "Use letters, digits, single spaces and . _ - @ only");
  if (mixesAlphabets(name)) return refuse("name", "A word of it mixes letters of two alphabets that look alike");
  return null;
}

function urlProblem(text: string): Answer | null {
  if (!URL.canParse(text.trim())) return refuse("url", "Not a URL; it begins with https://, http://, wss:// or ws://");
  const url = new URL(text.trim());
  if (!["http:", "https:", "ws:", "wss:"].includes(url.protocol)) {
    return refuse("url", `${url.protocol}// is not spoken here; use https, http, wss or ws`);
  }
  if (url.username !== "" || url.password !== "") return refuse("url", "Put credentials in a header, not in the URL");
  if (hostOf(url.href) === "") return refuse("url", "The URL names no host");
  return null;
}

function headerProblem(url: string, headers: Readonly<Record<string, string>>): Answer | null {
  const names = Object.keys(headers);
  if (names.length > 0 && /^wss?:/i.test(url.trim())) {
    return refuse("headers", "A browser sends no extra headers over WebSocket; leave them out or use HTTP");
  }
  for (const name of names) {
    if (!HEADER_NAME.test(name)) return refuse(`headers.${name}`, `${name} is not a header name`);
    if (RESERVED_HEADERS.has(name.toLowerCase())) return refuse(`headers.${name}`, `${name} is set by Purser itself`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(headers[name] ?? "")) {
      return refuse(`headers.${name}`, `The value of ${name} has characters a header cannot carry`);
    }
  }
  return null;
}
