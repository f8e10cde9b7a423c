/**
 * What the page knows: one store with one writer, fed by the worker's snapshot and patches.
 * Views read `state` (or the helpers below) inside memos and never write; there is no optimistic state.
 */
import { type Accessor, batch, createMemo } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import type {
  DialogView,
  FeedMessage,
  Patch,
  RunView,
  ServerView,
  SettingsView,
  Snapshot,
  StepView,
} from "../worker/api";

export interface Projection extends Omit<Snapshot, "settings"> {
  /** False until the first snapshot: everything else is empty then. */
  readonly ready: boolean;
  readonly settings: SettingsView | null;
  /** Counts `log_changed`: a view that shows the log depends on it and refetches. */
  readonly logVersion: number;
}

/** The same, as the one writer sees it. */
interface Draft {
  ready: boolean;
  servers: ServerView[];
  runs: RunView[];
  dialogs: DialogView[];
  ambient: StepView[];
  settings: SettingsView | null;
  logVersion: number;
}

const [store, write] = createStore<Draft>({
  ready: false,
  servers: [],
  runs: [],
  dialogs: [],
  ambient: [],
  settings: null,
  logVersion: 0,
});

/** Read only; outside this file nobody writes. */
export const state: Projection = store;

export function serverNamed(name: string): ServerView | undefined {
  return state.servers.find((server) => server.name === name);
}

/** The server a route names, following its patches. */
export function createServer(name: Accessor<string>): Accessor<ServerView | undefined> {
  return createMemo(() => serverNamed(name()));
}

/** Charged in the open windows of all servers, µ$. */
export function spentMicros(): number {
  return state.servers.reduce((sum, server) => sum + server.gauge.settledMicros, 0);
}

/** For the worker client only: takes one feed message. Answers false on a gap, after which the client attaches again. */
export function createFeedReader(): (message: FeedMessage) => boolean {
  let seen = -1;
  return (message) => {
    if ("snapshot" in message) {
      seen = 0;
      applySnapshot(message.snapshot);
      return true;
    }
    if (message.seq !== seen + 1) return false;
    seen = message.seq;
    applyPatches(message.patches);
    return true;
  };
}

function applySnapshot(snapshot: Snapshot): void {
  batch(() => {
    write("servers", reconcile([...snapshot.servers], { key: "name" }));
    write("runs", reconcile([...snapshot.runs]));
    write("dialogs", reconcile([...snapshot.dialogs]));
    write("ambient", reconcile([...snapshot.ambient]));
    write("settings", reconcile(snapshot.settings));
    write("logVersion", (version) => version + 1);
    write("ready", true);
  });
}

function applyPatches(patches: readonly Patch[]): void {
  batch(() => {
    for (const patch of patches) applyPatch(patch);
  });
}

function applyPatch(patch: Patch): void {
  switch (patch.kind) {
    case "server":
      return putServer(patch.server);
    case "server_removed":
      return write("servers", (servers) => servers.filter((server) => server.name !== patch.name));
    case "run":
      return putRun(patch.run);
    case "runs_cleared":
      return write("runs", []);
    case "dialog":
      return putDialog(patch.dialog);
    case "dialog_closed":
      return write("dialogs", (dialogs) => dialogs.filter((dialog) => dialog.id !== patch.id));
    case "ambient":
      return write("ambient", reconcile([...patch.steps]));
    case "settings":
      return write("settings", reconcile(patch.settings));
    case "log_changed":
      return write("logVersion", (version) => version + 1);
  }
}

// An element that is there is updated in place, so that only what changed is drawn again; a new one goes to the end.

function putServer(server: ServerView): void {
  const at = store.servers.findIndex(({ name }) => name === server.name);
  if (at < 0) write("servers", store.servers.length, server);
  else write("servers", at, reconcile(server));
}

function putRun(run: RunView): void {
  const at = store.runs.findIndex(({ id }) => id === run.id);
  if (at < 0) write("runs", store.runs.length, run);
  else write("runs", at, reconcile(run));
}

function putDialog(dialog: DialogView): void {
  const at = store.dialogs.findIndex(({ id }) => id === dialog.id);
  if (at < 0) write("dialogs", store.dialogs.length, dialog);
  else write("dialogs", at, reconcile(dialog));
}
