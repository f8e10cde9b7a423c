/** ToolFormView: the form of one tool, made from its input schema, or its arguments as JSON. */
import { useNavigate, useParams } from "@solidjs/router";
import { createEffect, createMemo, createResource, createSignal, type JSX, Show, untrack } from "solid-js";
import type { Problem, ToolDetail } from "../../../worker/api";
import { Button, LinkButton } from "../../parts/button";
import { Empty } from "../../parts/empty";
import { Field, TextArea } from "../../parts/field";
import { spelledOut } from "../../parts/hidden";
import { Problems } from "../../parts/problems";
import { ServerText } from "../../parts/server-text";
import { serverNamed, state } from "../../projection";
import { purser } from "../../worker-client";
import { nameIn, serverPath } from "../servers/paths";
import { Members } from "./form/field-view";
import form from "./form/form.module.css";
import { createFormState } from "./form/form-state";
import { readArguments } from "./form/json-text";
import { formOf } from "./form/schema";
import { argsOf } from "./form/values";
import { focusRun } from "./run-focus";
import style from "./tool-form.module.css";

export function ToolFormView(): JSX.Element {
  const params = useParams<{ name: string; tool: string }>();
  const name = () => nameIn(params.name);
  const server = createMemo(() => serverNamed(name()));
  const listed = () => server()?.connection.tools.some((one) => one.name === nameIn(params.tool)) === true;
  // Once for each time the list was read: the schema is fetched, since reports of a thousand tools leave it out.
  const wanted = createMemo(() => listed() && [name(), nameIn(params.tool), server()?.connection.toolsRead].join("\n"));
  const [tool] = createResource(wanted, async () => {
    const found = await purser.tool(name(), nameIn(params.tool)).catch(() => null);
    // By its schema's text, so that a list that says the same again keeps what was typed.
    return found === null ? null : { found, key: `${params.name} ${JSON.stringify(found.inputSchema)}` };
  });
  // The list goes on marking what changes while the form stands open: that was seen only by who opens it again.
  const opened = createMemo(() => listed() && [name(), nameIn(params.tool)].join("\n"));
  createEffect(() => {
    if (opened() !== false) untrack(() => void purser.toolOpened(name(), nameIn(params.tool)).catch(() => undefined));
  });
  const shown = () => (listed() ? tool.latest : undefined);
  return (
    <Show when={state.ready && !(listed() && tool.latest === undefined)}>
      <Show when={shown()?.key} keyed fallback={<NotThere server={name()} known={server() !== undefined} />}>
        {(_) => <Show when={shown()?.found}>{(of) => <ToolForm server={name()} tool={of()} />}</Show>}
      </Show>
    </Show>
  );
}

function NotThere(props: { readonly server: string; readonly known: boolean }): JSX.Element {
  return (
    <Empty
      title={props.known ? "This tool is not there" : "No server of that name"}
      actions={
        <LinkButton href={props.known ? serverPath(props.server) : "/"}>
          {props.known ? `To ${props.server}` : "To the work"}
        </LinkButton>
      }
    >
      <p>
        {props.known ? "Connect the server, or look whether it still offers the tool." : "It may have been removed."}
      </p>
    </Empty>
  );
}

function ToolForm(props: { readonly server: string; readonly tool: ToolDetail }): JSX.Element {
  const navigate = useNavigate();
  const model = formOf(props.tool.inputSchema);
  const values = createFormState(model);
  // Where no form can be made the arguments are written as JSON from the start.
  const [raw, setRaw] = createSignal<string | null>(props.tool.formProblem === null ? null : "{}");
  const [busy, setBusy] = createSignal(false);
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  let element: HTMLFormElement | undefined;

  const rawProblem = createMemo(() => {
    const text = raw();
    if (text === null) return undefined;
    const read = readArguments(text);
    return read.ok ? undefined : read.problem;
  });
  const toggleRaw = () => {
    if (raw() === null) setRaw(JSON.stringify(argsOf(model, values.value()), null, 2));
    else if (rawProblem() === undefined) setRaw(null);
  };
  const typeRaw = (text: string) => {
    setRaw(text);
    const read = readArguments(text);
    if (read.ok) values.replace(read.value);
  };
  const ready = (): boolean => {
    if (raw() !== null) return rawProblem() === undefined;
    values.showAll();
    return values.problems().size === 0;
  };
  const run = async () => {
    if (busy()) return;
    if (!ready()) {
      queueMicrotask(() => element?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
      return;
    }
    setBusy(true);
    const args = raw() === null ? argsOf(model, values.value()) : (values.value() as Record<string, unknown>);
    const answer = await purser.runTool(props.server, props.tool.name, args);
    setBusy(false);
    setProblems(answer.ok ? [] : answer.problems);
    if (!answer.ok) return;
    focusRun(answer.runId);
    navigate("/");
  };

  return (
    <form
      ref={(made) => {
        element = made;
      }}
      class={style.tool}
      aria-label={`Run ${spelledOut(props.tool.name)}`}
      novalidate
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <About server={props.server} tool={props.tool} />
      <Show when={props.tool.formProblem}>{(why) => <p class={form.note}>{why()} Its arguments go as JSON.</p>}</Show>
      <Show when={raw() === null} fallback={<Raw text={raw() ?? ""} problem={rawProblem()} onInput={typeRaw} />}>
        <div class={form.form}>
          <Show when={model.members.length === 0 && props.tool.formProblem === null}>
            <p class={form.note}>This tool takes no arguments.</p>
          </Show>
          <Members field={model} path={[]} required form={values} />
        </div>
      </Show>
      <Problems problems={problems()} />
      <div class={style.foot}>
        <Button type="submit" tone="primary" busy={busy()}>
          Run
        </Button>
        <Show when={props.tool.formProblem === null}>
          <Button tone="quiet" aria-pressed={raw() !== null} onClick={toggleRaw}>
            Raw JSON
          </Button>
        </Show>
      </div>
    </form>
  );
}

function About(props: { readonly server: string; readonly tool: ToolDetail }): JSX.Element {
  const claims = () =>
    [props.tool.readOnly ? "only reads" : null, props.tool.destructive ? "may destroy data" : null].filter(Boolean);
  return (
    <div class={style.head}>
      <h2>
        <ServerText text={props.tool.title ?? props.tool.name} inline limit={100} />
      </h2>
      <p class={style.where}>
        <code>{spelledOut(props.tool.name.slice(0, 100))}</code> on {props.server}
        <Show when={claims().length > 0}>; it says it {claims().join(" and ")}</Show>
      </p>
      <Show when={props.tool.description}>{(text) => <ServerText text={text()} limit={400} />}</Show>
    </div>
  );
}

function Raw(props: {
  readonly text: string;
  readonly problem: string | undefined;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  return (
    <Field label="Arguments (JSON)" error={props.problem}>
      {(control) => (
        <TextArea control={control} value={props.text} onInput={(text) => props.onInput(text)} mono rows={12} />
      )}
    </Field>
  );
}
