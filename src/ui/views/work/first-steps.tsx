/** FirstSteps: what Purser does and how to begin; with servers there, which of them have tools to run. */
import { A } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { Problem, ServerView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { Empty } from "../../parts/empty";
import { spelledOut } from "../../parts/hidden";
import { Problems } from "../../parts/problems";
import { VisuallyHidden } from "../../parts/visually-hidden";
import { count } from "../../parts/words";
import { state } from "../../projection";
import { purser } from "../../worker-client";
import { openAddServer } from "../servers/add-server";
import { serverPath, toolPath } from "../servers/paths";
import style from "./work-view.module.css";

export function FirstSteps(): JSX.Element {
  return (
    <>
      <VisuallyHidden as="h1">Work</VisuallyHidden>
      <Show when={state.servers.length > 0} fallback={<NoServers />}>
        <NoRuns />
      </Show>
    </>
  );
}

function NoServers(): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const connectDemo = async () => {
    setBusy(true);
    const answer = await purser.connectDemo();
    setBusy(false);
    setProblems(answer.ok ? [] : answer.problems);
  };
  return (
    <Empty
      title="No servers yet"
      actions={
        <>
          <Show when={state.settings?.demo}>
            <Button tone="primary" busy={busy()} onClick={() => void connectDemo()}>
              Connect the demo servers
            </Button>
          </Show>
          <Button icon={Plus} tone={state.settings?.demo ? "plain" : "primary"} onClick={openAddServer}>
            Add a server
          </Button>
        </>
      }
    >
      <p>
        Purser runs the tools of MCP servers and lets a server use a language model only within the limits you set for
        it: which model, how much of your conversation, how many requests and how many dollars.
      </p>
      <Problems problems={problems()} />
    </Empty>
  );
}

/** Tools named per server before the rest is only counted. */
const TOOLS_NAMED = 4;

function NoRuns(): JSX.Element {
  return (
    <Empty title="Nothing has run yet">
      <p>Run a tool of one of your servers; what it does and what it spends appears here.</p>
      <ul class={style.offers}>
        <For each={state.servers}>{(server) => <Offers server={server} />}</For>
      </ul>
    </Empty>
  );
}

function Offers(props: { readonly server: ServerView }): JSX.Element {
  const tools = () => props.server.connection.tools;
  return (
    <li class={style.offer}>
      <A href={serverPath(props.server.name)}>{props.server.name}</A>
      <Show when={tools().length > 0} fallback={<span class={style.state}>{props.server.connection.state.state}</span>}>
        <span class={style.tools}>
          <For each={tools().slice(0, TOOLS_NAMED)}>
            {(tool) => <A href={toolPath(props.server.name, tool.name)}>{spelledOut(tool.name.slice(0, 60))}</A>}
          </For>
          <Show when={tools().length > TOOLS_NAMED}>
            <span class={style.state}>and {count(tools().length - TOOLS_NAMED)} more</span>
          </Show>
        </span>
      </Show>
    </li>
  );
}
