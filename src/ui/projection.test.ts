import { beforeEach, expect, test } from "vitest";
import type { Patch, RunView, ServerView, Snapshot } from "../worker/api";
import { createFeedReader, serverNamed, spentMicros, state } from "./projection";

const server = (name: string, settledMicros: number) => ({ name, gauge: { settledMicros } }) as ServerView;
const run = (id: string, tool: string) => ({ id, tool }) as RunView;
const snapshot = (servers: readonly ServerView[], runs: readonly RunView[] = []): Snapshot => ({
  servers,
  runs,
  dialogs: [],
  ambient: [],
  settings: { profileName: "Dana" } as Snapshot["settings"],
});

let read = createFeedReader();
const patch = (seq: number, ...patches: Patch[]) => read({ seq, patches });

beforeEach(() => {
  read = createFeedReader();
  read({ seq: 0, snapshot: snapshot([server("a", 5), server("b", 7)], [run("1", "x")]) });
});

test("a snapshot replaces what was known", () => {
  expect(state.ready).toBe(true);
  expect(state.servers.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(spentMicros()).toBe(12);
  createFeedReader()({ seq: 0, snapshot: snapshot([server("b", 1)]) });
  expect(state.servers.map(({ name }) => name)).toEqual(["b"]);
  expect(state.runs).toEqual([]);
});

test("patches add, change and remove by name or id", () => {
  expect(patch(1, { kind: "server", server: server("b", 9) }, { kind: "server", server: server("c", 1) })).toBe(true);
  expect(serverNamed("b")?.gauge.settledMicros).toBe(9);
  expect(patch(2, { kind: "server_removed", name: "a" }, { kind: "run", run: run("2", "y") })).toBe(true);
  expect(state.servers.map(({ name }) => name)).toEqual(["b", "c"]);
  patch(3, { kind: "run", run: run("1", "z") });
  expect(state.runs.map(({ tool }) => tool)).toEqual(["z", "y"]);
  patch(4, { kind: "runs_cleared" });
  expect(state.runs).toEqual([]);
});

test("a gap or a repeat is not applied and asks to attach again", () => {
  expect(patch(2, { kind: "server_removed", name: "a" })).toBe(false);
  expect(serverNamed("a")).toBeDefined();
  expect(patch(1)).toBe(true);
  expect(patch(1, { kind: "server_removed", name: "a" })).toBe(false);
  expect(serverNamed("a")).toBeDefined();
});

test("log_changed is counted", () => {
  const before = state.logVersion;
  patch(1, { kind: "log_changed" });
  expect(state.logVersion).toBe(before + 1);
});
