/**
 * Dialog: { open, onClose(), title, description?, role?: "dialog" | "alertdialog", modal? = true, footer?, wide?, children }
 * A native <dialog>: focus kept inside and page inert when modal, Esc asks `onClose`, focus goes back to where it was.
 * First focus: the element with the `autofocus` attribute, else the first that takes it. Children exist only while open.
 */
import X from "lucide-solid/icons/x";
import { createUniqueId, type JSX, onCleanup, onMount, Show } from "solid-js";
import { Portal } from "solid-js/web";
import { IconButton } from "./button";
import style from "./dialog.module.css";

interface DialogProps {
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: JSX.Element;
  readonly role?: "dialog" | "alertdialog";
  readonly modal?: boolean;
  readonly wide?: boolean;
  readonly footer?: JSX.Element;
  readonly children: JSX.Element;
}

export function Dialog(props: DialogProps & { readonly open: boolean }): JSX.Element {
  return (
    <Show when={props.open}>
      <Portal>
        <Sheet {...props} />
      </Portal>
    </Show>
  );
}

function Sheet(props: DialogProps): JSX.Element {
  const id = createUniqueId();
  let sheet: HTMLDialogElement | undefined;
  const modal = (): boolean => props.modal ?? true;
  const before = document.activeElement;
  onMount(() => {
    if (modal()) sheet?.showModal();
    else sheet?.show();
  });
  onCleanup(() => {
    sheet?.close();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  });
  return (
    <dialog
      ref={(element) => {
        sheet = element;
      }}
      class={style.sheet}
      role={props.role ?? "dialog"}
      aria-labelledby={`${id}-title`}
      aria-describedby={props.description === undefined ? undefined : `${id}-description`}
      data-wide={props.wide ? "" : undefined}
      data-modal={modal() ? "" : undefined}
      onCancel={(event) => {
        // The browser would close it by itself; whether it closes is the owner's answer.
        event.preventDefault();
        props.onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !modal()) {
          event.stopPropagation();
          props.onClose();
        }
      }}
    >
      <header class={style.head}>
        <h2 id={`${id}-title`}>{props.title}</h2>
        <IconButton label="Close" of={X} onClick={() => props.onClose()} />
      </header>
      <div class={style.body}>
        <Show when={props.description}>
          <div id={`${id}-description`} class={style.description}>
            {props.description}
          </div>
        </Show>
        {props.children}
      </div>
      <Show when={props.footer}>
        <footer class={style.foot}>{props.footer}</footer>
      </Show>
    </dialog>
  );
}
