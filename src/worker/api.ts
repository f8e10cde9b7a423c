/**
 * TYPES ONLY: what page and worker say to each other. The one worker file the UI may import.
 *
 * Commands are calls that answer `{ok:true,…} | {ok:false, problems}`. State flows one way: `attach` hands over a
 * port; the worker posts `{seq:0, snapshot}` and then `{seq, patches}` for each commit. A gap means attach again.
 * Texts marked "server text" were written by a server: show them as plain text, marked as the server's.
 */
import type { Account, Consent, Grant, GrantKind } from "../policy/account";
import type { Price, Usage } from "../policy/catalog";
import type { StoredDecision } from "../policy/decision";
import type { Ending } from "../policy/ending";
import type { Gauge } from "../policy/gauge";
import type { RaiseOffer } from "../policy/grant";
import type { Notice as NoticeView } from "../policy/notice";
import type { Policy, PolicyRevision, Scope } from "../policy/policy";
import type { Reason } from "../policy/reasons";
import type { ExchangeRecord, ManifestEntry } from "../policy/record";
import type { ConnectionReport, ToolDetail, ToolInfo, ToolProgress } from "./mcp/connection";
import type { ProviderStatus as ProviderView } from "./providers/offers";
import type { ModelPrice as PriceRow } from "./providers/registry";
import type {
  DayRow,
  EventCursor,
  LogEvent,
  RecordCursor,
  RecordFilter,
  RecordPage,
  StorageHealth,
} from "./storage/store";
import type { ToolNews } from "./tool-news";

export type {
  Account,
  ConnectionReport,
  Consent,
  DayRow,
  Ending,
  EventCursor,
  ExchangeRecord,
  Gauge,
  Grant,
  GrantKind,
  LogEvent,
  ManifestEntry,
  NoticeView,
  Policy,
  PolicyRevision,
  Price,
  PriceRow,
  ProviderView,
  RaiseOffer,
  Reason,
  RecordCursor,
  RecordFilter,
  RecordPage,
  Scope,
  StorageHealth,
  StoredDecision,
  ToolDetail,
  ToolInfo,
  ToolNews,
  ToolProgress,
  Usage,
};

/** What is wrong with an input, and where: a field path, or `line:column` for a file. */
export interface Problem {
  readonly where: string;
  readonly message: string;
}
export type Answer<T = object> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface ServerView {
  readonly name: string;
  readonly url: string;
  /** Host and port of `url`. */
  readonly host: string;
  readonly autoConnect: boolean;
  /** Names of extra headers; values never come out. */
  readonly headerNames: readonly string[];
  readonly connection: ConnectionReport;
  readonly policy: PolicyRevision;
  readonly gauge: Gauge;
  readonly consents: readonly Consent[];
  readonly grants: readonly Grant[];
  /** K6: no more dialogs in this window, and why. */
  readonly quiet: "denials" | "silence" | null;
  readonly mutedUntilAt: number | null;
  /** D3: a retry loop was seen. */
  readonly loop: { readonly identity: string; readonly since: number; readonly represented: number } | null;
  /** Tools that are new or not what they were, until the person opened them (K7-16). */
  readonly toolNews: readonly ToolNews[];
  /** G5: a budget that would have fitted, after 3 grants in 7 days; null otherwise. */
  readonly suggestedCapMicros: number | null;
  readonly grantsIn7Days: { readonly count: number; readonly micros: number };
}

/** Where a sampling step is (R5). The UI puts it in words. */
export type StepPhase =
  | { readonly phase: "deciding" }
  /** Same identity is being decided already (A5). */
  | { readonly phase: "waiting_for_same_request" }
  | { readonly phase: "counting_tokens" }
  /** K2: another dialog of this server is open. */
  | { readonly phase: "waiting_behind_dialog" }
  | { readonly phase: "waiting_for_consent"; readonly untilAt: number }
  | {
      readonly phase: "generating";
      readonly model: string;
      readonly outputTokens: number;
      readonly startedAt: number;
      readonly deadlineAt: number;
    }
  | { readonly phase: "ended" };

