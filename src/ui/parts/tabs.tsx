/**
 * Tabs: { label, tabs: { id, label, panel: () => JSX }[], value, onChange(id) }
 * Roving focus: arrows, Home and End move and select; one tab stop. Only the chosen panel exists.
 */
import { createUniqueId, For, type JSX, Show, Suspense } from "solid-js";
import style from "./tabs.module.css";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly panel: () => JSX.Element;
}

export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}): JSX.Element {
  const base = createUniqueId();
  const buttons = new Map<string, HTMLButtonElement>();
  const move = (event: KeyboardEvent): void => {
    const at = props.tabs.findIndex((tab) => tab.id === props.value);
    const last = props.tabs.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const target = props.tabs[targets[event.key] ?? -1];
    if (target === undefined) return;
    event.preventDefault();
    props.onChange(target.id);
    // The owner may keep the old tab (unsaved changes); focus follows what was chosen.
    buttons.get(props.value)?.focus();
  };
  return (
    <div class={style.tabs}>
      <div role="tablist" aria-label={props.label} class={style.list} onKeyDown={move}>
        <For each={props.tabs}>
          {(tab) => (
            <button
              ref={(element) => buttons.set(tab.id, element)}
              type="button"
              role="tab"
              class={style.tab}
              id={`${base}-${tab.id}`}
              aria-selected={tab.id === props.value}
              aria-controls={`${base}-${tab.id}-panel`}
              tabIndex={tab.id === props.value ? 0 : -1}
              onClick={() => props.onChange(tab.id)}
            >
              {tab.label}
            </button>
          )}
        </For>
      </div>
      <For each={props.tabs}>
        {(tab) => (
          <div
            role="tabpanel"
            id={`${base}-${tab.id}-panel`}
            aria-labelledby={`${base}-${tab.id}`}
            hidden={tab.id !== props.value}
          >
            {/* A panel that loads must not take the tabs away, and the focus with them. */}
            <Show when={tab.id === props.value}>
              <Suspense>{tab.panel()}</Suspense>
            </Show>
          </div>
        )}
      </For>
    </div>
  );
}
