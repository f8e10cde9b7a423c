/**
 * Icon: { of: icon component from `lucide-solid/icons/<name>`, size?: number = 16, label?: string }
 * Without a label it is decoration and hidden from assistive technology. Deep imports only: the barrel costs the build.
 */
import type Check from "lucide-solid/icons/check";
import { type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import style from "./icon.module.css";
import { VisuallyHidden } from "./visually-hidden";

export type IconComponent = typeof Check;

export function Icon(props: {
  readonly of: IconComponent;
  readonly size?: number;
  readonly label?: string;
}): JSX.Element {
  return (
    <span class={style.icon}>
      <Dynamic component={props.of} size={props.size ?? 16} strokeWidth={1.75} aria-hidden="true" />
      <Show when={props.label}>
        <VisuallyHidden>{props.label}</VisuallyHidden>
      </Show>
    </span>
  );
}
