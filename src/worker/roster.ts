/** The registered servers with what is known of each now: row, connection, policy, account; and their views. */
import type { Account } from "../policy/account";
import { newAccount, quietOf } from "../policy/account";
import { gaugeOf } from "../policy/gauge";
import { suggestedCapMicros } from "../policy/grant";
import { DEFAULT_POLICY, type PolicyRevision } from "../policy/policy";
import type { ServerView } from "./api";
import type { ConnectionReport, Connections } from "./mcp/connection";
import type { ServerRow, Store } from "./storage/store";

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
  noteLoop(name: string, loop: ServerView["loop"]): void;
  /** Reads account and policy again, soon; many calls become one. */
  refresh(name: string): void;
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
  wanted: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface RosterDeps {
  readonly store: Store;
  readonly connections: () => Connections;
  readonly now: () => number;
  readonly onView: (view: ServerView) => void;
  readonly onRemoved: (name: string) => void;
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
    const [account, policy, grants] = await Promise.all([
      store.account(name, now),
      store.policy(name),
      store.grants(name, now - WEEK_MS),
    ]);
    const revised = policy.revision !== entry.policy.revision;
    entry.account = account;
    entry.policy = policy;
    const usd = grants.filter((grant) => grant.kind === "usd");
    entry.grantsIn7Days = { count: grants.length, micros: usd.reduce((sum, grant) => sum + grant.amount, 0) };
    entry.suggestedCapMicros = suggestedCapMicros(policy.policy, grants, now, policy.editedAt);
    // Enabling or disabling changes what is declared, so it reconnects (P1).
    if (revised && entry.wanted) open(entry);
  }

  function show(entry: Entry): void {
    deps.onView(viewOf(entry, deps.now()));
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
      wanted: false,
      timer: undefined,
    };
    entries.set(row.name, entry);
    await read(entry);
    const loops = (await store.decisions(row.name)).filter((one) => one.loopAlertedAt !== null);
    const loop = loops.sort((a, b) => b.lastAt - a.lastAt)[0];
    if (loop !== undefined) {
      entry.loop = { identity: loop.identity, since: loop.loopSince, represented: loop.represented };
    }
    show(entry);
    return entry;
  }

  return {
    /** At start, and when another tab added or removed a server. */
    async load() {
      const rows = await store.servers();
      for (const name of [...entries.keys()]) {
        if (!rows.some((row) => row.name === name)) await forget(name);
      }
      for (const row of rows) {
        const known = entries.get(row.name);
        if (known !== undefined) {
          known.row = row;
          show(known);
        } else {
          const entry = await add(row);
          if (row.autoConnect) open(entry);
        }
      }
    },
    rows: () => [...entries.values()].map((entry) => entry.row),
    row: (name) => entries.get(name)?.row,
    views: () => [...entries.values()].map((entry) => viewOf(entry, deps.now())),
    view: (name) => {
      const entry = entries.get(name);
      return entry === undefined ? undefined : viewOf(entry, deps.now());
    },
    async put(row) {
      await store.putServer(row);
      const known = entries.get(row.name);
      if (known === undefined) await add(row);
      else {
        known.row = row;
        show(known);
      }
    },
    async remove(name, by) {
      await store.removeServer(name, by, deps.now());
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
    refresh(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entry.timer ??= setTimeout(() => {
        entry.timer = undefined;
        // A read that fails leaves the last known view; storage reports its own trouble.
        read(entry).then(
          () => show(entry),
          () => undefined,
        );
      }, REFRESH_MS);
    },
    connect(name) {
      const entry = entries.get(name);
      if (entry !== undefined) open(entry);
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
    entries.delete(name);
    await deps.connections().close(name);
    deps.onRemoved(name);
  }
}

function viewOf(entry: Entry, now: number): ServerView {
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
    consents: account.consents.filter((consent) => consent.expiresAt > now),
    grants: account.grants.filter((grant) => grant.expiresAt > now),
    quiet: quietOf(account, now),
    mutedUntilAt: account.mutedUntilAt !== null && account.mutedUntilAt > now ? account.mutedUntilAt : null,
    loop: entry.loop,
    suggestedCapMicros: entry.suggestedCapMicros,
    grantsIn7Days: entry.grantsIn7Days,
  };
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
