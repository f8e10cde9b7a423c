/** The drawer of one server: its state, what it may spend, what it was allowed, its tools, what it says of itself. */
import { useParams } from "@solidjs/router";
import SlidersHorizontal from "lucide-solid/icons/sliders-horizontal";
import { type JSX, Show } from "solid-js";
import type { ServerView as Server } from "../../../worker/api";
import { Button, LinkButton } from "../../parts/button";
import { Empty } from "../../parts/empty";
import { BudgetGauge } from "../../parts/gauge";
import { Remark } from "../../parts/notice";
import { createServer, state } from "../../projection";
import { openAddServer } from "./add-server";
import { ConnectionState } from "./connection-state";
import { Leave } from "./manage";
import { Marks } from "./marks";
import { nameIn, policyPath } from "./paths";
import { PolicySummary } from "./policy-summary";
import { Consents, Grants } from "./raises";
import style from "./server-view.module.css";
import { AboutServer, Tools } from "./tools";

export function ServerView(): JSX.Element {
  const params = useParams<{ name: string }>();
  const name = (): string => nameIn(params.name);
  const server = createServer(name);
  return (
    <Show when={server()} fallback={<Unknown name={name()} />}>
      {(found) => <Page server={found()} />}
    </Show>
  );
}

function Unknown(props: { readonly name: string }): JSX.Element {
  return (
    <Show when={state.ready}>
      <Empty title={`No server named ${props.name}`} actions={<Button onClick={openAddServer}>Add a server</Button>}>
        It was removed, or this address belongs to another browser.
      </Empty>
    </Show>
  );
}

function Page(props: { readonly server: Server }): JSX.Element {
  const policy = (): Server["policy"] => props.server.policy;
  return (
    <article class={style.page}>
      <header class={style.head}>
        <h1>{props.server.name}</h1>
        <p class={style.url}>{props.server.url}</p>
        <ConnectionState server={props.server} />
      </header>

      <section class={style.section}>
        <div class={style.sectionHead}>
          <h2>Policy</h2>
          <LinkButton href={policyPath(props.server.name)} small icon={SlidersHorizontal}>
            Policy
          </LinkButton>
        </div>
        <Show
          when={policy().policy.allowSampling}
          fallback={
            <Remark>
              <p>
                Sampling is off. This server may run its tools, but may not ask for a model; it is not even told that
                there is one.
              </p>
            </Remark>
          }
        >
          <BudgetGauge server={props.server.name} gauge={props.server.gauge} detail />
          <Marks server={props.server} />
          <PolicySummary revision={policy()} />
        </Show>
      </section>

      <Show when={policy().policy.allowSampling}>
        <Consents server={props.server} />
        <Grants server={props.server} />
      </Show>
      <Tools server={props.server} />
      <AboutServer server={props.server} />
      <Leave server={props.server} />
    </article>
  );
}
