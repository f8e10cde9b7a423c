/** The YAML tab: this server's block of the policy file; saving it changes this server's policy and no other's. */
import { createEffect, createResource, createSignal, type JSX, on, Show } from "solid-js";
import type { Problem, ServerView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Problems } from "../../parts/problems";
import { purser } from "../../worker-client";
import { type Block, findBlock, withBlock } from "./block";
import { EditorHost } from "./editor-host";
import style from "./policy.module.css";
import type { YamlEditor } from "./yaml-editor";

interface Loaded {
  readonly file: string;
  readonly block: Block;
}

export function BlockEditor(props: {
  readonly server: ServerView;
  readonly onDirty: (dirty: boolean) => void;
}): JSX.Element {
  const [loaded] = createResource(
    () => ({ name: props.server.name, revision: props.server.policy.revision }),
    async ({ name }): Promise<Loaded> => {
      const file = await purser.exportPolicies();
      const block = findBlock(file, name);
      if (block === null) throw new Error("This server's block was not found in the policy file.");
      return { file, block };
    },
  );
  return (
    <Show
      when={loaded.error === undefined}
      fallback={<Problems problems={[{ where: "", message: String(loaded.error) }]} />}
    >
      <Show when={loaded.latest} fallback={<p class={style.soft}>Reading the block…</p>}>
        {(found) => <Editor server={props.server} loaded={found()} onDirty={props.onDirty} />}
      </Show>
    </Show>
  );
}

function Editor(props: {
  readonly server: ServerView;
  readonly loaded: Loaded;
  readonly onDirty: (dirty: boolean) => void;
}): JSX.Element {
  const command = createCommand();
  const [text, setText] = createSignal(props.loaded.block.text);
  const [saved, setSaved] = createSignal(false);
  let editor: YamlEditor | undefined;
  const dirty = (): boolean => text() !== props.loaded.block.text;
  createEffect(() => props.onDirty(dirty()));
  createEffect(
    on(
      () => props.loaded.block.text,
      (fresh) => {
        if (editor !== undefined && editor.text() !== fresh) editor.setText(fresh);
        setText(fresh);
      },
      { defer: true },
    ),
  );

  /** The worker speaks of lines of the whole file; the person sees the block. */
  const inBlock = (problems: readonly Problem[]): readonly Problem[] =>
    problems.map((problem) => {
      const at = /^(\d+):(\d+)$/.exec(problem.where);
      if (at === null) return problem;
      const line = Number(at[1]) - props.loaded.block.start;
      const column = Math.max(1, Number(at[2]) - props.loaded.block.indent);
      return line < 1 ? problem : { ...problem, where: `${line}:${column}` };
    });
  const check = async (block: string): Promise<readonly Problem[]> => {
    const answer = await purser.checkPolicies(withBlock(props.loaded.file, props.loaded.block, block));
    return answer.ok ? [] : inBlock(answer.problems);
  };
  const save = async (): Promise<void> => {
    setSaved(false);
    const file = withBlock(props.loaded.file, props.loaded.block, text());
    const answer = await command.run(() => purser.savePolicyBlock(props.server.name, file));
    if (answer !== null) setSaved(true);
    else command.report(inBlock(command.problems()));
  };
  const goTo = (problem: Problem): void => {
    const [line = 1, column = 1] = problem.where.split(":").map(Number);
    editor?.goTo(line, column);
  };

  return (
    <div class={style.form}>
      <div class={`${style.editorFrame} ${style.blockFrame}`}>
        <EditorHost
          label={`Policy of ${props.server.name}`}
          text={props.loaded.block.text}
          onReady={(ready) => {
            editor = ready;
          }}
          onChange={(next) => {
            setSaved(false);
            setText(next);
          }}
          check={check}
        />
      </div>
      <Problems problems={command.problems()} onGo={goTo} />
      <div class={style.actions}>
        <Button tone="primary" busy={command.busy()} onClick={() => void save()}>
          Save policy
        </Button>
        <Button disabled={!dirty()} onClick={() => editor?.setText(props.loaded.block.text)}>
          Undo changes
        </Button>
        <p class={style.soft} role="status">
          {saved() && !dirty() ? `Saved as revision ${props.server.policy.revision}` : dirty() ? "Not saved yet" : ""}
        </p>
      </div>
    </div>
  );
}
