/** One server's connection over time: connects, loses, tries again, gives up, and says so. */
import { SdkHttpError } from "@modelcontextprotocol/client";
import { callOn } from "./call";
import type { ConnectionHooks, ConnectionState, ServerConfig, ToolCall, ToolDetail, ToolOutcome } from "./connection";
import { dial } from "./dial";
import { isSessionProblem, noEvidence, type Trouble, troubleOf } from "./evidence";
import type { Lane } from "./lanes";
import { followToolChanges } from "./list-changes";
import { createRefresher, type Refresher } from "./refresh";
import { createReporter, type Reporter } from "./reporter";
import { createRetry } from "./retry";
import { NoSession, type OpenStream, type Session, type SessionHooks } from "./session";
import type { Slots } from "./slots";
import { listTools, type ToolList } from "./tool-list";

/** A connection that stood this long starts counting its tries anew. */
const STEADY_MS = 30_000;

export interface Link {
  readonly config: ServerConfig;
  /** Connects unless it is connected or on its way. */
  wake(): void;
  retryNow(): void;
  /** As `retryNow`, where only the network was to blame. */
  networkIsBack(): void;
  /** Ends the session properly. `silent` reports nothing more: another link takes this one's place. */
  close(silent: boolean): Promise<void>;
  tool(name: string): ToolDetail | null;
  call(call: ToolCall): Promise<ToolOutcome>;
}

interface Standing {
  readonly session: Session;
  readonly refresher: Refresher;
  readonly lost: AbortController;
  readonly since: number;
}

const NO_TOOLS: ToolList = { tools: new Map(), warnings: [] };

/** What a link shares with the others of this tab. */
export interface Shared {
  readonly slots: Slots;
  /** This server's own. */
  readonly lane: Lane;
  readonly pageUrl: string | null;
  /** A number that no list of tools had yet, also not under an earlier link of this server. */
  readonly nextRead: () => number;
}

