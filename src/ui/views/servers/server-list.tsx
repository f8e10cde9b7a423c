/** The left column: each server with its state, its gauge and what stands out. */
import { A, useLocation } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import { For, type JSX, Show } from "solid-js";
import type { ServerView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { BudgetGauge } from "../../parts/gauge";
import { state } from "../../projection";
import { openAddServer } from "./add-server";
import { Marks, Paused } from "./marks";
import { serverPath } from "./paths";
import style from "./server-list.module.css";
import { StateWord } from "./state-word";

export function ServerList(): JSX.Element {
  return (
    <div class={style.column}>
      <div class={style.head}>
        <h2>Servers</h2>
        <Button small tone="quiet" icon={Plus} aria-label="Add a server" onClick={openAddServer}>
          Add
        </Button>
      </div>
      <Show when={state.servers.length > 0} fallback={<None />}>
        <ul class={style.list}>
          <For each={state.servers}>{(server) => <Item server={server} />}</For>
        </ul>
      </Show>
    </div>
  );
}

function None(): JSX.Element {
  return (
    <div class={style.none} data-ready={state.ready ? "" : undefined}>
      <p>None yet. Each server you add gets its own policy; until you enable it, it may not ask for a model at all.</p>
    </div>
  );
}

function Item(props: { readonly server: ServerView }): JSX.Element {
  const location = useLocation();
  const here = (): boolean => {
    const path = serverPath(props.server.name);
    return location.pathname === path || location.pathname.startsWith(`${path}/`);
  };
  const off = (): boolean => !props.server.policy.policy.allowSampling;
  return (
    <li class={style.item} aria-label={props.server.name} data-here={here() ? "" : undefined}>
      <div class={style.title}>
        <A
          class={style.name}
          href={serverPath(props.server.name)}
          activeClass=""
          inactiveClass=""
          aria-current={here() ? "true" : undefined}
        >
          {props.server.name}
        </A>
        <StateWord state={props.server.connection.state.state} />
      </div>
      <p class={style.host}>{props.server.host}</p>
      <Show when={!off()} fallback={<p class={style.off}>sampling off</p>}>
        <BudgetGauge server={props.server.name} gauge={props.server.gauge} />
      </Show>
      <div class={style.marks}>
        <Paused server={props.server} />
        <Marks server={props.server} />
      </div>
    </li>
  );
}
