/** Editing policies: by form, one server at a time, or by the file, whole or not at all (SPEC P2, P3). */
import { DEFAULT_POLICY, type Policy } from "../../policy/policy";
import { policyProblems } from "../../policy/policy-check";
import type { Answer, Problem, PurserApi } from "../api";
import type { Roster } from "../roster";
import type { LogEvent, Store } from "../storage/store";
import { answering, refuse } from "./answers";

/** YAML is a third of everything else here, and wanted only where a file is: it comes when it is. */
const policyFile = () => import("../../policy/policy-file");

type PolicyCommands = Pick<
  PurserApi,
  "savePolicy" | "savePolicyBlock" | "revisions" | "exportPolicies" | "checkPolicies" | "importPolicies"
>;

export interface Policies {
  readonly commands: PolicyCommands;
  /** Puts a file's policies beside those there are: nothing that it does not name changes. */
  mergePolicies(text: string): Promise<Answer<{ changed: readonly string[] }>>;
}

export interface PolicyCommandDeps {
  readonly store: Pick<
    Store,
    "policy" | "revisions" | "savePolicies" | "replacePolicies" | "policyFileText" | "putPolicyFileText" | "addEvent"
  >;
  readonly roster: Pick<Roster, "row" | "rows">;
  readonly now: () => number;
  readonly newId: () => string;
  readonly profileName: () => string;
}

export function policyCommands(deps: PolicyCommandDeps): Policies {
  const { store } = deps;

  /** The file as it was last imported, saying these policies too. */
  async function fileWith(policies: ReadonlyMap<string, Policy>, text: string | null): Promise<string> {
    const { writePolicyFile } = await policyFile();
    return writePolicyFile(policies, text);
  }

  async function save(policies: ReadonlyMap<string, Policy>): Promise<readonly string[]> {
    const saved = await store.savePolicies(policies, deps.profileName(), deps.now());
    return saved.map(({ server }) => server);
  }

  /** What holds for each server of the file or of the list, by name. */
  async function inForce(inFile: Iterable<string>): Promise<ReadonlyMap<string, Policy>> {
    const names = new Set([...inFile, ...deps.roster.rows().map(({ name }) => name)]);
    const policies = await Promise.all([...names].map(async (name) => (await store.policy(name)).policy));
    return new Map([...names].map((name, at) => [name, policies[at] ?? DEFAULT_POLICY]));
  }

  async function parsed(text: string): Promise<Answer<{ servers: ReadonlyMap<string, Policy> }>> {
    const { readPolicyFile } = await policyFile();
    const read = readPolicyFile(text);
    return read.ok ? read : { ok: false, problems: located(read.problems) };
  }

  const commands: PolicyCommands = {
    savePolicy: (server, policy) =>
      answering(async () => {
        if (deps.roster.row(server) === undefined) return refuse("server", `No server named ${server} is registered`);
        const problems = policyProblems(policy);
        if (problems.length > 0) return { ok: false, problems };
        await save(new Map([[server, policy]]));
        return { ok: true, revision: (await store.policy(server)).revision };
      }),
    savePolicyBlock: (server, text) =>
      answering(async (): Promise<Answer<{ revision: number }>> => {
        const read = await parsed(text);
        if (!read.ok) return read;
        const policy = read.servers.get(server);
        if (policy === undefined) return refuse("server", `There is no block of ${server} here; it keeps its name`);
        const kept = await store.policyFileText();
        const known = await inForce(kept === null ? [] : await namesIn(kept));
        const stray = [...read.servers.keys()].find((name) => !known.has(name));
        if (stray !== undefined) return refuse("server", `Only ${server} is saved here; ${stray} is not its block`);
        await save(new Map([[server, policy]]));
        // The others' blocks say what holds for them by now, whatever the text still said.
        await store.putPolicyFileText(await fileWith(new Map([...known, [server, policy]]), text));
        return { ok: true, revision: (await store.policy(server)).revision };
      }),
    revisions: (server) => store.revisions(server),
    exportPolicies: async () => {
      const text = await store.policyFileText();
      return fileWith(await inForce(text === null ? [] : await namesIn(text)), text);
    },
    checkPolicies: async (text) => {
      const read = await parsed(text);
      return read.ok ? { ok: true, servers: [...read.servers.keys()] } : read;
    },
    importPolicies: (text) =>
      answering(async (): Promise<Answer<{ changed: readonly string[] }>> => {
        const read = await parsed(text);
        if (!read.ok) return read;
        // A server whose block is gone from the file has none any more: it may not sample (P1).
        const saved = await store.replacePolicies(read.servers, deps.profileName(), deps.now());
        await store.putPolicyFileText(text);
        const changed = saved.map(({ server }) => server);
        // The policies are in force whether or not the log takes its line.
        await store.addEvent(importedEvent(deps, read.servers.size, changed)).catch(() => undefined);
        return { ok: true, changed };
      }),
  };

  const mergePolicies = (text: string): Promise<Answer<{ changed: readonly string[] }>> =>
    answering(async () => {
      const read = await parsed(text);
      if (!read.ok) return read;
      const kept = await store.policyFileText();
      const changed = await save(read.servers);
      await store.putPolicyFileText(kept === null ? text : await fileWith(read.servers, kept));
      return { ok: true, changed };
    });

  return { commands, mergePolicies };
}

async function namesIn(text: string): Promise<readonly string[]> {
  const { readPolicyFile } = await policyFile();
  const read = readPolicyFile(text);
  return read.ok ? [...read.servers.keys()] : [];
}

function importedEvent(deps: PolicyCommandDeps, servers: number, changed: readonly string[]): LogEvent {
  const what = changed.length === 0 ? "nothing differed" : `it changed ${changed.join(", ")}`;
  const text = `A policy file of ${servers} ${servers === 1 ? "server" : "servers"} was imported: ${what}`;
  return { id: deps.newId(), at: deps.now(), server: null, kind: "policy_imported", text, by: deps.profileName() };
}

function located(
  problems: readonly {
    readonly line: number;
    readonly column: number;
    readonly path: string;
    readonly message: string;
  }[],
): readonly Problem[] {
  return problems.map(({ line, column, path, message }) => ({
    where: `${line}:${column}`,
    message: path === "" ? message : `${path}: ${message}`,
  }));
}
