/** GrantDays: { server } – how often and by how much a server's limits were raised, by UTC day (G5). */
import { createResource, For, type JSX, Show } from "solid-js";
import type { ServerView } from "../../../worker/api";
import { count, dollars } from "../../parts/words";
import { purser } from "../../worker-client";
import style from "./server-view.module.css";

const DAYS_SHOWN = 14;

export function GrantDays(props: { readonly server: ServerView }): JSX.Element {
  // What a new grant changes; anything else of the server leaves the days as they are.
  const source = () => {
    const { name, grants, grantsIn7Days } = props.server;
    return { name, seen: `${grants.length} ${grantsIn7Days.count} ${grantsIn7Days.micros}` };
  };
  const [days] = createResource(source, ({ name }) => purser.grantDays(name), { initialValue: [] });
  const shown = () => (days.state === "errored" ? [] : days.latest.slice(0, DAYS_SHOWN));
  return (
    <Show when={shown().length > 0}>
      <table class={style.days} aria-label="Grants by day">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Grants</th>
            <th scope="col">Budget</th>
            <th scope="col">Requests</th>
          </tr>
        </thead>
        <tbody>
          <For each={shown()}>
            {(line) => (
              <tr>
                <th scope="row">{line.day}</th>
                <td>{count(line.count)}</td>
                <td>{line.micros > 0 ? `+${dollars(line.micros)}` : ""}</td>
                <td>{line.requests > 0 ? `+${count(line.requests)}` : ""}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={days.latest.length > DAYS_SHOWN}>
        <p class={style.soft}>
          The {DAYS_SHOWN} latest of {count(days.latest.length)} days with grants.
        </p>
      </Show>
    </Show>
  );
}