export function createLink(config: ServerConfig, hooks: ConnectionHooks, shared: Shared): Link {
  const { slots, lane, pageUrl } = shared;
  const reporter = createReporter(config, hooks);
  let standing: Standing | null = null;
  let connecting: { readonly epoch: number; readonly done: Promise<void> } | null = null;
  /** Goes up with every connection and every end, so that what comes late from an earlier one is known as such. */
  let epoch = 0;
  const retry = createRetry(() => void connect());
  let stoodOnce = false;
  let blame: Trouble | null = null;
  let tools = NO_TOOLS;

  const show = (state: ConnectionState) => reporter.state(state);

  function connect(): Promise<void> {
    retry.disarm();
    // A try that an end overtook is not waited for.
    if (connecting !== null && connecting.epoch === epoch) return connecting.done;
    const mine = ++epoch;
    const done = connectOnce(mine).finally(() => {
      if (connecting?.epoch === mine) connecting = null;
    });
    connecting = { epoch: mine, done };
    return done;
  }

  async function connectOnce(mine: number): Promise<void> {
    const problem = problemWith(config);
    if (problem !== null) return fail({ problem, hint: "Edit the server and correct it.", passing: false });
    const lost = new AbortController();
    const refresher = createRefresher(
      () => refreshTools(mine),
      hooks.now,
      () => reporter.warn("The server keeps saying that its tools changed; the list is read again ever more rarely."),
    );
    const openStream: OpenStream = (signal, onWait) => slots.openStream(config.url, signal, onWait);
    const sessionHooks: SessionHooks = {
      sampling: hooks.sampling,
      lane,
      newId: hooks.newId,
      pageUrl,
      openStream,
      onWarning: (warning) => mine === epoch && reporter.warn(warning),
      onLate: (runId) => hooks.onLate?.(runId),
      onToolsChanged: () => mine === epoch && refresher.request(),
      onEnd: () => mine === epoch && drop(),
      onFlood: (what) => mine === epoch && pause(what),
      onSuspect: () => mine === epoch && void suspect(),
    };
    try {
      reporter.forgetWarnings();
      const session = await dial(config, hooks.eraOf?.(config.name) ?? null, sessionHooks);
      if (mine !== epoch) return void session.close(true);
      standing = { session, refresher, lost, since: hooks.now() };
      reporter.session(session);
      await refreshTools(mine);
      if (mine !== epoch || standing?.session !== session) return;
      stoodOnce = true;
      blame = null;
      hooks.onEra?.(config.name, session.era);
      show({ state: "connected", since: standing.since });
      if (session.era === "modern" && session.client.getServerCapabilities()?.tools?.listChanged === true) {
        const { signal } = lost;
        void followToolChanges(session.client, {
          openStream,
          onChanged: refresher.request,
          onWarning: reporter.warn,
          signal,
        });
      }
    } catch (error) {
      if (mine !== epoch) return;
      leave();
      settle(
        troubleOf(error instanceof NoSession ? error.evidence : noEvidence(), config.url, pageUrl, hasHeaders(config)),
      );
    }
  }

  async function refreshTools(mine: number): Promise<void> {
    const session = standing?.session;
    const listed = session === undefined ? null : await readTools(session, reporter);
    if (mine !== epoch || listed === null) return;
    tools = listed;
    reporter.tools(listed, shared.nextRead());
  }

  /** Lets go of the session that stands, if any. */
  function leave(): void {
    const left = standing;
    standing = null;
    if (left === null) return;
    left.refresher.stop();
    left.lost.abort();
    if (hooks.now() - left.since > STEADY_MS) retry.reset();
    void left.session.close(false);
  }

  /** The connection is gone and nobody asked for it. */
  function drop(): void {
    const evidence = standing?.session.evidence ?? noEvidence();
    epoch += 1;
    leave();
    settle({
      ...troubleOf({ ...evidence, last: { kind: "network" } }, config.url, pageUrl, hasHeaders(config)),
      passing: true,
    });
  }

  /** It was cut off for what it sent; a network that comes back does not end that, the person may. */
  function pause(what: string): void {
    epoch += 1;
    leave();
    blame = null;
    show({ state: "paused", nextTryAt: retry.pause(hooks.now()), problem: `Paused: ${what}.` });
    hooks.onPaused?.(config.name, what);
  }

  function settle(trouble: Trouble): void {
    blame = trouble;
    const next = stoodOnce && trouble.passing ? retry.arm(hooks.now()) : null;
    if (next === null) return fail(trouble);
    show({ state: "reconnecting", attempt: next.attempt, nextTryAt: next.at, problem: trouble.problem });
  }

  function fail(trouble: Trouble): void {
    blame = trouble;
    show({ state: "failed", problem: trouble.problem, hint: trouble.hint });
  }

  async function suspect(): Promise<void> {
    const suspected = standing?.session;
    if (suspected === undefined || (await suspected.alive())) return;
    if (standing?.session === suspected) drop();
  }

  /** The server no longer knows the session: a new one is opened, once for all calls that find out. */
  async function renew(gone: Session): Promise<void> {
    if (standing?.session === gone) {
      epoch += 1;
      leave();
      const next = retry.atOnce(hooks.now());
      if (next === null) return fail(FORGETFUL);
      const problem = "The server ended the session; a new one is being opened.";
      show({ state: "reconnecting", attempt: next.attempt, nextTryAt: next.at, problem });
    }
    await connect();
  }

  async function run(call: ToolCall): Promise<ToolOutcome> {
    for (let renewed = false; ; renewed = true) {
      if (standing === null) return { kind: "error", code: null, message: `${config.name} is not connected.` };
      const { session, lost } = standing;
      const called = await callOn(session, hooks.sampling, call, tools.tools.get(call.tool), lost.signal);
      if (called !== "session_gone") {
        if (called.suspect) void suspect();
        return called.outcome;
      }
      if (renewed) return { kind: "error", code: null, message: FORGETFUL.problem };
      await renew(session);
      if (call.signal.aborted) return { kind: "cancelled" };
    }
  }

  function restart(): void {
    if (standing !== null || connecting?.epoch === epoch) return;
    retry.reset();
    retry.forgetPauses();
    show({ state: "connecting" });
    void connect();
  }

  return {
    config,
    wake() {
      if (!retry.armed) restart();
    },
    retryNow: restart,
    networkIsBack() {
      if (blame?.passing === true) restart();
    },
    async close(silent) {
      epoch += 1;
      retry.disarm();
      const left = standing;
      standing = null;
      left?.refresher.stop();
      left?.lost.abort();
      if (silent) reporter.silence();
      else show({ state: "off" });
      await left?.session.close(true);
    },
    tool: (name) => tools.tools.get(name)?.detail ?? null,
    async call(call) {
      let queued = false;
      const onQueued = (reason: string | null) => {
        queued = reason !== null;
        reporter.count("queued", queued ? 1 : -1);
        call.onQueued(reason);
      };
      const release = await slots.take(config.url, call.signal, onQueued);
      if (release === null) return { kind: "cancelled" };
      reporter.count("inFlight", 1);
      try {
        return await run(call);
      } finally {
        release();
        reporter.count("inFlight", -1);
      }
    },
  };
}

/** Null where the server has no tools, or their list could not be read. */
async function readTools(session: Session, reporter: Reporter): Promise<ToolList | null> {
  if (session.client.getServerCapabilities()?.tools === undefined) return null;
  try {
    return await listTools(session);
  } catch (error) {
    const { evidence, era } = session;
    const status = error instanceof SdkHttpError ? error.data.status : 0;
    // A session nobody can name: to connect again would only open the next one.
    if (era === "legacy" && !evidence.session && isSessionProblem(status, "session")) {
      throw new NoSession(evidence, { cause: error });
    }
    reporter.warn("The list of tools could not be read.");
    return null;
  }
}

const FORGETFUL: Trouble = {
  problem: "The server forgets a session as soon as it is opened.",
  hint: "Several copies of the server may be running behind one address without sharing their sessions.",
  passing: false,
};

function hasHeaders(config: ServerConfig): boolean {
  return Object.keys(config.headers).length > 0;
}

/** What could never work, told before the network is. */
function problemWith(config: ServerConfig): string | null {
  const url = URL.canParse(config.url) ? new URL(config.url) : null;
  if (url === null || !["http:", "https:", "ws:", "wss:"].includes(url.protocol)) {
    return "The address is not one of a server: it must begin with http, https, ws or wss.";
  }
  try {
    new Headers(config.headers);
    return null;
  } catch {
    return "One of the request headers has a name or a value that cannot be sent.";
  }
}
