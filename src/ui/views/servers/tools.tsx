/** A server's tools, each leading to its form, and what the server says of itself: its words, marked as its own. */
import { A } from "@solidjs/router";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { ServerView, ToolInfo, ToolNews } from "../../../worker/api";
import { Button } from "../../parts/button";
import { Field, TextInput } from "../../parts/field";
import { spelledOut } from "../../parts/hidden";
import { ServerText } from "../../parts/server-text";
import { count } from "../../parts/words";
import { toolPath } from "./paths";
import style from "./server-view.module.css";

export function Tools(props: { readonly server: ServerView }): JSX.Element {
  const report = (): ServerView["connection"] => props.server.connection;
  return (
    <section class={style.section}>
      <div class={style.sectionHead}>
        <h2>Tools</h2>
        <Show when={report().callsInFlight + report().callsQueued > 0}>
          <span class={style.soft}>
            {report().callsInFlight} running, {report().callsQueued} queued
          </span>
        </Show>
      </div>
      <Show when={report().tools.length > 0} fallback={<p class={style.soft}>{noTools(report())}</p>}>
        <ToolList server={props.server.name} tools={report().tools} news={props.server.toolNews} />
      </Show>
    </section>
  );
}

/** Tools drawn at first, and by each press of "Show more": a server may list a thousand. */
const PAGE = 50;

interface ToolListProps {
  readonly server: string;
  readonly tools: readonly ToolInfo[];
  readonly news: readonly ToolNews[];
}

function ToolList(props: ToolListProps): JSX.Element {
  const [shown, setShown] = createSignal(PAGE);
  const [sought, setSought] = createSignal("");
  const found = createMemo(() => {
    const words = sought().trim().toLowerCase();
    const says = (text: string | null) => text?.toLowerCase().includes(words) === true;
    return words === "" ? props.tools : props.tools.filter((tool) => says(tool.name) || says(tool.description));
  });
  const news = createMemo(() => new Map(props.news.map(({ tool, what }) => [tool, what])));
  const left = () => found().length - shown();
  return (
    <>
      <Show when={props.tools.length > PAGE}>
        <Field label={`Find among ${count(props.tools.length)} tools`}>
          {(control) => <TextInput control={control} value={sought()} onInput={setSought} />}
        </Field>
        <p class={style.soft} role="status">
          {sought().trim() === "" ? "" : `${count(found().length)} found`}
        </p>
      </Show>
      <ul class={style.tools}>
        <For each={found().slice(0, shown())}>
          {(tool) => <ToolRow server={props.server} tool={tool} news={news().get(tool.name)} />}
        </For>
      </ul>
      <Show when={left() > 0}>
        <div>
          <Button small tone="quiet" onClick={() => setShown((n) => n + PAGE)}>
            Show {count(Math.min(PAGE, left()))} more of {count(left())} tools
          </Button>
        </div>
      </Show>
    </>
  );
}

function noTools(report: ServerView["connection"]): string {
  switch (report.state.state) {
    case "connected":
      return "This server offers no tools.";
    case "connecting":
    case "reconnecting":
    case "paused":
      return "They are listed once it is connected.";
    default:
      return "Connect to see its tools.";
  }
}

interface ToolRowProps {
  readonly server: string;
  readonly tool: ToolInfo;
  readonly news: ToolNews["what"] | undefined;
}

function ToolRow(props: ToolRowProps): JSX.Element {
  return (
    <li class={style.tool}>
      <div class={style.toolHead}>
        <A href={toolPath(props.server, props.tool.name)}>
          <ServerText text={props.tool.name} inline limit={80} />
        </A>
        <Show when={props.news}>{(what) => <span class={style.news}>{what()}</span>}</Show>
        <Show when={props.tool.destructive}>
          <span class={style.tag}>may change things</span>
        </Show>
        <Show when={props.tool.readOnly}>
          <span class={style.tag}>says it only reads</span>
        </Show>
      </div>
      <Show when={props.tool.description}>
        {(text) => (
          <p class={style.soft}>
            <ServerText text={text()} inline limit={160} />
          </p>
        )}
      </Show>
    </li>
  );
}

export function AboutServer(props: { readonly server: ServerView }): JSX.Element {
  const report = (): ServerView["connection"] => props.server.connection;
  const claims = (): boolean => report().claimedName !== null || report().instructions !== null;
  return (
    <section class={style.section}>
      <h2>Connection</h2>
      <dl class={style.facts}>
        <Fact name="Declares" value={report().serverCapabilities.map(spelledOut).join(", ") || "nothing yet"} />
        <Fact name="Told of sampling" value={report().samplingDeclared ? "yes" : "no"} />
        <Fact name="Extra headers" value={props.server.headerNames.join(", ") || "none"} />
      </dl>
      <Show when={report().warnings.length > 0}>
        <ul class={style.rows} aria-label="Warnings">
          <For each={report().warnings}>
            {(warning) => (
              <li>
                <ServerText text={warning} inline limit={400} />
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={claims()}>
        <div class={style.claimed}>
          <p class={style.claimedHead}>Written by the server</p>
          <Show when={report().claimedName}>
            {(name) => (
              <p>
                calls itself <ServerText text={name()} inline limit={120} />{" "}
                <Show when={report().claimedVersion}>
                  {(version) => <ServerText text={version()} inline limit={40} />}
                </Show>
              </p>
            )}
          </Show>
          <Show when={report().instructions}>{(text) => <ServerText text={text()} limit={300} />}</Show>
        </div>
      </Show>
    </section>
  );
}

function Fact(props: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
