/** RunEndings: says once, in the page's live region, that a run has ended and how. Draws nothing. */
import { createEffect, type JSX } from "solid-js";
import { spelledOut } from "../../parts/hidden";
import { dollars } from "../../parts/words";
import { state } from "../../projection";
import { announce } from "../consent/announcer";
import { stateWord } from "./state-mark";

export function RunEndings(): JSX.Element {
  let open = new Set<string>();
  createEffect(() => {
    const now = new Set<string>();
    const ended: string[] = [];
    for (const run of state.runs) {
      if (run.endedAt === null) now.add(run.id);
      else if (open.has(run.id)) {
        const cost = run.chargedMicros > 0 ? `, ${dollars(run.chargedMicros)}` : "";
        ended.push(`${spelledOut(run.tool)} on ${run.server}: ${stateWord(run.state)}${cost}`);
      }
    }
    open = now;
    if (ended.length > 0) announce(ended.join(". "));
  });
  return null;
}
