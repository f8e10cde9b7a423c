/** RecordView: one record (L1), in human words first; the exact codes and ids are one press away. */
import { useParams } from "@solidjs/router";
import { createResource, For, type JSX, Match, Show, Switch } from "solid-js";
import type { ExchangeRecord } from "../../../worker/api";
import { Button, LinkButton } from "../../parts/button";
import { useNow } from "../../parts/clock";
import { Empty } from "../../parts/empty";
import { EndingBadge } from "../../parts/ending-badge";
import { When } from "../../parts/figures";
import { spelledOut } from "../../parts/hidden";
import { ServerText } from "../../parts/server-text";
import { count } from "../../parts/words";
import { state } from "../../projection";
import { purser } from "../../worker-client";
import { DecisionOf } from "./decision-of";
import { RaiseOf } from "./raise-of";
import style from "./record.module.css";
import { Exact, Granted, MoneyOf, Times } from "./record-parts";
import { storySentences } from "./record-words";

export function RecordView(): JSX.Element {
  const params = useParams<{ recordId: string }>();
  const source = () => ({ id: params.recordId, version: state.ready ? state.logVersion : -1 });
  const [record, { refetch }] = createResource(source, ({ id }) => purser.record(id));
  return (
    <Switch>
      <Match when={record.error}>
        <Empty title="This record cannot be read" actions={<Button onClick={() => void refetch()}>Try again</Button>}>
          <p>{record.error instanceof Error ? record.error.message : String(record.error)}</p>
        </Empty>
      </Match>
      <Match when={record.latest}>{(found) => <Found record={found()} />}</Match>
      <Match when={record.state === "ready"}>
        <Empty title="No such record" actions={<LinkButton href="/activity">To the log</LinkButton>}>
          <p>It may be older than the time records are kept, or its request has not ended yet.</p>
        </Empty>
      </Match>
    </Switch>
  );
}

function Found(props: { readonly record: ExchangeRecord }): JSX.Element {
  const now = useNow();
  return (
    <article class={style.record} aria-label="Record">
      <header class={style.head}>
        <EndingBadge ending={props.record.ending} count={props.record.count} />
        <h2>
          {props.record.tool === null ? "Outside any tool call" : spelledOut(props.record.tool)}{" "}
          <span class={style.soft}>on {props.record.server}</span>
        </h2>
        <p class={style.soft}>
          <When at={props.record.endedAt} />
        </p>
      </header>
      <div class={style.story}>
        <For each={storySentences(props.record, now())}>{(sentence) => <p>{sentence}</p>}</For>
        <Show when={typeof props.record.detail.providerSays === "string" && props.record.detail.providerSays}>
          {(text) => (
            <div>
              <p class={style.soft}>The provider says</p>
              <ServerText text={text()} limit={400} />
            </div>
          )}
        </Show>
        <Show when={props.record.answeredBy}>{(name) => <p>Answered by {name()}.</p>}</Show>
        <Show when={props.record.represented > 0}>
          <p>
            The same request came again {count(props.record.represented)}{" "}
            {props.record.represented === 1 ? "time" : "times"} and got the same answer, at no cost.
          </p>
        </Show>
        <Show when={props.record.count > 1}>
          <p>{count(props.record.count)} requests of one minute share this row.</p>
        </Show>
      </div>
      <RaiseOf recordId={props.record.id} />
      <DecisionOf record={props.record} />
      <Granted record={props.record} />
      <MoneyOf record={props.record} />
      <Times record={props.record} />
      <Exact record={props.record} />
    </article>
  );
}
