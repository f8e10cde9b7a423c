/** What every implementation of `Store` must do (see `store.ts`), as cases that run where the store runs. */
import { ACT_CASES } from "./acts";
import type { Cases } from "./bench";
import { EXCHANGE_CASES } from "./exchanges";
import { LOG_CASES } from "./log";

export const CONTRACT: Cases = { ...EXCHANGE_CASES, ...ACT_CASES, ...LOG_CASES };
