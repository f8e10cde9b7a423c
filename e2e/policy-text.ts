/** A policy file for tests: what a test does not name is generous enough never to bind. */
import { stringify } from "yaml";

export type PolicyBlock = Readonly<Record<string, unknown>>;

const GENEROUS: PolicyBlock = {
  allow_sampling: true,
  consent: "per_session",
  models: ["local-extractive-1"],
  max_context_scope: "none",
  max_output_tokens: 1024,
  max_input_tokens: 8000,
  rate_limit: { requests_per_minute: 60, burst: 60 },
  budget: { window: "24h", usd: 5 },
  deadline_ms: 20_000,
  max_concurrent: 4,
};

/** @param blocks by server name, keys as in sampling-policy.yaml; `null` for a server that may not sample */
export function policyText(blocks: Readonly<Record<string, PolicyBlock | null>>): string {
  const servers = Object.entries(blocks).map(([name, block]) => [
    name,
    block === null ? { allow_sampling: false } : { ...GENEROUS, ...block },
  ]);
  // The format has no anchors, which shared defaults would become.
  return stringify({ servers: Object.fromEntries(servers) }, { aliasDuplicateObjects: false });
}
