/** Chip: { dialog, onOpen } – a consent that is not shown now. */
import Hourglass from "lucide-solid/icons/hourglass";
import { type JSX, Show } from "solid-js";
import type { DialogView } from "../../../worker/api";
import { useNow } from "../../parts/clock";
import { Icon } from "../../parts/icon";
import { timeLeft } from "../../parts/words";
import style from "./consent.module.css";

export function Chip(props: { readonly dialog: DialogView; readonly onOpen: () => void }): JSX.Element {
  const now = useNow();
  const left = () => props.dialog.answerByAt - now();
  return (
    <button type="button" class={style.chip} onClick={() => props.onOpen()}>
      <Icon of={Hourglass} size={14} />
      {props.dialog.server} waits for your consent
      <Show when={!props.dialog.late && left() > 0}>
        <span class={style.left} aria-hidden="true">
          {timeLeft(left())}
        </span>
      </Show>
    </button>
  );
}
