/** ContentView: { content, structured } – what a tool returned. All of it is the server's: plain text unless asked otherwise. */
import { createMemo, createSignal, For, type JSX, lazy, Match, Show, Suspense, Switch } from "solid-js";
import { Button } from "../../../parts/button";
import { ServerText } from "../../../parts/server-text";
import { count } from "../../../parts/words";
import { FORMATTED_MAX, type Shown, shownOf, sizeInWords } from "./blocks";
import style from "./content.module.css";
import { JsonView } from "./json-view";
import { ServerLink } from "./link";

const Formatted = lazy(() => import("./formatted").then((module) => ({ default: module.Formatted })));

/** Blocks shown at first, and by each press of "Show more". */
const PAGE = 20;
const TEXT_LIMIT = 2_000;
/** What looks as if it was meant to be laid out. */
const MARKDOWN = /^#{1,4} |^\s*[-*+] \S|^\s*\d+\. \S|\*\*\S|```|^\|.+\|\s*$|\[[^\]]+\]\([^)]+\)/m;

type Wire = Readonly<Record<string, unknown>>;

export function ContentView(props: { readonly content: readonly Wire[]; readonly structured: unknown }): JSX.Element {
  const [shown, setShown] = createSignal(PAGE);
  const left = () => props.content.length - shown();
  const hasStructured = () => props.structured !== undefined && props.structured !== null;
  return (
    <div class={style.content}>
      <For each={props.content.slice(0, shown())}>{(block) => <BlockView shown={shownOf(block)} />}</For>
      <Show when={left() > 0}>
        <div>
          <Button small tone="quiet" onClick={() => setShown((n) => n + PAGE)}>
            Show {count(Math.min(PAGE, left()))} more of {count(left())} parts
          </Button>
        </div>
      </Show>
      <Show when={hasStructured()}>
        <details class={style.details} open={props.content.length === 0}>
          <summary>Structured result</summary>
          <div class={style.structured}>
            <JsonView value={props.structured} />
          </div>
        </details>
      </Show>
    </div>
  );
}

function BlockView(props: { readonly shown: Shown }): JSX.Element {
  const is = <K extends Shown["kind"]>(kind: K) =>
    props.shown.kind === kind ? (props.shown as Extract<Shown, { kind: K }>) : undefined;
  return (
    <Switch>
      <Match when={is("text")}>{(block) => <TextBlock text={block().text} />}</Match>
      <Match when={is("image")}>{(block) => <Picture mimeType={block().mimeType} base64={block().base64} />}</Match>
      <Match when={is("audio")}>
        {(block) => (
          <p class={style.aside}>
            Sound, {block().mimeType.slice(0, 60)}, {sizeInWords(block().bytes)}. Not played here.
          </p>
        )}
      </Match>
      <Match when={is("link")}>
        {(block) => (
          <div>
            <ServerLink href={block().uri}>
              <ServerText text={block().name ?? block().uri} inline limit={120} />
            </ServerLink>
            <Show when={block().description}>{(text) => <ServerText text={text()} limit={300} />}</Show>
          </div>
        )}
      </Match>
      <Match when={is("embedded")}>
        {(block) => (
          <div>
            <p class={style.aside}>
              <ServerText text={block().uri} inline limit={160} /> ·{" "}
              <ServerText text={block().about} inline limit={80} />
            </p>
            <Show when={block().text}>{(text) => <TextBlock text={text()} />}</Show>
          </div>
        )}
      </Match>
      <Match when={is("withheld")}>{(block) => <p class={style.aside}>{block().why}</p>}</Match>
      <Match when={is("unknown")}>
        {(block) => (
          <div>
            <p class={style.aside}>A kind of content Purser does not know, as it came:</p>
            <ServerText text={JSON.stringify(block().json, null, 2)} mono limit={1_000} />
          </div>
        )}
      </Match>
    </Switch>
  );
}

function TextBlock(props: { readonly text: string }): JSX.Element {
  const [formatted, setFormatted] = createSignal(false);
  const offers = createMemo(() => props.text.length <= FORMATTED_MAX && MARKDOWN.test(props.text));
  const plain = () => <ServerText text={props.text} limit={TEXT_LIMIT} />;
  return (
    <div class={style.text}>
      <Show when={formatted()} fallback={plain()}>
        <Suspense fallback={plain()}>
          <Formatted text={props.text} />
        </Suspense>
      </Show>
      <Show when={offers()}>
        <div class={style.turn}>
          <Button small tone="quiet" onClick={() => setFormatted((was) => !was)}>
            {formatted() ? "Plain text" : "Formatted"}
          </Button>
        </div>
      </Show>
    </div>
  );
}

/** The kind is one of four and the data plain base64 (blocks.ts), so this address holds the picture and nothing else. */
function Picture(props: { readonly mimeType: string; readonly base64: string }): JSX.Element {
  const [broken, setBroken] = createSignal(false);
  return (
    <Show when={!broken()} fallback={<p class={style.aside}>A picture that cannot be read.</p>}>
      <img
        class={style.picture}
        src={`data:${props.mimeType};base64,${props.base64}`}
        alt="Sent by the server, without a description"
        onError={() => setBroken(true)}
      />
    </Show>
  );
}
