/** LogTable: { log } – the rows in view of an endless table; a row that comes while one reads further down moves nothing. */
import { A, useParams } from "@solidjs/router";
import { createEffect, createMemo, createSignal, type JSX, Show } from "solid-js";
import { Virtualizer } from "virtua/solid";
import { EndingBadge } from "../../parts/ending-badge";
import { Money, When } from "../../parts/figures";
import { spelledOut } from "../../parts/hidden";
import { count } from "../../parts/words";
import { reasonShort } from "../work/reason-words";
import style from "./activity.module.css";
import type { LogRow } from "./log";
import type { Log } from "./use-log";

/** Older rows are fetched when so many pixels are left below. */
const AHEAD_PX = 800;
/** Height of the head line; where it is hidden, a little more is drawn than needed. */
const HEAD_PX = 29;

export function LogTable(props: { readonly log: Log }): JSX.Element {
  let scroller: HTMLDivElement | undefined;
  const [atTop, setAtTop] = createSignal(true);
  const byId = createMemo(() => new Map(props.log.rows().map((row) => [row.id, row])));
  const ids = createMemo((before: readonly string[]) => {
    const next = props.log.rows().map((row) => row.id);
    // The same ids are the same list, so that refreshed counters draw nothing anew.
    return next.length === before.length && next.every((id, at) => id === before[at]) ? before : next;
  }, []);
  /** Rows came in above: keep the place from the end instead of from the start. */
  const shift = createMemo(
    (before: { readonly first: string | undefined; readonly on: boolean }) => {
      const first = ids()[0];
      const came = before.first !== undefined && first !== before.first && ids().includes(before.first);
      return { first, on: came && !atTop() };
    },
    { first: undefined, on: false },
  );

  const look = () => {
    if (scroller === undefined) return;
    setAtTop(scroller.scrollTop < 8);
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (left < AHEAD_PX) props.log.more();
  };
  // A first page shorter than the view asks for the next by itself.
  createEffect(() => {
    ids();
    if (!props.log.loading()) queueMicrotask(look);
  });

  return (
    <div
      ref={(element) => {
        scroller = element;
      }}
      class={style.scroller}
      onScroll={look}
    >
      <table class={style.table} aria-label="Activity" aria-rowcount={props.log.complete() ? ids().length + 1 : -1}>
        <thead class={style.heads}>
          <tr>
            <th scope="col">Ending</th>
            <th scope="col">Server</th>
            <th scope="col">What</th>
            <th scope="col">Model</th>
            <th scope="col" data-number="">
              Tokens
            </th>
            <th scope="col" data-number="">
              Cost
            </th>
            <th scope="col" data-number="">
              When
            </th>
          </tr>
        </thead>
        <Virtualizer
          as="tbody"
          item="tr"
          scrollRef={scroller as HTMLElement}
          startMargin={HEAD_PX}
          data={ids()}
          shift={shift().on}
          bufferSize={400}
        >
          {(id, index) => <Show when={byId().get(id)}>{(row) => <Row row={row()} index={index() + 2} />}</Show>}
        </Virtualizer>
      </table>
      <Show when={props.log.loading() && !props.log.complete()}>
        <p class={style.opening}>Reading older rows…</p>
      </Show>
    </div>
  );
}

function Row(props: { readonly row: LogRow; readonly index: number }): JSX.Element {
  return (
    <Show when={props.row.kind === "record" && props.row} fallback={<EventRow row={props.row} index={props.index} />}>
      {(row) => <RecordRow record={row().record} index={props.index} />}
    </Show>
  );
}

type RecordOf = Extract<LogRow, { kind: "record" }>["record"];

function RecordRow(props: { readonly record: RecordOf; readonly index: number }): JSX.Element {
  const params = useParams<{ recordId?: string }>();
  const tokens = () => {
    const { usage } = props.record;
    if (usage === null) return null;
    return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  };
  return (
    <>
      <td aria-rowindex={props.index} data-here={params.recordId === props.record.id ? "" : undefined}>
        <EndingBadge ending={props.record.ending} count={props.record.count} />
      </td>
      <td class={style.server}>{props.record.server}</td>
      <td class={style.what}>
        <A class={style.open} href={`/activity/${encodeURIComponent(props.record.id)}`}>
          {props.record.tool === null ? "outside any tool call" : spelledOut(props.record.tool)}
        </A>
        <span class={style.where}> on {props.record.server}</span>
        <Show when={props.record.reason}>
          {(reason) => (
            <>
              {" "}
              · {reasonShort(reason(), props.record.because)} <code class={style.code}>{reason()}</code>
            </>
          )}
        </Show>
        <Show when={props.record.represented > 0}>
          {" "}
          <span class={style.again}>asked again ×{count(props.record.represented)}</span>
        </Show>
      </td>
      <td class={style.model}>{spelledOut(props.record.modelUsed ?? "")}</td>
      <td data-number="" class={style.tokens}>
        {tokens() === null ? "" : count(tokens() ?? 0)}
      </td>
      <td data-number="" class={style.cost}>
        <Show when={props.record.chargeBasis !== "none"}>
          <Money micros={props.record.chargedMicros} />
        </Show>
      </td>
      <td data-number="" class={style.when}>
        <When at={props.record.endedAt} />
      </td>
    </>
  );
}

function EventRow(props: { readonly row: LogRow; readonly index: number }): JSX.Element {
  return (
    <Show when={props.row.kind === "event" && props.row.event}>
      {(event) => (
        <>
          <td aria-rowindex={props.index} class={style.kind} data-event="">
            {event().kind.replaceAll("_", " ")}
          </td>
          <td class={style.server}>{event().server ?? ""}</td>
          <td class={style.text} colspan={4}>
            {spelledOut(event().text)}
            <Show when={event().server}>{(name) => <span class={style.where}> · {name()}</span>}</Show>
            <Show when={event().by !== ""}> · {event().by}</Show>
          </td>
          <td data-number="" class={style.when}>
            <When at={event().at} />
          </td>
        </>
      )}
    </Show>
  );
}
