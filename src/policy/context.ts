/** Context scopes and their order (SPEC C1). */
import { SCOPES, type Scope } from "./policy";

/** The narrower of two scopes; what is no scope counts as `none`. */
export function narrower(one: Scope, other: Scope): Scope {
  return SCOPES[Math.max(0, Math.min(SCOPES.indexOf(one), SCOPES.indexOf(other)))] ?? "none";
}

export function isWider(one: Scope, other: Scope): boolean {
  return SCOPES.indexOf(one) > SCOPES.indexOf(other);
}

/** MCP's words for our scopes (C1). */
export const WIRE_SCOPES = {
  none: "none",
  this_server: "thisServer",
  conversation: "allServers",
} as const satisfies Record<Scope, string>;

/** How a scope reads after "asked for …, was given …". */
export const SCOPES_IN_WORDS = {
  none: "none",
  this_server: "its own earlier calls",
  conversation: "the whole conversation",
} as const satisfies Record<Scope, string>;
