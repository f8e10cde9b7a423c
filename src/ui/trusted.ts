/**
 * Trusted Types: the only two places where a string becomes code or markup, both with strings of our own build.
 * The page's CSP allows exactly these names: `trusted-types purser-worker purser-templates`.
 */
import { setTrustedTypesPolicy } from "solid-js/web";

interface TrustedPolicy {
  createHTML(text: string): string;
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Partial<TrustedPolicy>): TrustedPolicy;
}

const factory = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;

/** Solid makes DOM from templates compiled into the bundle; nothing else passes through this policy. */
export function trustTemplates(): void {
  const policy = factory?.createPolicy("purser-templates", { createHTML: (text) => text });
  if (policy !== undefined) setTrustedTypesPolicy(policy as unknown as Parameters<typeof setTrustedTypesPolicy>[0]);
}

const workerPolicy = factory?.createPolicy("purser-worker", {
  createScriptURL(url) {
    // Only our own origin, or the page itself where a build inlines the worker's address.
    if (new URL(url, location.href).origin !== location.origin)
      throw new TypeError("The worker must come from this origin.");
    return url;
  },
});

/** The worker's address as the browser accepts it under `require-trusted-types-for 'script'`. */
export function trustedWorkerUrl(url: string): string {
  return workerPolicy === undefined ? url : workerPolicy.createScriptURL(url);
}
