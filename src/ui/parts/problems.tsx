/**
 * Problems: { problems: Problem[], label?: string = "Problems", onGo?: (problem) => void }
 * Where and what, as an announced list; nothing when there are none. With `onGo` each place is a button.
 */
import { For, type JSX, Show } from "solid-js";
import type { Problem } from "../../worker/api";
import { spelledOut } from "./hidden";
import style from "./problems.module.css";
import { sentence } from "./words";

export function Problems(props: {
  readonly problems: readonly Problem[];
  readonly label?: string;
  readonly onGo?: (problem: Problem) => void;
}): JSX.Element {
  return (
    <div role="alert" class={style.alert}>
      <Show when={props.problems.length > 0}>
        <ul class={style.list} aria-label={props.label ?? "Problems"}>
          <For each={props.problems}>
            {(problem) => (
              <li class={style.item}>
                <Show when={problem.where !== "" && problem.where !== "worker"}>
                  <Show when={props.onGo} fallback={<code class={style.where}>{spelledOut(problem.where)}</code>}>
                    {(go) => (
                      <button type="button" class={style.go} onClick={() => go()(problem)}>
                        {spelledOut(problem.where)}
                      </button>
                    )}
                  </Show>{" "}
                </Show>
                {sentence(spelledOut(problem.message))}
              </li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}
