/** One exchange's line for the person: every change goes out as a whole step (R5). */
import type { ExchangeRecord } from "../../policy/record";
import type { StepPhase, StepView } from "../api";
import type { Watcher } from "./deps";

export interface StepLine {
  phase(phase: StepPhase): void;
  about(text: string): void;
  ended(record: ExchangeRecord, firstBudgetNotice?: boolean): void;
  /** A stored decision answered: the line gives way to the count on the one it repeats (A4). */
  replayed(): void;
}

export function stepLine(watcher: Watcher, id: string, server: string, runId: string | null, at: number): StepLine {
  let step: StepView = {
    id,
    recordId: id,
    server,
    receivedAt: at,
    about: "",
    step: { phase: "deciding" },
    ending: null,
    reason: null,
    because: "",
    model: null,
    inputTokens: null,
    outputTokens: null,
    chargedMicros: null,
    endedAt: null,
    represented: 0,
  };
  let shown = false;
  function set(change: Partial<StepView>): void {
    shown = true;
    step = { ...step, ...change };
    watcher.step(runId, step);
  }
  return {
    phase: (phase) => set({ step: phase }),
    // Not shown on its own: the next phase carries it.
    about: (about) => {
      step = { ...step, about };
    },
    ended: (record, firstBudgetNotice = false) => {
      set({
        recordId: record.id,
        step: { phase: "ended" },
        ending: record.ending,
        reason: record.reason,
        because: record.because,
        model: record.modelUsed,
        inputTokens: record.usage === null ? record.estimatedInputTokens || null : totalInput(record.usage),
        outputTokens: record.usage?.outputTokens ?? null,
        chargedMicros: record.chargeBasis === "none" ? null : record.chargedMicros,
        endedAt: record.endedAt,
      });
      watcher.ended(record, { firstBudgetNotice });
    },
    replayed: () => {
      if (shown) watcher.withdrawn(runId, id);
    },
  };
}

function totalInput(usage: NonNullable<ExchangeRecord["usage"]>): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
