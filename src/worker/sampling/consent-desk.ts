/** One consent dialog per server at a time, in all tabs; a late one stays and serves the retry (SPEC K2, K5, K7). */
import type { ConsentAnswer } from "../../policy/decide";
import type { Block } from "../../policy/request";
import type { DialogAnswer, DialogView } from "../api";
import type { ConsentDesk, ConsentQuestion, ConsentTurn, TermsChanged } from "./deps";

/** As where the server is kept informed (K5). */
const LONGEST_WAIT_MS = 300_000;

interface OpenDialog {
  view: DialogView;
  readonly question: ConsentQuestion;
  /** Null once the server was told `consent.pending`: the dialog is late. */
  resolve: ((answer: ConsentAnswer | TermsChanged | null) => void) | null;
  /** Of a late dialog: its server's turn, kept in all tabs for as long as it stands (K2). */
  release: (() => void) | null;
  /** A late answer is being kept. */
  answering: boolean;
}

export interface DeskDeps {
  readonly locks: LockManager;
  readonly now: () => number;
  readonly newId: () => string;
  readonly profileName: () => string;
  readonly hostOf: (server: string) => string;
  readonly onDialog: (dialog: DialogView) => void;
  readonly onClosed: (id: string) => void;
  /** An answer after the server was told to come back later. */
  readonly answeredLate: (question: ConsentQuestion, answer: DialogAnswer) => Promise<void>;
}

export interface Desk extends ConsentDesk {
  dialogs(): readonly DialogView[];
  /** False where no such dialog is open any more. */
  answer(id: string, answer: DialogAnswer): Promise<boolean>;
  /** Its policy changed, or it was removed: a late dialog is closed, and what is being asked is decided again. */
  closeFor(server: string): void;
}

export function createConsentDesk(deps: DeskDeps): Desk {
  const open = new Map<string, OpenDialog>();
  const waiting = new Map<string, number>();

  function show(server: string): void {
    const dialog = open.get(server);
    if (dialog === undefined) return;
    dialog.view = { ...dialog.view, waitingBehind: waiting.get(server) ?? 0, late: dialog.resolve === null };
    deps.onDialog(dialog.view);
  }

  function close(server: string): void {
    const dialog = open.get(server);
    if (dialog === undefined) return;
    open.delete(server);
    deps.onClosed(dialog.view.id);
    dialog.release?.();
  }

  function countWaiting(server: string, by: 1 | -1): void {
    waiting.set(server, (waiting.get(server) ?? 0) + by);
    show(server);
  }

  async function turn(wanted: ConsentTurn, onWait: () => void): Promise<(() => void) | null> {
    const { server, untilAt, signal } = wanted;
    const name = `purser:consent:${server}`;
    const atOnce = takeOver(wanted) ?? (await grab(deps.locks, name, { ifAvailable: true }));
    if (atOnce !== null) return () => giveBack(server, atOnce);
    onWait();
    countWaiting(server, 1);
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(leftMs(untilAt, deps.now()))]);
      const release = await grab(deps.locks, name, { signal: limit });
      return release === null ? null : () => giveBack(server, release);
    } finally {
      countWaiting(server, -1);
    }
  }

  /** The retry of what a late dialog asks goes on where that stands (K5). */
  function takeOver({ server, identity }: ConsentTurn): (() => void) | null {
    const dialog = open.get(server);
    if (dialog === undefined || dialog.question.ask.identity !== identity) return null;
    const { release } = dialog;
    dialog.release = null;
    return release;
  }

  /** A late dialog keeps the turn until it is answered or withdrawn, so that no tab opens another beside it (K2, K5). */
  function giveBack(server: string, release: () => void): void {
    const dialog = open.get(server);
    if (dialog?.resolve === null && dialog.release === null) dialog.release = release;
    else release();
  }

  function ask(question: ConsentQuestion): Promise<ConsentAnswer | TermsChanged | null> {
    const { server } = question;
    // A late dialog can only be of the same request (`turn`): it goes on where it stands.
    const id = open.get(server)?.view.id ?? deps.newId();
    return new Promise((resolve) => {
      if (question.signal.aborted) return resolve(null);
      const timer = setTimeout(
        () => {
          const dialog = open.get(server);
          if (dialog?.question === question) {
            dialog.resolve = null;
            show(server);
          }
          done({ answer: "unanswered", shown: true });
        },
        leftMs(question.answerByAt, deps.now()),
      );
      const onAbort = () => {
        if (open.get(server)?.question === question) close(server);
        done(null);
      };
      function done(answer: ConsentAnswer | TermsChanged | null): void {
        clearTimeout(timer);
        question.signal.removeEventListener("abort", onAbort);
        resolve(answer);
      }
      question.signal.addEventListener("abort", onAbort);
      open.set(server, { view: viewOf(question, id, deps), question, resolve: done, release: null, answering: false });
      show(server);
    });
  }

  async function answer(id: string, given: DialogAnswer): Promise<boolean> {
    const dialog = [...open.values()].find((one) => one.view.id === id);
    if (dialog === undefined || dialog.answering) return false;
    const { server } = dialog.view;
    if (dialog.resolve !== null) {
      close(server);
      dialog.resolve(consentAnswerOf(given, dialog.view, deps.newId(), deps.profileName()));
      return true;
    }
    // It closes only once the answer is kept: one that was lost must not look given.
    dialog.answering = true;
    try {
      await deps.answeredLate(dialog.question, given);
    } finally {
      dialog.answering = false;
    }
    const current = open.get(server);
    if (current === dialog) close(server);
    // A retry that took the dialog over meanwhile is the request that was answered.
    else if (current?.question.ask.identity === dialog.question.ask.identity && current.resolve !== null) {
      close(server);
      current.resolve(consentAnswerOf(given, current.view, deps.newId(), deps.profileName()));
    }
    return true;
  }

  return {
    turn,
    ask,
    answer,
    dialogs: () => [...open.values()].map((one) => one.view),
    closeFor: (server) => {
      const dialog = open.get(server);
      if (dialog === undefined) return;
      close(server);
      dialog.resolve?.("terms_changed");
    },
  };
}

