/** The place of the YAML editor on the page; loads CodeMirror when it appears and says so meanwhile. */
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import type { Problem } from "../../../worker/api";
import style from "./policy.module.css";
import type { YamlEditor } from "./yaml-editor";

export function EditorHost(props: {
  readonly label: string;
  /** The first text; later ones go through the editor handed out. */
  readonly text: string;
  readonly onReady: (editor: YamlEditor) => void;
  readonly onChange: (text: string) => void;
  readonly check: (text: string) => Promise<readonly Problem[]>;
}): JSX.Element {
  const [state, setState] = createSignal<"loading" | "ready" | "failed">("loading");
  let host: HTMLElement | undefined;
  let editor: YamlEditor | undefined;
  let gone = false;

  onMount(() => {
    import("./yaml-editor").then(
      ({ createYamlEditor }) => {
        if (gone || host === undefined) return;
        editor = createYamlEditor(host, {
          label: props.label,
          text: props.text,
          onChange: (text) => props.onChange(text),
          check: (text) => props.check(text),
        });
        setState("ready");
        props.onReady(editor);
      },
      () => setState("failed"),
    );
  });
  onCleanup(() => {
    gone = true;
    editor?.destroy();
  });

  return (
    <>
      <Show when={state() !== "ready"}>
        <p class={style.editorNote} role="status">
          {state() === "loading"
            ? "Opening the editor…"
            : "The editor could not be loaded. Reload the page to try again."}
        </p>
      </Show>
      <div
        ref={(element) => {
          host = element;
        }}
        class={style.editor}
      />
    </>
  );
}
