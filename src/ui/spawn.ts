/**
 * Creates the worker. It stands apart from everything else of the page and is loaded first, so that the worker starts
 * while the page is still being read: it has the longer way to go.
 */
import workerUrl from "../worker/main?worker&url";

interface TrustedPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy;
}

const factory = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;

const policy = factory?.createPolicy("purser-worker", {
  createScriptURL(url) {
    // Only our own origin, or the page itself where a build inlines the worker's address.
    if (new URL(url, location.href).origin !== location.origin)
      throw new TypeError("The worker must come from this origin.");
    return url;
  },
});

/** A worker at an address of our build, accepted under `require-trusted-types-for 'script'`. */
export function spawn(url: string, name: string): Worker {
  return new Worker(policy?.createScriptURL(url) ?? url, { type: "module", name });
}

let ahead: Worker | null = null;
const taken = new AbortController();

/** Called once, before the page is loaded. */
export function spawnAhead(): void {
  const worker = spawn(workerUrl, "purser");
  ahead = worker;
  // The page is not there yet to hear of it; the next worker fails where it is heard (K6-13).
  const drop = () => {
    worker.terminate();
    ahead = null;
  };
  worker.addEventListener("error", drop, { signal: taken.signal });
}

/** The worker that was started ahead, the first time and if it did not fail; a new one after that. */
export function takeWorker(): Worker {
  taken.abort();
  const worker = ahead ?? spawn(workerUrl, "purser");
  ahead = null;
  return worker;
}
