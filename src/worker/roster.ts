/** The registered servers with what is known of each now: row, connection, policy, account; and their views. */
import type { Account, Grant } from "../policy/account";
import { newAccount, quietOf } from "../policy/account";
import { liveDecision, type StoredDecision } from "../policy/decision";
import { gaugeOf } from "../policy/gauge";
import { suggestedCapMicros } from "../policy/grant";
import { DEFAULT_POLICY, type PolicyRevision } from "../policy/policy";
import type { ServerView } from "./api";
import type { ConnectionReport, Connections } from "./mcp/connection";
import { type ServerRow, StorageUnavailable, type Store } from "./storage/store";

const WEEK_MS = 7 * 24 * 3_600_000;
/** Account changes of a busy server are shown at most this often. */
const REFRESH_MS = 100;

export interface Roster {
  load(): Promise<void>;
  rows(): readonly ServerRow[];
  row(name: string): ServerRow | undefined;
  views(): readonly ServerView[];
  view(name: string): ServerView | undefined;
  put(row: ServerRow): Promise<void>;
  remove(name: string, by: string): Promise<void>;
  report(name: string, report: ConnectionReport): void;
  /** Seen here just now; storage counts replays a moment later, and from then on says it itself. */
  noteLoop(name: string, loop: ServerView["loop"]): void;
  /** This tab gave it, so that it is nobody else's news. */
  noteGrant(grant: Grant): void;
  /**
   * Reads account and policy again, soon; many calls become one. Whether there is a retry loop is read from all stored
   * decisions, and not again for every request of a busy server: only where `loops` says so.
   */
  refresh(name: string, loops?: "loops"): void;
  /** Connects with what the current policy declares (P1); does nothing where the person never connected it. */
  connect(name: string): void;
  disconnect(name: string): Promise<void>;
}

