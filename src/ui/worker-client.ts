/**
 * The page's end of the worker: starts it, attaches the feed, notices when it dies and starts it again.
 * Everything else on the page calls `purser` and reads the projection.
 */
import { type Remote, transfer, wrap } from "comlink";
import { createSignal } from "solid-js";
import type { FeedMessage, PurserApi } from "../worker/api";
// Only the address of the worker's bundle; as a string it can pass through the Trusted Types policy.
import { createPersistence } from "./persistence";
import { createFeedReader } from "./projection";
import { takeWorker } from "./spawn";

/** An attach that got no answer is tried again: the worker may not have been listening yet. */
const ATTACH_RETRY_MS = 1_500;
/** After this the person is told that the worker does not start. */
const START_LIMIT_MS = 8_000;
const PING_EVERY_MS = 5_000;
const PING_LIMIT_MS = 6_000;
/** Two pings in a row unanswered: one alone may be the machine waking up. */
const MISSES_ALLOWED = 1;
/** More deaths than this in a row and only the person starts it again. */
const RESTARTS_ALLOWED = 3;

export type WorkerStatus =
  | { readonly state: "starting" }
  /** Not given up: it may still answer. */
  | { readonly state: "slow" }
  | { readonly state: "running" }
  | { readonly state: "restarting"; readonly problem: string }
  | { readonly state: "failed"; readonly problem: string };

const [status, setStatus] = createSignal<WorkerStatus>({ state: "starting" });
export const workerStatus = status;

interface Session {
  readonly worker: Worker;
  readonly remote: Remote<PurserApi>;
  /** Rejects when this worker is given up, so that no call waits for ever. */
  readonly died: Promise<never>;
  readonly die: (problem: string) => void;
  alive: boolean;
}

let session: Session | undefined;
let deaths = 0;

/** Called once by main.tsx, and by "Start it again". */
export function startWorker(): void {
  deaths = 0;
  if (session?.alive) retire(session, "It was started again.");
  launch({ state: "starting" });
}

function launch(first: WorkerStatus): void {
  setStatus(first);
  const worker = takeWorker();
  let die: (problem: string) => void = () => undefined;
  const died = new Promise<never>((_, reject) => {
    die = (problem) => reject(new Error(problem));
  });
  died.catch(() => undefined);
  const current: Session = { worker, remote: wrap<PurserApi>(worker), died, die, alive: true };
  session = current;
  let started = false;
  worker.addEventListener("error", (event) => {
    // After the start an uncaught error is one lost task, not a dead worker; the pings tell the difference.
    if (!started) giveUp(current, event.message || "Its script could not be loaded.");
  });
  void attach(current).then(() => {
    started = true;
    if (!current.alive) return;
    void watch(current);
    void watchLock(current);
  });
}

/**
 * A worker that is killed says nothing, and pings take a while to miss it. It holds a lock for as long as it lives:
 * whoever waits for that one has it the moment the worker is gone (K6-10).
 */
async function watchLock(current: Session): Promise<void> {
  const name = await (current.remote as unknown as { readonly tabLock: Promise<string | null> }).tabLock;
  if (name === null) return;
  const gone = () => giveUp(current, "It ended without a word.");
  await navigator.locks.request(name, gone).catch(() => undefined);
}

/** Attaches, again and again until the snapshot is here or the time is up. */
async function attach(current: Session): Promise<void> {
  const limit = setTimeout(() => {
    if (current.alive) setStatus({ state: "slow" });
  }, START_LIMIT_MS);
  let answered = false;
  while (current.alive && !answered) answered = await attachOnce(current);
  clearTimeout(limit);
  if (current.alive) setStatus({ state: "running" });
}

async function attachOnce(current: Session): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  const read = createFeedReader();
  port1.onmessage = (event: MessageEvent<FeedMessage>) => {
    if (current.alive && !read(event.data)) {
      port1.close();
      void attach(current);
    }
  };
  const asked = current.remote.attach(transfer(port2, [port2]));
  // A worker that answers with an error has started and failed: asking again would not help.
  asked.catch((error: unknown) => giveUp(current, error instanceof Error ? error.message : String(error)));
  const answered = await within(asked, ATTACH_RETRY_MS, current);
  if (!answered) port1.close();
  return answered;
}

async function watch(current: Session): Promise<void> {
  let misses = 0;
  while (current.alive) {
    await new Promise((resolve) => setTimeout(resolve, PING_EVERY_MS));
    if (!current.alive || document.hidden) continue;
    // Reading any property of the exposed object makes the round trip; there is no ping to keep in the contract.
    const asked = (current.remote as unknown as { readonly alive: Promise<unknown> }).alive;
    misses = (await within(asked, PING_LIMIT_MS, current)) ? 0 : misses + 1;
    if (misses === 0) deaths = 0;
    if (misses > MISSES_ALLOWED) giveUp(current, "It stopped answering.");
  }
}

/** True when `work` settled well in time; a rejection or silence is false. */
async function within(work: Promise<unknown>, limitMs: number, current: Session): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const well = work.then(
    () => true,
    () => false,
  );
  const answer = await Promise.race([well, late, current.died.catch(() => false)]);
  clearTimeout(timer);
  return answer;
}

function retire(current: Session, problem: string): void {
  current.alive = false;
  current.worker.terminate();
  current.die(problem);
}

function giveUp(current: Session, problem: string): void {
  if (!current.alive) return;
  retire(current, problem);
  deaths += 1;
  // One that never ran would not run the second time either.
  const ran = status().state === "running";
  if (deaths > RESTARTS_ALLOWED || !ran) setStatus({ state: "failed", problem });
  else launch({ state: "restarting", problem });
}

/** Reads answer with data, so they reject when the worker is gone; every other call answers `{ok: false}`. */
const READS: ReadonlySet<string> = new Set<keyof PurserApi>([
  "attach",
  "revisions",
  "exportPolicies",
  "records",
  "record",
  "events",
  "days",
  "grantDays",
  "decisions",
  "tool",
]);

type Call = (...args: readonly unknown[]) => Promise<unknown>;

async function call(name: string, args: readonly unknown[]): Promise<unknown> {
  const current = session;
  if (current === undefined || !current.alive) return lost(name, "Purser's worker is not running.");
  try {
    const remote = (current.remote as unknown as Readonly<Record<string, Call>>)[name];
    const answer = await Promise.race([remote?.(...args), current.died]);
    void askToKeep(name, answer);
    return answer;
  } catch (error) {
    return lost(name, error instanceof Error ? error.message : String(error));
  }
}

function lost(name: string, problem: string): unknown {
  if (READS.has(name)) throw new Error(problem);
  return { ok: false, problems: [{ where: "worker", message: problem }] };
}

const askToKeep = createPersistence(globalThis.navigator?.storage, () => purser.notePersistence());

/** Called once by main.tsx: a page that is hidden may never be shown again, so what waits to be stored is stored now. */
export function watchLeaving(): void {
  addEventListener("pagehide", () => void purser.pageHiding());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void purser.pageHiding();
  });
}

/** The worker's API. Commands always answer `{ok}`, also when the worker is gone; reads reject then. */
export const purser: PurserApi = new Proxy({} as PurserApi, {
  get: (_, name) => (typeof name === "string" ? (...args: unknown[]) => call(name, args) : undefined),
});
