/**
 * Formatted: { text } – Markdown a server wrote, laid out by us. The text is only cut into tokens; no markup of the
 * server's is ever parsed, so HTML stays text, pictures become words and links show where they lead.
 */
import { lexer, type Token, type Tokens } from "marked";
import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import { spelledOut } from "../../../parts/hidden";
import { ServerText } from "../../../parts/server-text";
import { FORMATTED_MAX } from "./blocks";
import style from "./content.module.css";
import { ServerLink } from "./link";

const DEPTH = 12;

function tokensOf(text: string): readonly Token[] | null {
  try {
    return lexer(text);
  } catch {
    return null;
  }
}

export function Formatted(props: { readonly text: string }): JSX.Element {
  const tokens = createMemo(() => tokensOf(props.text.slice(0, FORMATTED_MAX)));
  return (
    <Show when={tokens()} fallback={<ServerText text={props.text} limit={4000} />}>
      {(list) => (
        <div class={style.formatted} dir="auto">
          <Many tokens={list()} depth={0} />
        </div>
      )}
    </Show>
  );
}

function Many(props: { readonly tokens: readonly Token[] | undefined; readonly depth: number }): JSX.Element {
  return <For each={props.tokens ?? []}>{(token) => <One token={token} depth={props.depth} />}</For>;
}

/** The characters of a token as they are, hidden ones marked. */
const Raw = (props: { readonly text: string }): JSX.Element => (
  <ServerText text={plain(props.text)} inline limit={20_000} />
);

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const plain = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

function One(props: { readonly token: Token; readonly depth: number }): JSX.Element {
  const token = () => props.token as Tokens.Generic;
  const children = (): JSX.Element => (
    <Show when={token().tokens && props.depth < DEPTH} fallback={<Raw text={String(token().text ?? token().raw)} />}>
      <Many tokens={token().tokens} depth={props.depth + 1} />
    </Show>
  );
  return (
    <Switch fallback={<Raw text={token().raw} />}>
      <Match when={token().type === "space" || token().type === "def"}>{null}</Match>
      <Match when={token().type === "paragraph"}>
        <p>{children()}</p>
      </Match>
      <Match when={token().type === "text" || token().type === "escape"}>{children()}</Match>
      <Match when={token().type === "heading"}>
        <p class={style.heading}>{children()}</p>
      </Match>
      <Match when={token().type === "strong"}>
        <strong>{children()}</strong>
      </Match>
      <Match when={token().type === "em"}>
        <em>{children()}</em>
      </Match>
      <Match when={token().type === "del"}>
        <del>{children()}</del>
      </Match>
      <Match when={token().type === "codespan"}>
        <code>
          <Raw text={String(token().text)} />
        </code>
      </Match>
      <Match when={token().type === "code"}>
        <div class={style.code}>
          <ServerText text={String(token().text)} mono limit={4000} />
        </div>
      </Match>
      <Match when={token().type === "blockquote"}>
        <blockquote>{children()}</blockquote>
      </Match>
      <Match when={token().type === "br"}>
        <br />
      </Match>
      <Match when={token().type === "hr"}>
        <hr />
      </Match>
      <Match when={token().type === "list"}>
        <Items list={props.token as Tokens.List} depth={props.depth} />
      </Match>
      <Match when={token().type === "table"}>
        <Grid table={props.token as Tokens.Table} depth={props.depth} />
      </Match>
      <Match when={token().type === "link"}>
        <ServerLink href={String(token().href)}>{children()}</ServerLink>
      </Match>
      <Match when={token().type === "image"}>
        <span class={style.aside}>
          [picture not loaded: <Raw text={String(token().text)} />]
        </span>
      </Match>
    </Switch>
  );
}

function Items(props: { readonly list: Tokens.List; readonly depth: number }): JSX.Element {
  const items = (): JSX.Element => (
    <For each={props.list.items}>
      {(item) => (
        <li>
          <Many tokens={item.tokens} depth={props.depth + 1} />
        </li>
      )}
    </For>
  );
  return (
    <Show when={props.depth < DEPTH} fallback={<Raw text={props.list.raw} />}>
      <Show when={props.list.ordered} fallback={<ul>{items()}</ul>}>
        <ol start={Number(props.list.start) || 1}>{items()}</ol>
      </Show>
    </Show>
  );
}

function Grid(props: { readonly table: Tokens.Table; readonly depth: number }): JSX.Element {
  const name = () =>
    spelledOut(
      props.table.header
        .map((cell) => cell.text)
        .join(", ")
        .slice(0, 120),
    );
  return (
    <section class={style.scroll} tabindex={0} aria-label={`Table: ${name()}`}>
      <table class={style.table}>
        <thead>
          <tr>
            <For each={props.table.header}>
              {(cell) => (
                <th scope="col">
                  <Many tokens={cell.tokens} depth={props.depth + 1} />
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={props.table.rows.slice(0, 500)}>
            {(row) => (
              <tr>
                <For each={row}>
                  {(cell) => (
                    <td>
                      <Many tokens={cell.tokens} depth={props.depth + 1} />
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}
