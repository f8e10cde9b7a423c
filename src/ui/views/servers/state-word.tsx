/** StateWord: { state } – dot and word of a connection; the shape differs as well as the colour. */
import type { JSX } from "solid-js";
import type { StateWord as Word } from "./connection-words";
import style from "./state-word.module.css";

export function StateWord(props: { readonly state: Word }): JSX.Element {
  return (
    <span class={style.state} data-state={props.state}>
      <svg class={style.dot} viewBox="0 0 8 8" aria-hidden="true">
        <circle cx="4" cy="4" r="3" />
      </svg>
      {props.state}
    </span>
  );
}
