/** ByDay: { filter } – sums and counts by day for what the log is filtered by, whole days in UTC (L2, L4). */
import { createResource, For, type JSX, Show } from "solid-js";
import type { RecordFilter } from "../../../worker/api";
import { Money } from "../../parts/figures";
import { count, dollars } from "../../parts/words";
import { purser } from "../../worker-client";
import style from "./by-day.module.css";
import { type DayLine, type DaySums, daySums, daysOf } from "./day-sums";
import { settledLogVersion } from "./log-version";

/** Days drawn; older ones are in the totals. */
const DAYS_SHOWN = 92;

export function ByDay(props: { readonly filter: RecordFilter }): JSX.Element {
  const version = settledLogVersion();
  const source = () => ({ filter: props.filter, version: version() });
  const [sums] = createResource(source, async ({ filter }) => daySums(await purser.days(...daysOf(filter)), filter));
  return (
    <Show when={sums.state !== "errored" && sums.latest !== undefined && sums.latest.count > 0 && sums.latest}>
      {(found) => (
        <details class={style.panel}>
          <summary>
            <span class={style.title}>By day</span> <span class={style.soft}>{totalWords(found())}</span>
          </summary>
          {/* Scrolls by itself, also by keyboard. */}
          <section class={style.frame} tabindex={0} aria-label="Sums by day">
            <Days sums={found()} />
          </section>
        </details>
      )}
    </Show>
  );
}

function totalWords(sums: DaySums): string {
  const { length } = sums.days;
  const over = `${count(length)} ${length === 1 ? "day" : "days"}`;
  const requests = `${count(sums.count)} ${sums.count === 1 ? "request" : "requests"}`;
  return `${over}: ${requests}, ${count(sums.refused)} of them refused, ${dollars(sums.chargedMicros)} charged`;
}

function Days(props: { readonly sums: DaySums }): JSX.Element {
  const left = () => props.sums.days.length - DAYS_SHOWN;
  return (
    <>
      <table class={style.table} aria-label="By day">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <td />
            <th scope="col" data-number="">
              Requests
            </th>
            <th scope="col" data-number="">
              Refused
            </th>
            <th scope="col" data-number="">
              Charged
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.sums.days.slice(0, DAYS_SHOWN)}>
            {(line) => <Day line={line} fullest={props.sums.fullest} />}
          </For>
        </tbody>
      </table>
      <Show when={left() > 0}>
        <p class={style.soft}>
          {count(left())} earlier {left() === 1 ? "day is" : "days are"} in the totals.
        </p>
      </Show>
    </>
  );
}

function Day(props: { readonly line: DayLine; readonly fullest: number }): JSX.Element {
  const share = (part: number) => `${(100 * part) / Math.max(1, props.fullest)}%`;
  return (
    <tr>
      <th scope="row">{props.line.day}</th>
      <td class={style.bars}>
        <svg class={style.bar} aria-hidden="true">
          <rect class={style.served} width={share(props.line.count)} height="100%" />
          <rect
            class={style.refused}
            x={share(props.line.count - props.line.refused)}
            width={share(props.line.refused)}
            height="100%"
          />
        </svg>
      </td>
      <td data-number="">{count(props.line.count)}</td>
      <td data-number="">{count(props.line.refused)}</td>
      <td data-number="">
        <Money micros={props.line.chargedMicros} />
      </td>
    </tr>
  );
}
