/**
 * Trusted Types: with `spawn.ts` the only two places where a string becomes code or markup, both with strings of our own
 * build. The page's CSP allows exactly these names: `trusted-types purser-worker purser-templates`.
 */
import { setTrustedTypesPolicy } from "solid-js/web";

interface TrustedPolicy {
  createHTML(text: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy;
}

const factory = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;

/** Solid makes DOM from templates compiled into the bundle; nothing else passes through this policy. */
export function trustTemplates(): void {
  const policy = factory?.createPolicy("purser-templates", { createHTML: (text) => text });
  if (policy !== undefined) setTrustedTypesPolicy(policy as unknown as Parameters<typeof setTrustedTypesPolicy>[0]);
}
