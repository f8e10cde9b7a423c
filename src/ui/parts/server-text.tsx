/**
 * ServerText: { text: string, limit?: number = 600, inline?: boolean, mono?: boolean }
 * Text a server wrote: plain, isolated in direction, hidden and misleading characters marked, cut to `limit` with "Show more".
 * `inline` is one line without controls, cut by `limit`. Never markup, never a link.
 */
import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { Button } from "./button";
import { escapeOf, escapesOf, type Piece, piecesOf } from "./hidden";
import style from "./server-text.module.css";
import { count } from "./words";

/** What one press of "Show more" adds: a megabyte at once would freeze the page. */
const STEP = 20_000;

/** Cuts without splitting a surrogate pair, which would look like a lone one. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

export function ServerText(props: {
  readonly text: string;
  readonly limit?: number;
  readonly inline?: boolean;
  readonly mono?: boolean;
}): JSX.Element {
  const first = (): number => props.limit ?? 600;
  const [extra, setExtra] = createSignal(0);
  const shown = createMemo(() => cut(props.text, first() + extra()));
  const pieces = createMemo(() => piecesOf(props.inline ? shown().replace(/\s+/g, " ") : shown()));
  const left = (): number => props.text.length - shown().length;
  return (
    <Show
      when={!props.inline}
      fallback={
        <bdi class={style.inline} title={left() > 0 ? `${count(props.text.length)} characters` : undefined}>
          <Pieces of={pieces()} />
          {left() > 0 ? "…" : ""}
        </bdi>
      }
    >
      <div class={style.block}>
        <div class={style.text} dir="auto" data-mono={props.mono ? "" : undefined}>
          <Pieces of={pieces()} />
          {left() > 0 ? "…" : ""}
        </div>
        <Show when={left() > 0 || extra() > 0}>
          <div class={style.more}>
            <Show when={left() > 0}>
              <Button small tone="quiet" onClick={() => setExtra((n) => n + STEP)}>
                {left() > STEP
                  ? `Show ${count(STEP)} more of ${count(left())} characters`
                  : `Show ${count(left())} more characters`}
              </Button>
            </Show>
            <Show when={extra() > 0}>
              <Button small tone="quiet" onClick={() => setExtra(0)}>
                Show less
              </Button>
            </Show>
          </div>
        </Show>
      </div>
    </Show>
  );
}

function Pieces(props: { readonly of: readonly Piece[] }): JSX.Element {
  return (
    <For each={props.of}>
      {(piece) => (
        <Switch>
          <Match when={piece.kind === "text" && piece}>{(text) => text().text}</Match>
          <Match when={piece.kind === "hidden" && piece}>
            {(hidden) => (
              <span class={style.hidden} title={hidden().name}>
                {escapeOf(hidden().code)}
                {hidden().times > 1 ? `×${count(hidden().times)}` : ""}
              </span>
            )}
          </Match>
          <Match when={piece.kind === "alike" && piece}>
            {(alike) => (
              <span class={style.hidden} title="not the Latin letters they look like">
                {alike().text} {escapesOf(alike().text)}
              </span>
            )}
          </Match>
        </Switch>
      )}
    </For>
  );
}
