/** Editing policies: by form, one server at a time, or by the file, whole or not at all (SPEC P2, P3). */
import { policyProblems } from "../../policy/policy-check";
import type { Answer, Problem, PurserApi } from "../api";
import type { Roster } from "../roster";
import type { Store } from "../storage/store";
import { answering, refuse } from "./answers";

/** YAML is a third of everything else here, and wanted only where a file is: it comes when it is. */
const policyFile = () => import("../../policy/policy-file");

type PolicyCommands = Pick<
  PurserApi,
  "savePolicy" | "revisions" | "exportPolicies" | "checkPolicies" | "importPolicies"
>;

export interface PolicyCommandDeps {
  readonly store: Store;
  readonly roster: Roster;
  readonly now: () => number;
  readonly profileName: () => string;
  /** The policies of these servers changed: refresh, reconnect where sampling was switched, close stale dialogs. */
  readonly onSaved: (servers: readonly string[]) => void;
}

export function policyCommands(deps: PolicyCommandDeps): PolicyCommands {
  const { store } = deps;
  return {
    savePolicy: (server, policy) =>
      answering(async () => {
        if (deps.roster.row(server) === undefined) return refuse("server", `No server named ${server} is registered`);
        const problems = policyProblems(policy);
        if (problems.length > 0) return { ok: false, problems };
        await store.savePolicies(new Map([[server, policy]]), deps.profileName(), deps.now());
        deps.onSaved([server]);
        return { ok: true, revision: (await store.policy(server)).revision };
      }),
    revisions: (server) => store.revisions(server),
    exportPolicies: async () => {
      const { readPolicyFile, writePolicyFile } = await policyFile();
      const names = deps.roster.rows().map((row) => row.name);
      const text = await store.policyFileText();
      const inFile = text === null ? null : readPolicyFile(text);
      const known = new Set([...(inFile?.ok ? inFile.servers.keys() : []), ...names]);
      const policies = await Promise.all(
        [...known].map(async (name) => [name, (await store.policy(name)).policy] as const),
      );
      return writePolicyFile(new Map(policies), text);
    },
    checkPolicies: async (text) => {
      const { readPolicyFile } = await policyFile();
      const read = readPolicyFile(text);
      return read.ok
        ? { ok: true, servers: [...read.servers.keys()] }
        : { ok: false, problems: located(read.problems) };
    },
    importPolicies: (text) =>
      answering(async (): Promise<Answer<{ changed: readonly string[] }>> => {
        const { readPolicyFile } = await policyFile();
        const read = readPolicyFile(text);
        if (!read.ok) return { ok: false, problems: located(read.problems) };
        const changed = await store.savePolicies(read.servers, deps.profileName(), deps.now());
        await store.putPolicyFileText(text);
        const names = changed.map((revision) => revision.server);
        deps.onSaved(names);
        return { ok: true, changed: names };
      }),
  };
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