interface Entry {
  row: ServerRow;
  report: ConnectionReport;
  policy: PolicyRevision;
  account: Account;
  loop: ServerView["loop"];
  suggestedCapMicros: number | null;
  grantsIn7Days: ServerView["grantsIn7Days"];
  /** Grants of the last week seen by now. */
  grantIds: ReadonlySet<string> | null;
  loopsAreOld: boolean;
  wanted: boolean;
  /** Storage did not take its row, or what became of it: known for as long as this tab lives. */
  unkept: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface RosterDeps {
  readonly store: Pick<Store, "servers" | "putServer" | "removeServer" | "account" | "policy" | "grants" | "decisions">;
  readonly connections: () => Connections;
  readonly now: () => number;
  readonly onView: (view: ServerView) => void;
  readonly onRemoved: (name: string) => void;
  /** Its address became another: what was asked under the old one is past. */
  readonly onMoved: (name: string) => void;
  /** A grant that another tab gave. */
  readonly onForeignGrant: (grant: Grant) => void;
  readonly toolNews: (server: string) => ServerView["toolNews"];
}

const OFF: ConnectionReport = {
  state: { state: "off" },
  transport: "http",
  protocol: null,
  claimedName: null,
  claimedVersion: null,
  instructions: null,
  serverCapabilities: [],
  samplingDeclared: false,
  tools: [],
  toolsRead: 0,
  warnings: [],
  callsInFlight: 0,
  callsQueued: 0,
};

export function createRoster(deps: RosterDeps): Roster {
  const { store } = deps;
  const entries = new Map<string, Entry>();

  async function read(entry: Entry): Promise<void> {
    const { name } = entry.row;
    const now = deps.now();
    const wantsLoops = entry.loopsAreOld;
    entry.loopsAreOld = false;
    const [account, policy, grants, decisions] = await Promise.all([
      store.account(name, now),
      store.policy(name),
      store.grants(name, now - WEEK_MS),
      wantsLoops ? store.decisions(name) : null,
    ]);
    // Not its revision: while a loss waits to be confirmed the same revision allows nothing (D7).
    const switched = policy.policy.allowSampling !== entry.policy.policy.allowSampling;
    entry.account = account;
    entry.policy = policy;
    if (decisions !== null) entry.loop = loopIn(decisions, policy.revision, now);
    const news = entry.grantIds === null ? [] : grants.filter(({ id }) => entry.grantIds?.has(id) === false);
    entry.grantIds = new Set(grants.map(({ id }) => id));
    for (const grant of news) deps.onForeignGrant(grant);
    const usd = grants.filter((grant) => grant.kind === "usd");
    entry.grantsIn7Days = { count: grants.length, micros: usd.reduce((sum, grant) => sum + grant.amount, 0) };
    entry.suggestedCapMicros = suggestedCapMicros(policy.policy, grants, now, policy.editedAt);
    // Enabling or disabling changes what is declared, so it reconnects (P1).
    if (switched && entry.wanted) open(entry);
  }

  /** The row as it is now; what is connected is what is shown. */
  function setRow(entry: Entry, row: ServerRow): void {
    const moved = row.url !== entry.row.url || headersOf(row) !== headersOf(entry.row);
    entry.row = row;
    if (moved) deps.onMoved(row.name);
    if (moved && entry.wanted) open(entry);
    show(entry);
  }

  function show(entry: Entry): void {
    // What was being read of a server when it was removed must not bring it back.
    if (entries.get(entry.row.name) === entry) deps.onView(viewOf(entry, deps));
  }

  function open(entry: Entry): void {
    entry.wanted = true;
    const { name, url, headers } = entry.row;
    deps.connections().open({ name, url, headers, declareSampling: entry.policy.policy.allowSampling });
  }

  async function add(row: ServerRow): Promise<Entry> {
    const now = deps.now();
    const policy = { server: row.name, revision: 0, policy: DEFAULT_POLICY, editedAt: now, editedBy: "" };
    const entry: Entry = {
      row,
      report: OFF,
      policy,
      account: newAccount(row.name, DEFAULT_POLICY, now),
      loop: null,
      suggestedCapMicros: null,
      grantsIn7Days: { count: 0, micros: 0 },
      grantIds: null,
      loopsAreOld: true,
      wanted: false,
      unkept: false,
      timer: undefined,
    };
    entries.set(row.name, entry);
    // Where storage fails the server is off (P1), as it is read; its tools can still be run.
    await read(entry).catch(() => undefined);
    show(entry);
    return entry;
  }

  /** Storage that refuses is no reason not to run tools: the server is then known until the page is closed. */
  async function keep(row: ServerRow): Promise<boolean> {
    try {
      await store.putServer(row);
      return true;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      return false;
    }
  }

  return {
    /** At start, when another tab added or removed a server, and when storage works again. */
    async load() {
      for (const entry of entries.values()) {
        if (entry.unkept) entry.unkept = !(await keep(entry.row));
      }
      const rows = await store.servers();
      for (const { row, unkept } of [...entries.values()]) {
        if (!unkept && !rows.some(({ name }) => name === row.name)) await forget(row.name);
      }
      for (const row of rows) {
        const known = entries.get(row.name);
        if (known !== undefined && !known.unkept) setRow(known, row);
        else if (known === undefined) {
          const entry = await add(row);
          if (row.autoConnect) open(entry);
        }
      }
    },
    rows: () => [...entries.values()].map((entry) => entry.row),
    row: (name) => entries.get(name)?.row,
    views: () => [...entries.values()].map((entry) => viewOf(entry, deps)),
    view: (name) => {
      const entry = entries.get(name);
      return entry === undefined ? undefined : viewOf(entry, deps);
    },
    async put(row) {
      const kept = await keep(row);
      const known = entries.get(row.name);
      if (known !== undefined) setRow(known, row);
      const entry = known ?? (await add(row));
      entry.unkept = !kept;
    },
    async remove(name, by) {
      // What storage never took is gone with this tab's memory of it.
      if (entries.get(name)?.unkept !== true) await store.removeServer(name, by, deps.now());
      await forget(name);
    },
    report(name, report) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.report = report;
      show(entry);
    },
    noteLoop(name, loop) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.loop = loop;
      show(entry);
    },
    noteGrant(grant) {
      const entry = entries.get(grant.server);
      if (entry?.grantIds) entry.grantIds = new Set([...entry.grantIds, grant.id]);
    },
    refresh(name, loops) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      if (loops !== undefined) entry.loopsAreOld = true;
      entry.timer ??= setTimeout(() => {
        entry.timer = undefined;
        // A read that fails leaves the last known view; storage reports its own trouble.
        read(entry).then(
          () => show(entry),
          () => {
            entry.loopsAreOld = true;
          },
        );
      }, REFRESH_MS);
    },
    connect(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      open(entry);
      // One that waits for its next try need not.
      const { state } = entry.report.state;
      if (state === "reconnecting" || state === "paused") deps.connections().retryNow(name);
    },
    async disconnect(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.wanted = false;
      await deps.connections().close(name);
    },
  };

  async function forget(name: string): Promise<void> {
    const entry = entries.get(name);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    entry.wanted = false;
    entries.delete(name);
    await deps.connections().close(name);
    deps.onRemoved(name);
  }
}

/** The newest retry loop among the decisions that still count (D3). */
function loopIn(decisions: readonly StoredDecision[], revision: number, now: number): ServerView["loop"] {
  const loops = decisions.filter((one) => one.loopAlertedAt !== null && liveDecision(one, revision, now) !== null);
  const [loop] = loops.sort((a, b) => b.lastAt - a.lastAt);
  return loop === undefined ? null : { identity: loop.identity, since: loop.loopSince, represented: loop.represented };
}

function headersOf(row: ServerRow): string {
  return JSON.stringify(Object.entries(row.headers).sort());
}

function viewOf(entry: Entry, deps: Pick<RosterDeps, "now" | "toolNews">): ServerView {
  const now = deps.now();
  const { row, report, policy, account } = entry;
  return {
    name: row.name,
    url: row.url,
    host: hostOf(row.url),
    autoConnect: row.autoConnect,
    headerNames: Object.keys(row.headers),
    connection: report,
    policy,
    gauge: gaugeOf(account, policy.policy, now),
    consents: account.consents.filter((one) => one.expiresAt > now && one.policyRevision === policy.revision),
    grants: account.grants.filter((grant) => grant.expiresAt > now),
    quiet: quietOf(account, now),
    mutedUntilAt: account.mutedUntilAt !== null && account.mutedUntilAt > now ? account.mutedUntilAt : null,
    loop: entry.loop,
    toolNews: deps.toolNews(row.name),
    suggestedCapMicros: entry.suggestedCapMicros,
    grantsIn7Days: entry.grantsIn7Days,
  };
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
