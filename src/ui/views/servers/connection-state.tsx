/** State of one connection in words, what to do about it, and the buttons that do it. */
import { type JSX, Match, Show, Switch } from "solid-js";
import type { ServerView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { When } from "../../parts/figures";
import { spelledOut } from "../../parts/hidden";
import { Remark } from "../../parts/notice";
import { Problems } from "../../parts/problems";
import { purser } from "../../worker-client";
import { protocolWords } from "./connection-words";
import style from "./server-view.module.css";
import { StateWord } from "./state-word";

type State = ServerView["connection"]["state"];
type In<S extends State["state"]> = Extract<State, { readonly state: S }>;

/** Where the person may have it connected, or connected sooner. */
const CONNECTABLE: ReadonlySet<State["state"]> = new Set(["off", "failed", "reconnecting", "paused"]);

export function ConnectionState(props: { readonly server: ServerView }): JSX.Element {
  const command = createCommand();
  const now = (): State => props.server.connection.state;
  const inState = <S extends State["state"]>(wanted: S): In<S> | undefined => {
    const state = now();
    return state.state === wanted ? (state as In<S>) : undefined;
  };
  const { connect, disconnect } = purser;
  return (
    <>
      <p class={style.stateLine}>
        <StateWord state={now().state} />
        <Show when={inState("connected")}>
          {(connected) => (
            <span class={style.soft}>
              since <When at={connected().since} as="sentence" />
            </span>
          )}
        </Show>
        <span class={style.soft}>{spelledOut(protocolWords(props.server.connection))}</span>
      </p>
      <Switch>
        <Match when={inState("failed")}>
          {(failed) => (
            <Remark tone="fault">
              <p>{spelledOut(failed().problem)}</p>
              <p>{spelledOut(failed().hint)}</p>
            </Remark>
          )}
        </Match>
        <Match when={inState("paused")}>
          {(paused) => (
            <Remark>
              <p>
                {spelledOut(paused().problem)} What it still asked is not answered. Reconnects at{" "}
                <When at={paused().nextTryAt} as="clock" />.
              </p>
            </Remark>
          )}
        </Match>
        <Match when={inState("reconnecting")}>
          {(trying) => (
            <Remark>
              <p>
                {spelledOut(trying().problem)} Try {trying().attempt}, next <When at={trying().nextTryAt} />.
              </p>
            </Remark>
          )}
        </Match>
      </Switch>
      <div class={style.buttons}>
        <Show
          when={CONNECTABLE.has(now().state)}
          fallback={
            <Button small busy={command.busy()} onClick={() => void command.run(() => disconnect(props.server.name))}>
              Disconnect
            </Button>
          }
        >
          <Button
            small
            tone="primary"
            busy={command.busy()}
            onClick={() => void command.run(() => connect(props.server.name))}
          >
            Connect
          </Button>
          <Show when={now().state === "reconnecting" || now().state === "paused"}>
            <Button small busy={command.busy()} onClick={() => void command.run(() => disconnect(props.server.name))}>
              Disconnect
            </Button>
          </Show>
        </Show>
      </div>
      <Problems problems={command.problems()} />
    </>
  );
}
