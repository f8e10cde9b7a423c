/**
 * The worker's composition root: clock, ids, database, providers and connections are made here and nowhere else, and
 * put together behind the one API the page may call.
 */
import "./jitless";
import * as Comlink from "comlink";
import type { DemoInfo, Patch, PurserApi, Snapshot } from "./api";
import { done } from "./commands/answers";
import { grantCommands } from "./commands/grants";
import { logCommands } from "./commands/log";
import { policyCommands } from "./commands/policies";
import { serverCommands } from "./commands/servers";
import { createSettings } from "./commands/settings";
import { toolCommands } from "./commands/tools";
import { contextOf } from "./conversation/context";
import { createTranscript } from "./conversation/transcript";
import { createWatcher } from "./conversation/watcher";
import { createFeed } from "./feed";
import { createLoading } from "./loading";
import type { Connections } from "./mcp/connection";
import { createConnections } from "./mcp/connections";
import { createProviders } from "./providers/registry";
import { createRoster, hostOf } from "./roster";
import { createConsentDesk } from "./sampling/consent-desk";
import { createDriver } from "./sampling/driver";
import { answeredLate } from "./sampling/late-answer";
import { openStore } from "./storage/open";
import { createToolWatch } from "./tool-watch";

/** Holds of dead tabs are looked for this often; each has its own time (M4). */
const RECOVER_EVERY_MS = 15_000;
/** Windows turn and buckets fill without a transaction: what is shown is worked out again this often. */
const REFRESH_EVERY_MS = 10_000;

const now = () => Date.now();
const newId = () => crypto.randomUUID();
const tab = newId();

async function start(): Promise<PurserApi> {
  const demoAsked = fetchDemo();
  const store = await openStore({ now, newId, tab });
  const registry = await createProviders({
    settings: { get: (key) => store.setting(key), put: (key, value) => store.putSetting(key, value) },
    now,
    onChange: () => push({ kind: "settings", settings: settings.view() }),
  });
  const demo = await demoAsked;

  const feed = createFeed(snapshot);
  const push = (patch: Patch) => feed.push(patch);
  const profileName = () => settings.profileName();
  const showSettings = () => push({ kind: "settings", settings: settings.view() });

  let connections: Connections | null = null;
  const roster = createRoster({
    store,
    connections: () => {
      if (connections === null) throw new Error("connections are made before any server is");
      return connections;
    },
    now,
    onView: (server) => push({ kind: "server", server }),
    onRemoved: (name) => {
      toolWatch.forget(name);
      push({ kind: "server_removed", name });
    },
    onMoved: (name) => desk.closeFor(name),
    onForeignGrant: (grant) => transcript.raised(grant),
    toolNews: (server) => toolWatch.news(server),
  });
  const toolWatch = createToolWatch({ store, roster, locks: navigator.locks, now, newId });
  const transcript = createTranscript({
    store,
    tab,
    now,
    liveTabs,
    onRun: (run) => push({ kind: "run", run }),
    onAmbient: (steps) => push({ kind: "ambient", steps }),
  });
  const settings = createSettings({
    store,
    registry,
    now,
    newId,
    demo: () => demo,
    onChanged: showSettings,
    isPersisted: () => navigator.storage.persisted(),
    onLossConfirmed: refreshAll,
  });
  const desk = createConsentDesk({
    locks: navigator.locks,
    now,
    newId,
    profileName,
    hostOf: (server) => hostOf(roster.row(server)?.url ?? ""),
    onDialog: (dialog) => push({ kind: "dialog", dialog }),
    onClosed: (id) => push({ kind: "dialog_closed", id }),
    answeredLate: (question, answer) => answeredLate({ store, now, newId, profileName }, question, answer),
  });
  const watcher = createWatcher({ transcript, roster, now });
  const driver = createDriver({
    store,
    models: registry,
    consent: desk,
    watcher,
    context: (scope, server, exceptRunId) => contextOf(transcript.runs(), scope, server, exceptRunId),
    toolOf: (runId) => transcript.run(runId)?.tool ?? null,
    onBug: reportError,
    tab,
    now,
    newId,
  });
  connections = createConnections({
    sampling: driver,
    onReport: (server, report) => roster.report(server, report),
    eraOf: (server) => roster.row(server)?.era ?? null,
    onTools: (server, listed) => void toolWatch.listed(server, listed),
    onPaused: (server, what) => {
      const text = `${server} was disconnected for a while: ${what}`;
      void store.addEvent({ id: newId(), at: now(), server, kind: "paused", text, by: "" }).catch(() => undefined);
    },
    onEra: (server, era) => {
      const row = roster.row(server);
      if (row !== undefined && row.era !== era) void roster.put({ ...row, era }).catch(() => undefined);
    },
    onLate: transcript.finishedLate,
    now,
    newId,
  });

  const policies = policyCommands({ store, roster, now, newId, profileName });
  const tools = toolCommands({
    roster,
    transcript,
    connections: () => connections as Connections,
    toolOpened: toolWatch.opened,
    now,
    newId,
    onEnded: watcher.callEnded,
    onCleared: () => push({ kind: "runs_cleared" }),
  });
  const grants = grantCommands({
    store,
    roster,
    desk,
    now,
    newId,
    profileName,
    onGranted: (grant) => {
      roster.noteGrant(grant);
      transcript.raised(grant);
      roster.refresh(grant.server);
    },
    runAgain: async (runId) => {
      const run = transcript.run(runId);
      if (run === undefined) return null;
      const answer = await tools.runTool(run.server, run.tool, { ...run.args });
      return answer.ok ? answer.runId : null;
    },
  });

  function snapshot(): Snapshot {
    return {
      servers: roster.views(),
      runs: transcript.runs(),
      dialogs: desk.dialogs(),
      ambient: transcript.ambient(),
      settings: settings.view(),
    };
  }

  store.onChange((change, origin) => {
    switch (change.kind) {
      case "account":
        return roster.refresh(change.server);
      case "policy":
        // An edit here or elsewhere, a removal, a loss: what a dialog asks is not what would be decided now (A3).
        desk.closeFor(change.server);
        return roster.refresh(change.server, "loops");
      case "servers":
        if (origin === "another_tab") void roster.load().catch(() => undefined);
        return;
      case "events":
        // Loop alerts and forgotten decisions are told this way, from whichever tab.
        refreshAll();
        return push({ kind: "log_changed" });
      case "records":
        return push({ kind: "log_changed" });
      case "runs":
        if (origin === "another_tab") void transcript.reload(change.id).catch(() => undefined);
        return;
      case "settings":
        if (origin === "another_tab") void reloadSettings().then(toolWatch.reload);
        // Also how storage tells that it fails, or works again.
        loading.note(store.health().state !== "unavailable");
        return showSettings();
    }
  });

  async function reloadSettings(): Promise<void> {
    await Promise.allSettled([settings.load(), registry.load()]);
    showSettings();
  }
  function refreshAll(): void {
    for (const row of roster.rows()) roster.refresh(row.name, "loops");
  }

  async function recover(): Promise<void> {
    await store.recover(now(), new Set([...(await liveTabs()), tab])).catch(() => undefined);
  }

  const loading = createLoading([
    () => settings.load().then(showSettings),
    registry.load,
    transcript.load,
    roster.load,
  ]);
  await Promise.all([recover(), loading.load()]);
  setInterval(() => void recover(), RECOVER_EVERY_MS);
  setInterval(refreshAll, REFRESH_EVERY_MS);

  return {
    attach: async (port) => feed.attach(port),
    ...serverCommands({ roster, now, profileName, demo: () => demo, mergePolicies: policies.mergePolicies }),
    ...tools,
    ...policies.commands,
    ...grants,
    ...settings.commands,
    ...logCommands(store, now, profileName),
    pageHiding: async () => {
      await Promise.all([transcript.flush(), store.flush()]);
      return done;
    },
  };
}

