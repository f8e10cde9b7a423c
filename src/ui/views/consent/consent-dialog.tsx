/**
 * ConsentDialogs: the open consents of all servers, one shown and the others as chips, and the name prompt before the
 * first grant. Always mounted; it also holds the page's live region.
 */
import X from "lucide-solid/icons/x";
import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import type { DialogView, StepView } from "../../../worker/api";
import { IconButton } from "../../parts/button";
import { state } from "../../projection";
import { Announcer, announce } from "./announcer";
import { Chip } from "./chip";
import style from "./consent.module.css";
import { ConsentSheet } from "./consent-sheet";
import { NamePrompt } from "./name-prompt";
import { closedWords } from "./terms";
import { createPageGuard } from "./use-guard";

/** Long enough to read one sentence twice. */
const GONE_MS = 12_000;

export function ConsentDialogs(): JSX.Element {
  const guard = createPageGuard();
  const [minimised, setMinimised] = createSignal<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = createSignal<string | null>(null);
  const answered = new Set<string>();

  const shownId = createMemo((before: string | null): string | null => {
    const open = state.dialogs.filter((dialog) => !minimised().has(dialog.id));
    const wanted = open.find((dialog) => dialog.id === chosen());
    const still = open.find((dialog) => dialog.id === before);
    return (wanted ?? still ?? open[0])?.id ?? null;
  }, null);
  const shown = createMemo(() => state.dialogs.find((dialog) => dialog.id === shownId()));
  const others = createMemo(() => state.dialogs.filter((dialog) => dialog.id !== shownId()));

  const [gone, setGone] = createSignal<string | null>(null);
  tellClosed(answered, setGone);
  const minimise = (id: string) => {
    setMinimised((ids) => new Set(ids).add(id));
    setChosen(null);
  };
  const open = (id: string) => {
    setMinimised((ids) => new Set([...ids].filter((one) => one !== id)));
    setChosen(id);
  };

  return (
    <>
      <Announcer />
      <NamePrompt />
      <Show when={others().length > 0}>
        <section class={style.chips} aria-label="Waiting for your consent">
          <ul aria-label="Waiting for your consent">
            <For each={others()}>
              {(dialog) => (
                <li>
                  <Chip dialog={dialog} onOpen={() => open(dialog.id)} />
                </li>
              )}
            </For>
          </ul>
        </section>
      </Show>
      <Show when={gone()} keyed>
        {(text) => <Gone text={text} onOver={() => setGone(null)} />}
      </Show>
      <Show when={shownId()} keyed>
        {(id) => (
          <Show when={shown()}>
            {(dialog) => (
              <ConsentSheet
                dialog={dialog()}
                others={others().length}
                guard={guard}
                onAnswered={() => answered.add(id)}
                onMinimise={() => minimise(id)}
              />
            )}
          </Show>
        )}
      </Show>
    </>
  );
}

/** Where a dialog was that went away unanswered, for a while; the step and the log say it for good. */
function Gone(props: { readonly text: string; readonly onOver: () => void }): JSX.Element {
  const timer = setTimeout(() => props.onOver(), GONE_MS);
  onCleanup(() => clearTimeout(timer));
  return (
    <section class={style.gone} aria-label="Closed consent">
      <p>{props.text}</p>
      <IconButton label="Dismiss" of={X} small onClick={() => props.onOver()} />
    </section>
  );
}

/** Says that a dialog opened as a chip, and why one went away that nobody answered here. */
function tellClosed(answered: Set<string>, tell: (text: string) => void): void {
  let before = new Map<string, DialogView>();
  createEffect(() => {
    const now = new Map(state.dialogs.map((dialog) => [dialog.id, { ...dialog }]));
    for (const [id, dialog] of before) {
      if (now.has(id)) continue;
      if (answered.delete(id)) continue;
      const words = closedWords(dialog.server, stepOf(dialog.exchangeId));
      announce(words);
      tell(words);
    }
    if (before.size > 0)
      for (const [id, dialog] of now) if (!before.has(id)) announce(`${dialog.server} waits for your consent`);
    before = now;
  });
}

function stepOf(exchangeId: string): StepView | undefined {
  for (const run of state.runs) {
    const step = run.steps.find((one) => one.id === exchangeId);
    if (step !== undefined) return step;
  }
  return state.ambient.find((one) => one.id === exchangeId);
}
