/**
 * Money: { micros } – "$0.0192", all six digits on hover.
 * When: { at, as?: "relative" | "clock" | "sentence" } – a <time>; exact instant on hover. Relative follows the clock.
 */
import type { JSX } from "solid-js";
import { useNow } from "./clock";
import { clockTime, dollars, exactDollars, exactTime, relativeTime, timeFrom } from "./words";

export function Money(props: { readonly micros: number }): JSX.Element {
  return (
    <data value={props.micros / 1_000_000} title={exactDollars(props.micros)}>
      {dollars(props.micros)}
    </data>
  );
}

export function When(props: { readonly at: number; readonly as?: "relative" | "clock" | "sentence" }): JSX.Element {
  const now = useNow();
  const words = (): string => {
    if (props.as === "clock") return clockTime(props.at);
    return props.as === "sentence" ? timeFrom(props.at, now()) : relativeTime(props.at, now());
  };
  return (
    <time datetime={new Date(props.at).toISOString()} title={exactTime(props.at)}>
      {words()}
    </time>
  );
}