/** One exchange as a line under its tool card: mark · server · what · model · tokens · cost · time. */
export interface StepView {
  readonly id: string;
  /** Its row in the log; a throttle's is the row it shares. */
  readonly recordId: string;
  readonly server: string;
  readonly receivedAt: number;
  /** First words of the last message. Server text. */
  readonly about: string;
  readonly step: StepPhase;
  /** Set once ended (the record has the rest). */
  readonly ending: Ending | null;
  readonly reason: Reason | "malformed" | null;
  /** The rule that decided, once it ended. */
  readonly because: string;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly chargedMicros: number | null;
  readonly endedAt: number | null;
  /** How often the same request was replayed into this run (A4). */
  readonly represented: number;
}

export interface RunView {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly state: "queued" | "running" | "succeeded" | "failed" | "refused" | "cancelled" | "unknown" | "interrupted";
  /** Why it waits, e.g. "3 calls to this origin are in flight"; null otherwise. */
  readonly queuedReason: string | null;
  readonly progress: ToolProgress | null;
  /** Content blocks. Server text. */
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structured: unknown;
  /** Of a failed run. `problemFrom` tells whose words they are. */
  readonly problem: string | null;
  readonly problemFrom: "purser" | "server" | null;
  readonly warnings: readonly string[];
  readonly steps: readonly StepView[];
  /** Steps beyond what is kept in the card, by ending, so that a flood stays one line. */
  readonly foldedSteps: number;
  readonly notices: readonly NoticeView[];
  readonly chargedMicros: number;
}

/** The consent dialog (K3). */
export interface DialogView {
  readonly id: string;
  readonly server: string;
  readonly host: string;
  readonly exchangeId: string;
  readonly runId: string | null;
  readonly tool: string | null;
  readonly model: string;
  readonly provider: string;
  /** Models that could not be reached before this one was asked for (R2). */
  readonly fellBackFrom: readonly string[];
  readonly scopeAsked: Scope;
  readonly scopeGranted: Scope;
  readonly manifest: readonly ManifestEntry[];
  readonly inputTokens: number;
  readonly maxTokensAsked: number;
  readonly maxTokensGranted: number;
  readonly estimatedMicros: number;
  readonly atMostMicros: number;
  readonly ceilingMicros: number;
  readonly untilAt: number;
  readonly mode: Policy["consent"];
  /** Everything the server wrote, every turn. Server text; hidden characters are made visible by the UI. */
  readonly systemPrompt: string | null;
  readonly turns: readonly {
    readonly role: "user" | "assistant";
    readonly blocks: readonly { readonly kind: string; readonly text: string }[];
  }[];
  readonly openedAt: number;
  /** When the server is told `consent.pending`; after that the dialog stays and a later allow serves the retry. */
  readonly answerByAt: number;
  readonly late: boolean;
  /** Asked again: the policy was edited while it was asked before. */
  readonly termsChanged: boolean;
  /** Requests of this server waiting behind it. */
  readonly waitingBehind: number;
}

export type DialogAnswer = "allow_session" | "allow_once" | "deny" | "deny_and_mute";

export interface SettingsView {
  /** "" until given. */
  readonly profileName: string;
  readonly providers: readonly ProviderView[];
  readonly prices: readonly PriceRow[];
  readonly pricesAsOf: string;
  /** L4: days that single records are kept. */
  readonly recordDays: number;
  readonly storage: StorageHealth;
  /** The demo servers of `npm start`, where this page was served by it; null otherwise. */
  readonly demo: DemoInfo | null;
}

/** Raises of one UTC day (G5). */
export interface GrantDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly count: number;
  readonly micros: number;
  readonly requests: number;
}

export interface DemoInfo {
  readonly servers: readonly { readonly name: string; readonly url: string }[];
  /** Example sampling-policy.yaml with a small budget. */
  readonly policyText: string;
}

export interface Snapshot {
  readonly servers: readonly ServerView[];
  /** Oldest first. */
  readonly runs: readonly RunView[];
  readonly dialogs: readonly DialogView[];
  /** Steps outside any run (ambient), newest last, at most 50. */
  readonly ambient: readonly StepView[];
  readonly settings: SettingsView;
}

export type Patch =
  | { readonly kind: "server"; readonly server: ServerView }
  | { readonly kind: "server_removed"; readonly name: string }
  | { readonly kind: "run"; readonly run: RunView }
  | { readonly kind: "runs_cleared" }
  | { readonly kind: "dialog"; readonly dialog: DialogView }
  | { readonly kind: "dialog_closed"; readonly id: string }
  | { readonly kind: "ambient"; readonly steps: readonly StepView[] }
  | { readonly kind: "settings"; readonly settings: SettingsView }
  /** Records or events changed: the log refetches what it shows. */
  | { readonly kind: "log_changed" };

