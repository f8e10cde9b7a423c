/** Settings: who you are, whose models you use, what they cost, where things are kept. */
import { type JSX, Show } from "solid-js";
import type { SettingsView as Settings } from "../../../worker/api";
import { state } from "../../projection";
import { Prices } from "./prices";
import { Profile } from "./profile";
import { Providers } from "./providers";
import style from "./settings.module.css";
import { StorageSection } from "./storage-section";

export function SettingsView(): JSX.Element {
  return (
    <article class={style.page}>
      <h1>Settings</h1>
      <Show when={state.settings} fallback={<p class={style.soft}>Waiting for the worker…</p>}>
        {(settings) => <Sections settings={settings()} />}
      </Show>
    </article>
  );
}

function Sections(props: { readonly settings: Settings }): JSX.Element {
  return (
    <>
      <Profile name={props.settings.profileName} />
      <Providers providers={props.settings.providers} />
      <Prices rows={props.settings.prices} asOf={props.settings.pricesAsOf} />
      <StorageSection health={props.settings.storage} recordDays={props.settings.recordDays} />
    </>
  );
}
