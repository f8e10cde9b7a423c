/** `sampling-policy.yaml` to records and back, whole or not at all (SPEC P2). */
import { type Policy, samePolicy } from "./policy";
import { scalarText } from "./policy-print";
import { additionOf, applied, blockEdits, blockLines, newBlock } from "./policy-splice";
import { type FileProblem, policyParts } from "./policy-yaml";

export type PolicyFile =
  | { readonly ok: true; readonly servers: ReadonlyMap<string, Policy> }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** Reads a whole file. Every problem is named with its place; one problem and nothing of the file counts. */
export function readPolicyFile(text: string): PolicyFile {
  const parts = policyParts(text);
  if (!parts.ok) return parts;
  return { ok: true, servers: new Map([...parts.blocks].map(([name, { policy }]) => [name, policy])) };
}

/**
 * The file that says these policies: the previous text with only what changed rewritten, new servers at the end, and a
 * block of a server that is not among `policies` left as it is. A previous text that does not read is left behind.
 */
export function writePolicyFile(policies: ReadonlyMap<string, Policy>, previousText: string | null): string {
  const parts = previousText === null ? null : policyParts(previousText);
  if (previousText === null || !parts?.ok) return freshFile(policies);
  const lineBreak = previousText.includes("\r\n") ? "\r\n" : "\n";
  const page = { text: previousText, servers: parts.servers, lineBreak };
  const all = new Map([...parts.blocks].map(([name, { policy }]) => [name, policy]));
  const added = new Map<string, Policy>();
  const edits = [...policies].flatMap(([name, policy]) => {
    const there = parts.blocks.get(name);
    if (there === undefined) added.set(name, policy);
    all.set(name, policy);
    return there === undefined || samePolicy(there.policy, policy) ? [] : blockEdits(page, there, policy);
  });
  const text = applied(previousText, added.size === 0 ? edits : [...edits, additionOf(page, added)]);
  // A layout nobody thought of may not be read back; a plain file that says the truth is better then than a pretty one.
  return says(text, all) ? text : freshFile(all);
}

function says(text: string, policies: ReadonlyMap<string, Policy>): boolean {
  const read = readPolicyFile(text);
  if (!read.ok || read.servers.size !== policies.size) return false;
  return [...policies].every(([name, policy]) => {
    const there = read.servers.get(name);
    return there !== undefined && samePolicy(there, policy);
  });
}

function freshFile(policies: ReadonlyMap<string, Policy>): string {
  if (policies.size === 0) return "servers: {}\n";
  const blocks = [...policies].flatMap(([name, policy]) => [
    `  ${scalarText(name)}:`,
    ...blockLines(newBlock(policy), "    "),
  ]);
  return `${["servers:", ...blocks].join("\n")}\n`;
}
