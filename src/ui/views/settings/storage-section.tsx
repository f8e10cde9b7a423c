/** Where everything is kept, whether the browser may evict it, and how much there is (D4, D7). */
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { StorageHealth } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Problems } from "../../parts/problems";
import { exactTime } from "../../parts/words";
import { purser } from "../../worker-client";
import { Retention } from "./retention";
import style from "./settings.module.css";

const MEGABYTE = 1_000_000;

function size(bytes: number): string {
  if (bytes < MEGABYTE) return `${Math.max(1, Math.round(bytes / 1_000))} kB`;
  return bytes < 1_000 * MEGABYTE
    ? `${(bytes / MEGABYTE).toFixed(1)} MB`
    : `${(bytes / MEGABYTE / 1_000).toFixed(0)} GB`;
}

export function StorageSection(props: { readonly health: StorageHealth; readonly recordDays: number }): JSX.Element {
  const command = createCommand();
  const [refused, setRefused] = createSignal(false);
  const persistence = (): string => {
    if (props.health.persisted === null) return "unknown";
    return props.health.persisted ? "granted" : "not granted";
  };
  const ask = async (): Promise<void> => {
    const answer = await command.run(async () => {
      // Only the page may ask; the worker then looks at the answer.
      await navigator.storage.persist();
      return purser.notePersistence();
    });
    setRefused(answer !== null && !answer.persisted);
  };
  return (
    <section class={style.section} aria-labelledby="settings-storage">
      <h2 id="settings-storage">Storage</h2>
      <p class={style.soft}>
        Policies, decisions, spending and records are kept in this browser only. Without persistence the browser may
        delete them when space runs short, and some do after seven idle days; Purser then keeps every server off until
        you confirm.
      </p>
      <div class={style.card}>
        <Switch>
          <Match when={props.health.state === "ok"}>
            <p>Storage works.</p>
          </Match>
          <Match when={props.health.state === "unavailable"}>
            <p class={style.bad}>
              Nothing can be stored: {props.health.problem ?? "the browser refuses"}. Sampling is refused.
            </p>
          </Match>
          <Match when={props.health.state === "amnesia"}>
            <p class={style.bad}>
              The memory was lost
              <Show when={props.health.lost}>{(lost) => <>; it was last seen {exactTime(lost().since)}</>}</Show>.
              Confirm it in the note at the top of the page.
            </p>
          </Match>
        </Switch>
        <p>Persistence: {persistence()}</p>
        <Show when={props.health.usageBytes !== null}>
          <p>
            Used: {size(props.health.usageBytes ?? 0)}
            <Show when={props.health.quotaBytes !== null}>
              {" "}
              of {size(props.health.quotaBytes ?? 0)} this browser offers
            </Show>
          </p>
        </Show>
        <Show when={props.health.persisted !== true}>
          <div class={style.actions}>
            <Button busy={command.busy()} onClick={() => void ask()}>
              Ask for persistence
            </Button>
            <p class={style.said} role="status">
              {refused() ? "The browser said no. Installing or bookmarking the page may change its mind." : ""}
            </p>
          </div>
        </Show>
        <Problems problems={command.problems()} />
      </div>
      <Retention days={props.recordDays} />
    </section>
  );
}
