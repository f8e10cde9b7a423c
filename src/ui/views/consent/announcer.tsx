/** Announcer: one polite live region for the page; `announce(text)` says something in it, seldom and in few words. */
import { createSignal, type JSX } from "solid-js";
import { VisuallyHidden } from "../../parts/visually-hidden";

const [said, setSaid] = createSignal({ text: "", turn: 0 });

export function announce(text: string): void {
  setSaid((before) => ({ text, turn: before.turn + 1 }));
}

export function Announcer(): JSX.Element {
  return (
    <VisuallyHidden>
      {/* A no-break space every other time, so that the same words said again are heard again. */}
      <span role="status">{said().text + (said().turn % 2 === 0 ? "" : "\u00a0")}</span>
    </VisuallyHidden>
  );
}
