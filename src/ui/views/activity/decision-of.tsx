/** DecisionOf: { record } – whether its refusal still answers the same request, and the way to forget it (A4, D2). */
import { createResource, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { ExchangeRecord, Problem, StoredDecision } from "../../../worker/api";
import { Button } from "../../parts/button";
import { useNow } from "../../parts/clock";
import { Problems } from "../../parts/problems";
import { timeFrom } from "../../parts/words";
import { state } from "../../projection";
import { purser } from "../../worker-client";
import { announce } from "../consent/announcer";
import style from "./record.module.css";

export function DecisionOf(props: { readonly record: ExchangeRecord }): JSX.Element {
  const source = () =>
    props.record.identity === "" || props.record.reason === null
      ? null
      : { server: props.record.server, identity: props.record.identity, version: state.logVersion };
  const [decision] = createResource(source, async ({ server, identity }) => {
    const all = await purser.decisions(server);
    return all.find((one) => one.identity === identity) ?? null;
  });
  return (
    <Show when={source() !== null && decision.state !== "errored" && decision.latest !== undefined}>
      <section class={style.part}>
        <h3>The decision</h3>
        <Switch fallback={<p>It no longer counts: the same request would be decided afresh.</p>}>
          <Match when={decision.latest}>{(live) => <Live decision={live()} record={props.record} />}</Match>
        </Switch>
      </section>
    </Show>
  );
}

function Live(props: { readonly decision: StoredDecision; readonly record: ExchangeRecord }): JSX.Element {
  const now = useNow();
  const [busy, setBusy] = createSignal(false);
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const until = () => props.decision.expiresAt;
  const over = () => (until() ?? Number.POSITIVE_INFINITY) <= now();
  const forget = async () => {
    setBusy(true);
    const answer = await purser.forgetDecision(props.decision.identity);
    setBusy(false);
    setProblems(answer.ok ? [] : answer.problems);
    if (answer.ok) announce("The decision is forgotten.");
  };
  return (
    <Show when={!over()} fallback={<p>It has run out: the same request would be decided afresh.</p>}>
      <p>
        It still answers the same request of {props.decision.server}
        <Show when={until()} fallback=", until its policy changes or you forget it.">
          {(at) => <>, until {timeFrom(at(), now())}.</>}
        </Show>
      </p>
      <div>
        <Button small busy={busy()} onClick={() => void forget()}>
          Forget this decision
        </Button>
      </div>
      <Problems problems={problems()} />
    </Show>
  );
}
