/** Empty: { title, icon?, children?, actions? } – a designed nothing: what would be here and how to get it. */
import { type JSX, Show } from "solid-js";
import style from "./empty.module.css";
import { Icon, type IconComponent } from "./icon";

export function Empty(props: {
  readonly title: string;
  readonly icon?: IconComponent;
  readonly children?: JSX.Element;
  readonly actions?: JSX.Element;
}): JSX.Element {
  return (
    <div class={style.empty}>
      <Show when={props.icon}>{(icon) => <Icon of={icon()} size={24} />}</Show>
      <h2>{props.title}</h2>
      <Show when={props.children}>
        <div class={style.text}>{props.children}</div>
      </Show>
      <Show when={props.actions}>
        <div class={style.actions}>{props.actions}</div>
      </Show>
    </div>
  );
}
