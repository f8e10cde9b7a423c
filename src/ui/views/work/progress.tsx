/** Progress: { run } – why a run waits, or how far the server says it is; nothing where neither is known. */
import { type JSX, Show } from "solid-js";
import type { RunView } from "../../../worker/api";
import { ServerText } from "../../parts/server-text";
import { count } from "../../parts/words";
import style from "./run-card.module.css";

export function Progress(props: { readonly run: RunView }): JSX.Element {
  const running = () => props.run.endedAt === null;
  return (
    <>
      <Show when={running() && props.run.queuedReason}>
        {(reason) => <p class={style.waits}>Waiting: {reason()}</p>}
      </Show>
      <Show when={running() && props.run.progress}>
        {(progress) => (
          <div class={style.progress}>
            <Show when={progress().total}>
              {(total) => (
                <progress
                  class={style.bar}
                  aria-label="Progress the server reports"
                  max={total()}
                  value={Math.min(total(), Math.max(0, progress().progress))}
                />
              )}
            </Show>
            <span class={style.waits}>
              {count(progress().progress)}
              <Show when={progress().total}>{(total) => ` of ${count(total())}`}</Show>
            </span>
            <Show when={progress().message}>{(message) => <ServerText text={message()} inline limit={160} />}</Show>
          </div>
        )}
      </Show>
    </>
  );
}
