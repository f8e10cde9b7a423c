/** One sampling request's life as states × events, a literal table: a pair without a cell does not compile. */

export type ExchangeState =
  | "received"
  /** Behind the same identity, still undecided (A5). */
  | "waiting"
  | "deciding"
  /** Attaching context and counting tokens (A1). */
  | "measuring"
  /** Behind another dialog of its server (K2). */
  | "queueing"
  | "asking"
  | "running"
  | "ended";

export type ExchangeEvent =
  | "malformed"
  | "same_undecided"
  | "turn_came"
  | "decide"
  | "measure"
  | "measured"
  | "replay"
  | "refuse"
  | "ask"
  | "queue"
  | "answer"
  | "silence"
  | "admit"
  | "fall_back"
  | "finish"
  | "cancel";

type Row = Readonly<Record<ExchangeEvent, ExchangeState | null>>;

const NEVER = {
  malformed: null,
  same_undecided: null,
  turn_came: null,
  decide: null,
  measure: null,
  measured: null,
  replay: null,
  refuse: null,
  ask: null,
  queue: null,
  answer: null,
  silence: null,
  admit: null,
  fall_back: null,
  finish: null,
  cancel: null,
} as const satisfies Row;

/** `null` is a pair that cannot happen. Each state names what it can meet; every open one can be cancelled (K7). */
const NEXT = {
  received: {
    ...NEVER,
    malformed: "ended",
    replay: "ended",
    same_undecided: "waiting",
    decide: "deciding",
    cancel: "ended",
  },
  waiting: { ...NEVER, turn_came: "received", cancel: "ended" },
  deciding: {
    ...NEVER,
    measure: "measuring",
    replay: "ended",
    refuse: "ended",
    ask: "asking",
    queue: "queueing",
    admit: "running",
    cancel: "ended",
  },
  measuring: { ...NEVER, measured: "deciding", cancel: "ended" },
  // A yes to whoever was in front may cover this one too: it is decided again before it asks (A3).
  queueing: { ...NEVER, turn_came: "deciding", silence: "ended", cancel: "ended" },
  asking: { ...NEVER, answer: "deciding", silence: "ended", cancel: "ended" },
  // Admitted, it may have waited for its siblings and is then decided again before it starts (W8).
  running: { ...NEVER, decide: "deciding", fall_back: "deciding", refuse: "ended", finish: "ended", cancel: "ended" },
  // Once ended, nothing more: one response and one record (W1, L1).
  ended: NEVER,
} as const satisfies Readonly<Record<ExchangeState, Row>>;

/** The state after `event`. Throws by name for a pair that cannot happen: a programming error, never a server's. */
export function nextExchange(state: ExchangeState, event: ExchangeEvent): ExchangeState {
  const next: ExchangeState | null = NEXT[state][event];
  if (next === null) throw new Error(`an exchange that is ${state} cannot meet ${event}`);
  return next;
}
