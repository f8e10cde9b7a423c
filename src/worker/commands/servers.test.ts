import { expect, test } from "vitest";
import { NOW } from "../../policy/cases/given";
import { MAX_NAME_CHARS } from "../../policy/server-name";
import type { Answer } from "../api";
import { aRow, rosterRig } from "../testing/rig";
import { refuse } from "./answers";
import { serverCommands } from "./servers";

const DEMO = { servers: [{ name: "demo", url: "http://127.0.0.1:9/mcp" }], policyText: "servers: {}" };

function rig(merged: Answer = { ok: true }) {
  const { roster, store, opened } = rosterRig();
  const mergedTexts: string[] = [];
  const commands = serverCommands({
    roster,
    now: () => NOW,
    profileName: () => "Robin",
    demo: () => DEMO,
    mergePolicies: async (text) => {
      mergedTexts.push(text);
      return merged;
    },
  });
  return { commands, roster, store, opened, mergedTexts };
}

test("[P5] the demo's policies are added to those there are", async () => {
  const { commands, opened, mergedTexts } = rig();
  expect(await commands.connectDemo()).toEqual({ ok: true });
  expect(mergedTexts).toEqual([DEMO.policyText]);
  expect(opened.map(({ name }) => name)).toEqual(["demo"]);
});

test("[D4] where storage is refused the demo's tools can be run all the same", async () => {
  const { commands, store, opened } = rig(refuse("storage", "Not saved: the browser refuses"));
  store.refuses = true;
  expect(await commands.connectDemo()).toEqual({ ok: true });
  expect(opened).toMatchObject([{ name: "demo", declareSampling: false }]);
});

test("[P2] a demo whose policies are wrong connects nothing", async () => {
  const { commands, opened } = rig(refuse("1:1", "not a policy"));
  expect((await commands.connectDemo()).ok).toBe(false);
  expect(opened).toEqual([]);
});

test("an edited address is connected to, also where it is not to be connected at the next start", async () => {
  const { commands, roster, opened } = rig();
  await roster.put(aRow());
  await commands.connect("ci-triage");
  await commands.editServer("ci-triage", { url: "http://127.0.0.1:2/mcp", headers: null, autoConnect: false });
  expect(opened.map(({ url }) => url)).toEqual(["http://127.0.0.1:1/mcp", "http://127.0.0.1:2/mcp"]);
});

test("a server's name is what the policy file would take, and no longer", async () => {
  const { commands } = rig();
  const add = async (name: string) =>
    (await commands.addServer({ name, url: "http://127.0.0.1:1/mcp", headers: {}, connect: false })).ok;
  expect(await add("wiki search")).toBe(true);
  expect(await add("wiki\u202esearch")).toBe(false);
  expect(await add("a".repeat(MAX_NAME_CHARS + 1))).toBe(false);
});

test("[K7-11] a name that could be taken for a registered one, or mixes alphabets, is refused where it is added", async () => {
  const { commands, roster } = rig();
  const add = async (name: string) => {
    const answer = await commands.addServer({ name, url: "http://127.0.0.1:1/mcp", headers: {}, connect: false });
    return answer.ok ? "added" : answer.problems.map(({ where, message }) => `${where}: ${message}`).join();
  };
  expect(await add("my-server")).toBe("added");
  for (const twin of ["my_server", "My.Server", "my server"]) {
    expect(await add(twin)).toBe("name: Too much like my-server, which is registered: take another name");
  }
  expect(await add("m\u0443-server")).toBe("name: A word of it mixes letters of two alphabets that look alike");
  expect(await add("cafe\u0301")).toBe("added");
  expect(await add("caf\u00e9")).toContain("registered already");
  expect(roster.rows().map(({ name }) => name)).toEqual(["my-server", "caf\u00e9"]);
  // The name is free again once its server is removed.
  await commands.removeServer("my-server");
  expect(await add("my_server")).toBe("added");
});