/**
 * Held while this tab lives, so that others can tell which runs lost theirs, and the page when its worker is gone.
 * Resolves with the lock's name once it is held.
 */
function holdTabLock(): Promise<string | null> {
  const name = `purser:tab:${tab}`;
  return new Promise((resolve) => {
    const held = () => {
      resolve(name);
      return new Promise<never>(() => undefined);
    };
    // Where locks are refused so is everything that other tabs could find of this one.
    navigator.locks.request(name, held).catch(() => resolve(null));
  });
}

async function liveTabs(): Promise<ReadonlySet<string>> {
  const { held } = await navigator.locks.query();
  const prefix = "purser:tab:";
  const names = (held ?? []).map((lock) => lock.name ?? "").filter((name) => name.startsWith(prefix));
  return new Set(names.map((name) => name.slice(prefix.length)));
}

/** `npm start` serves `demo.json` beside the page; elsewhere there is none. */
async function fetchDemo(): Promise<DemoInfo | null> {
  try {
    const response = await fetch(new URL("/demo.json", self.location.origin), {
      headers: { accept: "application/json" },
    });
    if (!response.ok || !(response.headers.get("content-type") ?? "").includes("json")) return null;
    return (await response.json()) as DemoInfo;
  } catch {
    return null;
  }
}

const tabLock = holdTabLock();
const started = start();
/** Commands that arrive while the worker starts wait for it, so that nothing is lost (case K6-13). */
const exposed = new Proxy({} as PurserApi, {
  get: (_, name) => {
    // The page reads this one to see that the worker still answers.
    if (name === "alive") return true;
    // And waits for this one, to see at once that it is gone.
    if (name === "tabLock") return tabLock;
    return async (...args: unknown[]) =>
      ((await started)[name as keyof PurserApi] as (...given: unknown[]) => unknown)(...args);
  },
});
Comlink.expose(exposed);
