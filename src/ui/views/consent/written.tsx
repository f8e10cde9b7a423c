/** Written: { dialog } – the server's voice, boxed: every turn whole, hidden characters marked, never markup (K3). */
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, onCleanup, Show } from "solid-js";
import type { DialogView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { piecesOf, spelledOut } from "../../parts/hidden";
import { ServerText } from "../../parts/server-text";
import { count } from "../../parts/words";
import style from "./consent.module.css";
import { blocksOf, foldOf, lengthOf, promptParts, type WrittenBlock } from "./prompt";

/** From this length on, there is a way to jump to the end. */
const LONG = 2_000;
/** More marks than this in one piece are written as plain characters: an element each would drown the page. */
const MARKS_MAX = 24;
/** Pieces put on the page at once; the rest of a very long text follows in the moments after. */
const PIECES_AT_ONCE = 12;
/** More turns than this, and there is a way to jump to the end too. */
const FEW_BLOCKS = 6;

export function Written(props: { readonly dialog: DialogView }): JSX.Element {
  const id = createUniqueId();
  const length = createMemo(() => lengthOf(props.dialog));
  const blocks = createMemo(() => blocksOf(props.dialog));
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
        <Show when={length() > LONG || blocks().length > FEW_BLOCKS}>
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
      <Blocks blocks={blocks()} whole={whole()} />
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

/** All of them, or where there are very many the first and the last ones with a way to those between. */
function Blocks(props: { readonly blocks: readonly WrittenBlock[]; readonly whole: boolean }): JSX.Element {
  const [more, setMore] = createSignal(0);
  const cut = () => foldOf(props.blocks.length, more());
  return (
    <>
      <For each={props.blocks.slice(0, cut().first)}>{(block) => <Turn block={block} whole={props.whole} />}</For>
      <Show when={cut().folded > 0}>
        <div class={style.turn}>
          <p class={style.gap}>{count(cut().folded)} turns between these are not on the page yet.</p>
          <Button small tone="quiet" onClick={() => setMore((n) => n + 1)}>
            Show more of them
          </Button>
        </div>
        <For each={props.blocks.slice(cut().first + cut().folded)}>
          {(block) => <Turn block={block} whole={props.whole} />}
        </For>
      </Show>
    </>
  );
}

/** A group with a name of ours around a quotation: who only hears the page must know where the server's words end. */
function Turn(props: { readonly block: WrittenBlock; readonly whole: boolean }): JSX.Element {
  const id = createUniqueId();
  const parts = createMemo(() => promptParts(props.block.text));
  const [ready, setReady] = createSignal(PIECES_AT_ONCE);
  createEffect(() => {
    if (ready() >= parts().length) return;
    const timer = setTimeout(() => setReady((n) => n + PIECES_AT_ONCE), 50);
    onCleanup(() => clearTimeout(timer));
  });
  const shown = () => (props.whole ? parts() : parts().slice(0, ready()));
  return (
    <fieldset class={style.turn} aria-labelledby={id}>
      <p id={id} class={style.who}>
        {props.block.who}
      </p>
      <blockquote class={style.quote}>
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
      </blockquote>
    </fieldset>
  );
}

/** The browser skips the layout of pieces that are out of sight, so that a megabyte opens at once. */
function Piece(props: { readonly text: string }): JSX.Element {
  const marks = createMemo(() => piecesOf(props.text).filter((piece) => piece.kind !== "text").length);
  const text = () => (marks() > MARKS_MAX ? spelledOut(props.text) : props.text);
  return (
    <div class={style.piece}>
      <ServerText text={text()} limit={Number.MAX_SAFE_INTEGER} />
    </div>
  );
}