export type FeedMessage =
  | { readonly seq: 0; readonly snapshot: Snapshot }
  | { readonly seq: number; readonly patches: readonly Patch[] };

export interface PurserApi {
  /** Starts (or restarts) the feed on `port`. Resolves when the snapshot was posted. */
  attach(port: MessagePort): Promise<void>;

  addServer(input: { name: string; url: string; headers: Record<string, string>; connect: boolean }): Promise<Answer>;
  editServer(
    name: string,
    input: { url: string; headers: Record<string, string> | null; autoConnect: boolean },
  ): Promise<Answer>;
  removeServer(name: string): Promise<Answer>;
  connect(name: string): Promise<Answer>;
  disconnect(name: string): Promise<Answer>;
  /** Registers the demo servers, adds their example policies to those there are, connects (empty state). */
  connectDemo(): Promise<Answer>;

  /** A tool with its schema; null where the server lists none of that name. */
  tool(server: string, tool: string): Promise<ToolDetail | null>;
  /** The person has a tool before them: it is news no more. */
  toolOpened(server: string, tool: string): Promise<Answer>;
  runTool(server: string, tool: string, args: Record<string, unknown>): Promise<Answer<{ runId: string }>>;
  cancelRun(runId: string): Promise<Answer>;
  clearRuns(): Promise<Answer>;

  answerDialog(id: string, answer: DialogAnswer): Promise<Answer>;
  revokeConsents(server: string): Promise<Answer>;
  listenAgain(server: string): Promise<Answer>;

  /** Grants what the notice of this record offers; `runAgain` re-runs the tool call. Needs a profile name first. */
  raise(recordId: string, runAgain: boolean): Promise<Answer<{ grant: Grant; runId: string | null }>>;

  /** A form's values; problems name the field as in the file, e.g. `rate_limit.burst`. */
  savePolicy(server: string, policy: Policy): Promise<Answer<{ revision: number }>>;
  /** Takes one server's block, with its comments, out of a policy file; whatever else that says changes nothing. */
  savePolicyBlock(server: string, text: string): Promise<Answer<{ revision: number }>>;
  revisions(server: string): Promise<readonly PolicyRevision[]>;
  /** All servers' policies as YAML, with the imported file's comments. */
  exportPolicies(): Promise<string>;
  /** Checks without saving; problems are `line:column`. */
  checkPolicies(text: string): Promise<Answer<{ servers: readonly string[] }>>;
  /** The whole file: a server that it does not name may not sample any more. `changed` names those too. */
  importPolicies(text: string): Promise<Answer<{ changed: readonly string[] }>>;

  records(filter: RecordFilter, before: RecordCursor | null, limit: number): Promise<RecordPage>;
  record(id: string): Promise<ExchangeRecord | null>;
  events(before: EventCursor | null, limit: number): Promise<readonly LogEvent[]>;
  /** Sums by UTC day, server, model and ending, from one `YYYY-MM-DD` to another, both included, oldest first (L2). */
  days(from: string, to: string): Promise<readonly DayRow[]>;
  /** Raises by day, newest first; null for all servers together. */
  grantDays(server: string | null): Promise<readonly GrantDay[]>;
  decisions(server: string): Promise<readonly StoredDecision[]>;
  forgetDecision(identity: string): Promise<Answer>;

  setProfileName(name: string): Promise<Answer>;
  setProviderKey(provider: string, key: string, remember: boolean): Promise<Answer>;
  clearProviderKey(provider: string): Promise<Answer>;
  setProviderBaseUrl(provider: string, url: string, models: readonly string[]): Promise<Answer>;
  /** Override of one model's price; null goes back to the table. */
  setPrice(
    model: string,
    price: { inputMicros: number; outputMicros: number; cacheReadMicros: number; cacheWriteMicros: number } | null,
  ): Promise<Answer>;
  /** L4: how long single records are kept; the sums by day stay. */
  setRecordDays(days: number): Promise<Answer>;
  /** The page asks the browser first (`navigator.storage.persist()` exists only there), then calls this to show the answer. */
  notePersistence(): Promise<Answer<{ persisted: boolean }>>;
  confirmStorageLoss(): Promise<Answer>;
  /** The page may be gone in a moment: what waits to be written is written now. */
  pageHiding(): Promise<Answer>;
}
