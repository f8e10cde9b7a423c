/** JsonView: { value } – a server's JSON: rows of alike objects as a table, the rest as a tree; bounded, all of it plain text. */
import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { Button } from "../../../parts/button";
import { spelledOut } from "../../../parts/hidden";
import { ServerText } from "../../../parts/server-text";
import { count } from "../../../parts/words";
import style from "./content.module.css";

const DEPTH = 8;
const PAGE = 40;
const COLUMNS = 8;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

/** The column names where `value` is a list of flat, alike objects; null otherwise. */
export function columnsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const first: unknown = value[0];
  if (!isObject(first)) return null;
  const names = Object.keys(first);
  if (names.length === 0 || names.length > COLUMNS) return null;
  const known = new Set(names);
  const alike = value.every(
    (row) => isObject(row) && Object.entries(row).every(([name, cell]) => known.has(name) && isPlain(cell)),
  );
  return alike ? names : null;
}

export function JsonView(props: { readonly value: unknown; readonly depth?: number }): JSX.Element {
  const depth = () => props.depth ?? 0;
  const columns = createMemo(() => columnsOf(props.value));
  const entries = createMemo((): readonly (readonly [string, unknown])[] | null => {
    if (isPlain(props.value) || depth() >= DEPTH) return null;
    return Array.isArray(props.value)
      ? props.value.map((item, index) => [String(index + 1), item] as const)
      : Object.entries(props.value as object);
  });
  return (
    <Switch fallback={<Plain value={props.value} />}>
      <Match when={columns()}>{(names) => <Table columns={names()} rows={props.value as readonly object[]} />}</Match>
      <Match when={entries()}>{(pairs) => <Tree entries={pairs()} depth={depth()} />}</Match>
    </Switch>
  );
}

function Plain(props: { readonly value: unknown }): JSX.Element {
  const text = () => (typeof props.value === "string" ? props.value : (JSON.stringify(props.value) ?? "nothing"));
  return <ServerText text={text()} mono={typeof props.value !== "string"} limit={400} />;
}

function More(props: { readonly left: number; readonly onMore: () => void }): JSX.Element {
  return (
    <Show when={props.left > 0}>
      <Button small tone="quiet" onClick={() => props.onMore()}>
        Show {count(Math.min(PAGE, props.left))} more of {count(props.left)}
      </Button>
    </Show>
  );
}

function Tree(props: {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly depth: number;
}): JSX.Element {
  const [shown, setShown] = createSignal(PAGE);
  return (
    <Show when={props.entries.length > 0} fallback={<span class={style.nothing}>empty</span>}>
      <div>
        <dl class={style.tree}>
          <For each={props.entries.slice(0, shown())}>
            {([name, value]) => (
              <div class={style.branch} data-nested={isPlain(value) ? undefined : ""}>
                <dt>{spelledOut(name.slice(0, 120))}</dt>
                <dd>
                  <JsonView value={value} depth={props.depth + 1} />
                </dd>
              </div>
            )}
          </For>
        </dl>
        <More left={props.entries.length - shown()} onMore={() => setShown((n) => n + PAGE)} />
      </div>
    </Show>
  );
}

function Table(props: { readonly columns: readonly string[]; readonly rows: readonly object[] }): JSX.Element {
  const [shown, setShown] = createSignal(PAGE);
  const cell = (row: object, name: string): unknown => (row as Readonly<Record<string, unknown>>)[name];
  return (
    <div>
      <section
        class={style.scroll}
        tabindex={0}
        aria-label={`Table: ${spelledOut(props.columns.join(", ").slice(0, 120))}`}
      >
        <table class={style.table}>
          <thead>
            <tr>
              <For each={props.columns}>{(name) => <th scope="col">{spelledOut(name.slice(0, 60))}</th>}</For>
            </tr>
          </thead>
          <tbody>
            <For each={props.rows.slice(0, shown())}>
              {(row) => (
                <tr>
                  <For each={props.columns}>
                    {(name) => (
                      <td data-number={typeof cell(row, name) === "number" ? "" : undefined}>
                        <Show when={cell(row, name) !== undefined}>
                          <Plain value={cell(row, name)} />
                        </Show>
                      </td>
                    )}
                  </For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </section>
      <More left={props.rows.length - shown()} onMore={() => setShown((n) => n + PAGE)} />
    </div>
  );
}
