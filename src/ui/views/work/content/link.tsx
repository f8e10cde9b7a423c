/** ServerLink: { href, children } – a link a server gave: it says where it leads before anybody follows it. */
import { type JSX, Show } from "solid-js";
import { spelledOut } from "../../../parts/hidden";
import { openable } from "./blocks";
import style from "./content.module.css";

export function ServerLink(props: { readonly href: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <Show
      when={openable(props.href)}
      fallback={
        <span>
          {props.children} <span class={style.aside}>({spelledOut(props.href.slice(0, 120))})</span>
        </span>
      }
    >
      {(link) => (
        <span>
          <a href={link().href} target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">
            {props.children}
          </a>{" "}
          <span class={style.aside}>({link().host})</span>
        </span>
      )}
    </Show>
  );
}
