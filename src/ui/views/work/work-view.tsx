/** WorkView: the transcript of tool runs, oldest first, or the way in where nothing has run yet. */
import { type JSX, Match, Show, Switch } from "solid-js";
import { state } from "../../projection";
import { FirstSteps } from "./first-steps";
import { Transcript } from "./transcript";

export function WorkView(): JSX.Element {
  return (
    <Show when={state.ready}>
      <Switch fallback={<Transcript />}>
        <Match when={state.runs.length === 0 && state.ambient.length === 0}>
          <FirstSteps />
        </Match>
      </Switch>
    </Show>
  );
}
