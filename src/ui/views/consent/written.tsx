/** Written: { dialog } – the server's voice, boxed: every turn whole, hidden characters marked, never markup (K3). */
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, onCleanup, Show } from "solid-js";
import type { DialogView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { piecesOf, spelledOut } from "../../parts/hidden";
import { ServerText } from "../../parts/server-text";
import { count } from "../../parts/words";
import style from "./consent.module.css";
import { lengthOf, promptParts } from "./prompt";

/** From this length on, there is a way to jump to the end. */
const LONG = 2_000;
/** More marks than this in one piece are written as plain characters: an element each would drown the page. */
const MARKS_MAX = 24;
/** Pieces put on the page at once; the rest of a very long text follows in the moments after. */
const PIECES_AT_ONCE = 12;

export function Written(props: { readonly dialog: DialogView }): JSX.Element {
  const id = createUniqueId();
  const length = createMemo(() => lengthOf(props.dialog));
  let end: HTMLParagraphElement | undefined;
  const [whole, setWhole] = createSignal(false);
  const toEnd = () => {
    setWhole(true);
    // Pieces coming into view take their real height, which moves the end again: go on until it stays.
    let frames = 12;
    const go = () => {
      end?.scrollIntoView({ block: "end" });
      frames -= 1;
      if (frames > 0) requestAnimationFrame(go);
    };
    go();
  };
  return (
    <fieldset aria-labelledby={id} class={style.written}>
      <div class={style.writtenHead}>
        <h3 id={id} class={style.voice}>
          Written by the server
        </h3>
        <Show when={length() > LONG}>
          <Button small tone="quiet" onClick={toEnd}>
            To the end
          </Button>
        </Show>
      </div>
      <p class={style.soft}>
        {count(length())} characters in {count(props.dialog.turns.length)}{" "}
        {props.dialog.turns.length === 1 ? "turn" : "turns"}
        <Show when={props.dialog.systemPrompt !== null}> and a system prompt</Show>. Purser shows it as it will be sent
        and vouches for none of it.
      </p>
      <Show when={props.dialog.systemPrompt}>
        {(text) => <Turn who="System prompt" text={text()} whole={whole()} />}
      </Show>
      <For each={props.dialog.turns}>
        {(turn) => (
          <For each={turn.blocks}>
            {(block) => (
              <Turn
                who={turn.role === "assistant" ? "Put in the assistant's mouth" : "As the user"}
                kind={block.kind}
                text={block.text}
                whole={whole()}
              />
            )}
          </For>
        )}
      </For>
      <p
        ref={(element) => {
          end = element;
        }}
        class={style.end}
      >
        End of what {props.dialog.server} wrote
      </p>
    </fieldset>
  );
}

interface TurnProps {
  readonly who: string;
  readonly kind?: string;
  readonly text: string;
  /** All of it at once, whatever it takes. */
  readonly whole: boolean;
}

function Turn(props: TurnProps): JSX.Element {
  const parts = createMemo(() => promptParts(props.text));
  const [ready, setReady] = createSignal(PIECES_AT_ONCE);
  createEffect(() => {
    if (ready() >= parts().length) return;
    const timer = setTimeout(() => setReady((n) => n + PIECES_AT_ONCE), 50);
    onCleanup(() => clearTimeout(timer));
  });
  const shown = () => (props.whole ? parts() : parts().slice(0, ready()));
  return (
    <div class={style.turn}>
      <p class={style.who}>
        {props.who}
        <Show when={props.kind !== undefined && props.kind !== "text"}>, {props.kind}</Show>
      </p>
      <For each={shown()}>
        {(part) => (
          <Show
            when={part.kind === "text" && part}
            fallback={<p class={style.gap}>{part.kind === "gap" ? count(part.lines) : ""} empty lines</p>}
          >
            {(piece) => <Piece text={piece().text} />}
          </Show>
        )}
      </For>
    </div>
  );
}

/** The browser skips the layout of pieces that are out of sight, so that a megabyte opens at once. */
function Piece(props: { readonly text: string }): JSX.Element {
  const marks = createMemo(() => piecesOf(props.text).filter((piece) => piece.kind === "hidden").length);
  const text = () => (marks() > MARKS_MAX ? spelledOut(props.text) : props.text);
  return (
    <div class={style.piece}>
      <ServerText text={text()} limit={Number.MAX_SAFE_INTEGER} />
    </div>
  );
}
