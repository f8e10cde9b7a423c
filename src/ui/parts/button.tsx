/**
 * Button: { tone?: "plain" | "primary" | "quiet" | "danger", small?, busy?, icon?, …button attributes }
 * IconButton: { label, of, small?, …button attributes } – the label is its accessible name and its tooltip.
 * LinkButton: { href, tone?, small?, icon?, children } – a link that looks like a button.
 * A busy button keeps focus and ignores clicks.
 */
import { A } from "@solidjs/router";
import { type JSX, Show, splitProps } from "solid-js";
import style from "./button.module.css";
import { Icon, type IconComponent } from "./icon";

export type ButtonTone = "plain" | "primary" | "quiet" | "danger";

export interface ButtonProps extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "onClick" | "class"> {
  readonly tone?: ButtonTone;
  readonly small?: boolean;
  readonly busy?: boolean;
  readonly icon?: IconComponent;
  readonly onClick?: (event: MouseEvent) => void;
}

export function Button(props: ButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, ["tone", "small", "busy", "icon", "onClick", "children"]);
  return (
    <button
      type="button"
      {...rest}
      class={style.button}
      data-tone={own.tone ?? "plain"}
      data-small={own.small ? "" : undefined}
      aria-busy={own.busy ? "true" : undefined}
      aria-disabled={own.busy ? "true" : rest["aria-disabled"]}
      onClick={(event) => {
        if (own.busy) event.preventDefault();
        else own.onClick?.(event);
      }}
    >
      <Show when={own.icon}>{(icon) => <Icon of={icon()} />}</Show>
      {own.children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "icon" | "children"> {
  readonly label: string;
  readonly of: IconComponent;
}

export function IconButton(props: IconButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, ["label", "of", "tone", "small", "busy", "onClick"]);
  return (
    <button
      type="button"
      {...rest}
      class={style.button}
      data-tone={own.tone ?? "quiet"}
      data-small={own.small ? "" : undefined}
      data-square=""
      aria-label={own.label}
      title={own.label}
      aria-busy={own.busy ? "true" : undefined}
      onClick={(event) => {
        if (!own.busy) own.onClick?.(event);
      }}
    >
      <Icon of={own.of} />
    </button>
  );
}

export function LinkButton(props: {
  readonly href: string;
  readonly tone?: ButtonTone;
  readonly small?: boolean;
  readonly icon?: IconComponent;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <A
      href={props.href}
      class={style.button}
      data-tone={props.tone ?? "plain"}
      data-small={props.small ? "" : undefined}
    >
      <Show when={props.icon}>{(icon) => <Icon of={icon()} />}</Show>
      {props.children}
    </A>
  );
}
