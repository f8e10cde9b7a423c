/** The whole sampling-policy.yaml: edited in place, read from a file or a drop, imported whole or not at all (P2). */
import { useBeforeLeave } from "@solidjs/router";
import { createEffect, createResource, createSignal, type JSX, onCleanup, Show, untrack } from "solid-js";
import type { Problem } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Empty } from "../../parts/empty";
import { Problems } from "../../parts/problems";
import { state } from "../../projection";
import { purser } from "../../worker-client";
import { EditorHost } from "./editor-host";
import style from "./policy.module.css";
import { type Leaving, UnsavedDialog } from "./unsaved";
import type { YamlEditor } from "./yaml-editor";

const FILE_NAME = "sampling-policy.yaml";
/** A policy file is some kilobytes; anything this large is something else. */
const FILE_MAX_BYTES = 1_000_000;

export function PolicyFileView(): JSX.Element {
  const [file, { refetch }] = createResource(
    // Read again whenever a policy changes, here or in another tab.
    () => state.ready && state.servers.map(({ name, policy }) => `${name} ${policy.revision}`).join("\n"),
    () => purser.exportPolicies(),
  );
  return (
    <Show
      when={file.error === undefined}
      fallback={
        <Empty
          title="The policies could not be read"
          actions={<Button onClick={() => void refetch()}>Try again</Button>}
        >
          {String(file.error)}
        </Empty>
      }
    >
      <Show when={file.latest !== undefined} fallback={<p class={style.editorNote}>Reading the policies…</p>}>
        <FilePage text={file.latest ?? ""} />
      </Show>
    </Show>
  );
}

function FilePage(props: { readonly text: string }): JSX.Element {
  const command = createCommand();
  const exporting = createCommand();
  const [text, setText] = createSignal(props.text);
  const [found, setFound] = createSignal<readonly Problem[]>([]);
  const [said, setSaid] = createSignal("");
  const [dropping, setDropping] = createSignal(false);
  let editor: YamlEditor | undefined;
  const [leaving, setLeaving] = createSignal<Leaving | null>(null);
  /** What the editor would hold if nobody had typed. */
  let untouched = props.text;
  /** A file still being read: saving waits for it. */
  let reading: Promise<void> = Promise.resolve();

  // What holds replaces what is shown, unless the person has begun to change it.
  createEffect(() => {
    const fresh = props.text;
    if (untrack(text) === untouched && editor !== undefined) editor.setText(fresh);
    untouched = fresh;
  });

  const dirty = (): boolean => untrack(text) !== untouched;
  useBeforeLeave((event) => {
    if (!dirty() || event.defaultPrevented) return;
    event.preventDefault();
    setLeaving({ go: () => event.retry(true) });
  });
  const onUnload = (event: BeforeUnloadEvent): void => {
    if (dirty()) event.preventDefault();
  };
  addEventListener("beforeunload", onUnload);
  onCleanup(() => removeEventListener("beforeunload", onUnload));

  const check = async (candidate: string): Promise<readonly Problem[]> => {
    const answer = await purser.checkPolicies(candidate);
    const problems = answer.ok ? [] : answer.problems;
    setFound(problems);
    return problems;
  };
  const load = async (file: File): Promise<void> => {
    if (file.size > FILE_MAX_BYTES) {
      setFound([{ where: "", message: `${file.name} is larger than a policy file can be.` }]);
      return;
    }
    const fresh = await file.text();
    // Now it is the person's own text, to be kept until they save it.
    editor?.setText(fresh);
    setText(fresh);
    setSaid(`${file.name} is in the editor. Nothing holds yet: press Save policies.`);
    await check(fresh);
  };
  const importText = async (): Promise<void> => {
    setSaid("");
    const answer = await command.run(async () => {
      await reading;
      return purser.importPolicies(text());
    });
    if (answer === null) {
      setFound(command.problems());
      return;
    }
    setFound([]);
    untouched = text();
    const { changed } = answer;
    setSaid(
      changed.length === 0
        ? "Saved; nothing differed from what held before."
        : `Saved. New revisions: ${changed.join(", ")}.`,
    );
  };
  /** What holds, not what stands half-edited in the editor. */
  const exportFile = async (): Promise<void> => {
    const answer = await exporting.run(async () => ({ ok: true, text: await purser.exportPolicies() }));
    if (answer !== null) download(answer.text);
  };
  const goTo = (problem: Problem): void => {
    const [line = 1, column = 1] = problem.where.split(":").map(Number);
    editor?.goTo(line, column);
  };

  return (
    <div class={style.filePage}>
      <div class={style.fileHead}>
        <div>
          <h1>Policies</h1>
          <p class={style.soft}>
            {FILE_NAME}, with its comments. An invalid file changes nothing; saving makes a new revision only where a
            block differs.
          </p>
        </div>
        <div class={style.actions}>
          <label class={style.fileLabel}>
            Open a file
            <input
              class={style.file}
              type="file"
              accept=".yaml,.yml,text/yaml"
              aria-label="Import a policy file"
              onChange={(event) => {
                const file = event.currentTarget.files?.[0];
                event.currentTarget.value = "";
                if (file !== undefined) reading = load(file);
              }}
            />
          </label>
          <Button busy={exporting.busy()} onClick={() => void exportFile()}>
            Export
          </Button>
          <Button tone="primary" busy={command.busy()} onClick={() => void importText()}>
            Save policies
          </Button>
        </div>
      </div>
      <section
        class={style.editorFrame}
        aria-label="Editor; a file may be dropped here"
        data-drop={dropping() ? "" : undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setDropping(true);
        }}
        onDragLeave={() => setDropping(false)}
        onDrop={(event) => {
          event.preventDefault();
          setDropping(false);
          const file = event.dataTransfer?.files[0];
          if (file !== undefined) reading = load(file);
        }}
      >
        <EditorHost
          label="Policy file"
          text={props.text}
          onReady={(ready) => {
            editor = ready;
            if (ready.text() !== text()) ready.setText(text());
          }}
          onChange={setText}
          check={check}
        />
      </section>
      <div class={style.fileFoot}>
        <p class={style.soft} role="status">
          {said()}
        </p>
        <Problems problems={found()} onGo={goTo} />
      </div>
      <UnsavedDialog
        leaving={leaving()}
        onStay={() => setLeaving(null)}
        onLeave={(go) => {
          setLeaving(null);
          go();
        }}
      />
    </div>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = FILE_NAME;
  link.click();
  URL.revokeObjectURL(url);
}
