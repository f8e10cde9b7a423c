import { expect, test } from "vitest";
import { NOW } from "../../policy/cases/given";
import { DEFAULT_POLICY } from "../../policy/policy";
import { readPolicyFile } from "../../policy/policy-file";
import { aRow, rosterRig } from "../testing/rig";
import { policyCommands } from "./policies";

const block = (name: string, allowed = true): string => `  ${name}:
    # why: ${name}
    allow_sampling: ${allowed}
    consent: per_session
    models: [steady]
    max_context_scope: none
    max_output_tokens: 1024
    max_input_tokens: 8000
    rate_limit: { requests_per_minute: 20, burst: 40 }
    budget: { window: 24h, usd: 15.00 }
    deadline_ms: 20000
    max_concurrent: 2
`;
const file = (...blocks: readonly string[]): string => `servers:\n${blocks.join("")}`;

async function rig() {
  const { roster, store } = rosterRig();
  for (const name of ["one", "two", "three"]) await roster.put(aRow({ name, autoConnect: false }));
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const { commands, mergePolicies } = policyCommands({
    store,
    roster,
    now: () => NOW,
    newId,
    profileName: () => "Robin",
  });
  const allowed = async () => {
    const all = await Promise.all(["one", "two", "three", "elsewhere"].map((name) => store.policy(name)));
    return all.filter(({ policy }) => policy.allowSampling).map(({ server }) => server);
  };
  return { store, commands, mergePolicies, allowed };
}

test("[P1] [P2] an import is the whole file: a server whose block is gone may not sample any more, and is named", async () => {
  const { store, commands, allowed } = await rig();
  await commands.importPolicies(file(block("one"), block("two"), block("elsewhere")));
  expect(await allowed()).toEqual(["one", "two", "elsewhere"]);
  const answer = await commands.importPolicies(file(block("two")));
  expect(answer).toEqual({ ok: true, changed: expect.arrayContaining(["one", "elsewhere"]) });
  expect(await allowed()).toEqual(["two"]);
  expect((await store.policy("one")).policy).toEqual(DEFAULT_POLICY);
  expect(store.events.map(({ kind }) => kind)).toEqual(["policy_imported", "policy_imported"]);
  expect(store.events[1]?.text).toContain("one");
});

test("[P2] a file that does not read switches nobody off", async () => {
  const { commands, allowed } = await rig();
  await commands.importPolicies(file(block("one")));
  expect((await commands.importPolicies("servers:\n  two: 1\n")).ok).toBe(false);
  expect(await allowed()).toEqual(["one"]);
});

test("[P5] saving one server's block changes no other, whatever the rest of the text says by then", async () => {
  const { store, commands, allowed } = await rig();
  await commands.importPolicies(file(block("one"), block("two")));
  const opened = await commands.exportPolicies();
  // Meanwhile another tab switches one off and three on.
  await store.savePolicies(new Map([["one", DEFAULT_POLICY]]), "Kim", NOW);
  await commands.savePolicy("three", (await store.policy("two")).policy);
  const edited = opened.replace("# why: two\n    allow_sampling: true", "# since Monday\n    allow_sampling: false");
  expect(await commands.savePolicyBlock("two", edited)).toEqual({ ok: true, revision: 2 });
  expect(await allowed()).toEqual(["three"]);
  const text = await commands.exportPolicies();
  expect(text).toContain("# since Monday");
  expect(text).toContain("# why: one");
  const read = readPolicyFile(text);
  expect(read.ok && [...read.servers].filter(([, policy]) => policy.allowSampling).map(([name]) => name)).toEqual([
    "three",
  ]);
});

test("[P2] a block under another name, or with a stranger beside it, is not saved", async () => {
  const { commands, allowed } = await rig();
  await commands.importPolicies(file(block("one"), block("two")));
  expect((await commands.savePolicyBlock("two", file(block("one"), block("too")))).ok).toBe(false);
  expect((await commands.savePolicyBlock("two", file(block("one"), block("two", false), block("too")))).ok).toBe(false);
  expect(await allowed()).toEqual(["one", "two"]);
});

test("[P5] policies that are added to those there are leave the others and their comments alone", async () => {
  const { commands, mergePolicies, allowed } = await rig();
  await commands.importPolicies(file(block("one")));
  expect(await mergePolicies(file(block("three")))).toEqual({ ok: true, changed: ["three"] });
  expect(await allowed()).toEqual(["one", "three"]);
  expect(await commands.exportPolicies()).toContain("# why: one");
});
