/** TheirName: { of } – a name a server chose, inside a sentence of ours: it must not pass for our words (K3). */
import type { JSX } from "solid-js";
import { ServerText } from "../../parts/server-text";
import style from "./consent.module.css";

const MAX_CHARS = 60;

export function TheirName(props: { readonly of: string }): JSX.Element {
  return (
    <span class={style.theirs}>
      <ServerText text={props.of} inline limit={MAX_CHARS} />
    </span>
  );
}
