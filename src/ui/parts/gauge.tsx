/**
 * BudgetGauge: { server: string, gauge: Gauge, detail?: boolean }
 * One server's window: settled solid, held hatched, grants extending the cap beyond its tick. Role meter, "<server> budget".
 * `detail` adds the line with held money, slots and requests left; the short form is the bar and one line.
 */
import { createUniqueId, type JSX, Show } from "solid-js";
import type { Gauge } from "../../worker/api";
import { useNow } from "./clock";
import { When } from "./figures";
import style from "./gauge.module.css";
import { count, dollars, timeFrom } from "./words";

/** Percent of the whole, as SVG takes it, never beyond the bar. */
function share(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, Math.max(0, (part / whole) * 100));
}

export function BudgetGauge(props: {
  readonly server: string;
  readonly gauge: Gauge;
  readonly detail?: boolean;
}): JSX.Element {
  const now = useNow();
  const pattern = createUniqueId();
  const limit = (): number => props.gauge.capMicros + props.gauge.grantedMicros;
  const used = (): number => props.gauge.settledMicros + props.gauge.heldMicros;
  const settled = (): number => share(props.gauge.settledMicros, limit());
  const held = (): number => Math.min(share(props.gauge.heldMicros, limit()), 100 - settled());
  const cap = (): number => share(props.gauge.capMicros, limit());
  const words = (): string => {
    const parts = [`${dollars(props.gauge.settledMicros)} of ${dollars(limit())} spent`];
    if (props.gauge.heldMicros > 0) parts.push(`${dollars(props.gauge.heldMicros)} held`);
    if (props.gauge.grantedMicros > 0) parts.push(`${dollars(props.gauge.grantedMicros)} of it granted`);
    parts.push(`resets at ${timeFrom(props.gauge.resetsAt, now())}`);
    return parts.join(", ");
  };
  return (
    <div class={style.gauge}>
      {/* biome-ignore lint/a11y/useSemanticElements: a native meter cannot show held and granted money apart. */}
      <div
        role="meter"
        aria-label={`${props.server} budget`}
        aria-valuemin={0}
        aria-valuemax={Math.max(limit(), used(), 1) / 1_000_000}
        aria-valuenow={used() / 1_000_000}
        aria-valuetext={words()}
        title={words()}
      >
        <svg class={style.bar} aria-hidden="true" data-full={used() >= limit() ? "" : undefined}>
          <defs>
            <pattern id={pattern} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect class={style.hatch} width="2.5" height="5" />
            </pattern>
          </defs>
          <rect class={style.track} width="100%" height="100%" />
          <Show when={props.gauge.grantedMicros > 0}>
            <rect class={style.granted} x={`${cap()}%`} width={`${100 - cap()}%`} height="100%" />
          </Show>
          <rect class={style.settled} width={`${settled()}%`} height="100%" />
          <rect fill={`url(#${pattern})`} x={`${settled()}%`} width={`${held()}%`} height="100%" />
          <Show when={props.gauge.grantedMicros > 0}>
            <rect class={style.tick} x={`${cap()}%`} width="2" height="100%" />
          </Show>
        </svg>
      </div>
      <p class={style.line}>
        <span>
          {dollars(props.gauge.settledMicros)}
          <Show when={props.gauge.heldMicros > 0}> + {dollars(props.gauge.heldMicros)} held</Show> of {dollars(limit())}
        </span>
        <span class={style.reset}>
          resets <When at={props.gauge.resetsAt} as="sentence" />
        </span>
      </p>
      <Show when={props.detail}>
        <dl class={style.detail}>
          <Figure name="held" value={dollars(props.gauge.heldMicros)} />
          <Figure name="granted" value={dollars(props.gauge.grantedMicros)} />
          <Figure name="slots in use" value={`${props.gauge.slotsInUse} of ${props.gauge.maxConcurrent}`} />
          <Figure name="requests ready" value={count(props.gauge.requestsLeft)} />
          <Figure
            name="mean cost"
            value={props.gauge.meanMicros === null ? "none yet" : dollars(props.gauge.meanMicros)}
          />
        </dl>
      </Show>
    </div>
  );
}

function Figure(props: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
