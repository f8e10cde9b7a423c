/** An exchange on its way, and what deciding it can come to. */
import type { Plan } from "../../policy/account";
import { type ExchangeEvent, type ExchangeState, nextExchange } from "../../policy/exchange";
import type { SamplingAnswer } from "../mcp/incoming";
import type { Exchange } from "./intake";
import type { MeasuredPrompt } from "./measure";
import type { StepLine } from "./progress";

/** What only this process knows of an exchange. */
export interface Live {
  readonly exchange: Exchange;
  readonly line: StepLine;
  state: ExchangeState;
  measured: MeasuredPrompt | null;
  /** Models that were unavailable in this exchange (R2). */
  tried: readonly string[];
  /** Siblings of the same call must be decided before it runs (W8). */
  waits: boolean;
  /** The newest revision and plan it was decided under and held for; its record says so however it ends (P4, L1). */
  revision: number;
  plan: Plan | null;
  /** Who allowed it, where a person was asked. */
  answeredBy: string | null;
}

/** Either the exchange has ended, with the answer to send (null: none, W1), or it may run. */
export type Decided =
  | { readonly kind: "ended"; readonly answer: SamplingAnswer | null }
  | { readonly kind: "admitted"; readonly live: Live; readonly plan: Plan; readonly decidedAt: number };

/** Moves the exchange on; a pair the table does not have is a bug of ours and stops here (W1, L1). */
export function met(live: Live, event: ExchangeEvent): void {
  live.state = nextExchange(live.state, event);
}