function consentAnswerOf(answer: DialogAnswer, view: DialogView, consentId: string, by: string): ConsentAnswer {
  switch (answer) {
    case "allow_session":
      return { answer, consentId, by, ceilingMicros: view.ceilingMicros };
    case "allow_once":
      return { answer, consentId, by };
    default:
      return { answer, by };
  }
}

/** However far the clock was set back meanwhile, nobody waits longer than anybody may. */
function leftMs(untilAt: number, now: number): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(0, untilAt - now));
}

/** Takes a Web Lock and gives back its release; null where it was not to be had or the signal aborted. */
async function grab(locks: LockManager, name: string, options: LockOptions): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    locks
      .request(name, options, (lock) => {
        if (lock === null) return resolve(null);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(() => resolve(null));
  });
}

function viewOf(question: ConsentQuestion, id: string, deps: DeskDeps): DialogView {
  const { ask, terms, request, server } = question;
  const { plan } = terms;
  return {
    id,
    server,
    host: deps.hostOf(server),
    exchangeId: ask.draft.id,
    runId: ask.draft.runId,
    tool: ask.draft.tool,
    model: plan.model,
    provider: plan.provider,
    fellBackFrom: plan.fellBackFrom,
    scopeAsked: plan.scopeAsked,
    scopeGranted: plan.scopeGranted,
    manifest: plan.manifest,
    inputTokens: plan.inputTokens,
    maxTokensAsked: plan.maxTokensAsked,
    maxTokensGranted: plan.maxTokensGranted,
    estimatedMicros: plan.estimateMicros,
    atMostMicros: terms.atMostMicros,
    ceilingMicros: terms.ceilingMicros,
    untilAt: terms.untilAt,
    mode: question.mode,
    systemPrompt: request.systemPrompt,
    turns: request.messages.map((message) => ({
      role: message.role,
      blocks: message.content.map((block) => ({ kind: block.type, text: shown(block) })),
    })),
    openedAt: deps.now(),
    answerByAt: question.answerByAt,
    late: false,
    termsChanged: question.termsChanged,
    waitingBehind: 0,
  };
}

/** What the dialog shows of a block: what is sent is what is shown, binary data by its kind and size. */
function shown(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `${block.mimeType}, ${Math.floor((block.data.length * 3) / 4).toLocaleString("en")} bytes`;
    default:
      return JSON.stringify(block, null, 1);
  }
}
