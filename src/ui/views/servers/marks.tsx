/** What stands out about a server: quiet or muted (K6) with "Listen again", a retry loop (D3). */
import BellOff from "lucide-solid/icons/bell-off";
import CirclePause from "lucide-solid/icons/circle-pause";
import Repeat from "lucide-solid/icons/repeat";
import { type JSX, Show } from "solid-js";
import type { ServerView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { When } from "../../parts/figures";
import { Icon } from "../../parts/icon";
import { Problems } from "../../parts/problems";
import { count } from "../../parts/words";
import { purser } from "../../worker-client";
import style from "./marks.module.css";

export function Marks(props: { readonly server: ServerView }): JSX.Element {
  const command = createCommand();
  const hushed = (): boolean => props.server.quiet !== null || props.server.mutedUntilAt !== null;
  return (
    <>
      <Show when={hushed()}>
        <div class={style.mark}>
          <Icon of={BellOff} size={14} />
          <span>
            <Show when={props.server.mutedUntilAt} fallback={QUIET_WORDS[props.server.quiet ?? "silence"]}>
              {(until) => (
                <>
                  muted until <When at={until()} as="sentence" />
                </>
              )}
            </Show>
          </span>
          <Button small tone="quiet" busy={command.busy()} onClick={() => void listen()}>
            Listen again
          </Button>
        </div>
      </Show>
      <Show when={props.server.loop}>
        {(loop) => (
          <div class={style.mark} data-loud="">
            <Icon of={Repeat} size={14} />
            <span>
              retry loop: one refused request came {count(loop().represented)} times, since{" "}
              <When at={loop().since} as="sentence" />
            </span>
          </div>
        )}
      </Show>
      <Problems problems={command.problems()} />
    </>
  );

  function listen(): Promise<unknown> {
    return command.run(() => purser.listenAgain(props.server.name));
  }
}

/** Paused: { server } – why it was cut off and until when, with "Connect". For the list: the server's own page says it too. */
export function Paused(props: { readonly server: ServerView }): JSX.Element {
  const command = createCommand();
  const pause = () => {
    const { state } = props.server.connection;
    return state.state === "paused" ? state : undefined;
  };
  return (
    <>
      <Show when={pause()}>
        {(paused) => (
          <div class={style.mark} data-loud="">
            <Icon of={CirclePause} size={14} />
            <span>
              {paused().problem} Reconnects at <When at={paused().nextTryAt} as="clock" />.
            </span>
            <Button
              small
              tone="quiet"
              busy={command.busy()}
              onClick={() => void command.run(() => purser.connect(props.server.name))}
            >
              Connect
            </Button>
          </div>
        )}
      </Show>
      <Problems problems={command.problems()} />
    </>
  );
}

const QUIET_WORDS = {
  denials: "quiet after three denials",
  silence: "quiet: three requests went unanswered",
} as const;
