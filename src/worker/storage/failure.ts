/** What the browser says when it cannot store, as the one error the rest of the worker knows (D4). */
import { StorageUnavailable } from "./store";

const PROBLEMS: Readonly<Record<string, ConstructorParameters<typeof StorageUnavailable>>> = {
  QuotaExceededError: ["full", "The disk, or the share of it this browser gives to Purser, is full"],
  VersionError: ["newer_version", "A newer version of Purser has used this browser; reload this page"],
  SecurityError: ["refused", "This browser refuses to store data for this page"],
  UnknownError: [
    "failed",
    "This browser cannot open its own storage. Restart it; if that does not help, delete this site's data in its settings",
  ],
  NotAllowedError: ["refused", "This browser refuses to store data for this page"],
};

export function asUnavailable(error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  const known = PROBLEMS[name];
  if (known !== undefined) return new StorageUnavailable(...known);
  return new StorageUnavailable("failed", `The browser's storage failed: ${message}`);
}

/**
 * Whether the connection itself is gone, so that opening anew may help (K6-01, K6-02): InvalidStateError is what
 * `transaction()` throws on a closing one, UnknownError what Safari says when its storage process was restarted.
 */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && (error.name === "InvalidStateError" || error.name === "UnknownError");
}
