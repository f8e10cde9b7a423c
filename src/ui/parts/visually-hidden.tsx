/** VisuallyHidden: { children, as?: "span" | "h1" | "h2" | "caption" | "p" } – for ears only. */
import type { JSX } from "solid-js";
import { Dynamic } from "solid-js/web";
import style from "./visually-hidden.module.css";

export function VisuallyHidden(props: {
  readonly children: JSX.Element;
  readonly as?: "span" | "h1" | "h2" | "caption" | "p";
}): JSX.Element {
  return (
    <Dynamic component={props.as ?? "span"} class={style.hidden}>
      {props.children}
    </Dynamic>
  );
}
