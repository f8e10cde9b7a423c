/** Providers: their state, keys that go in and never come out, base URLs and models of OpenAI-compatible ones. */
import { createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from "solid-js";
import type { ProviderView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Checkbox, Field, TextArea, TextInput } from "../../parts/field";
import { When } from "../../parts/figures";
import { Problems } from "../../parts/problems";
import { bookedWords } from "../../parts/words";
import { state } from "../../projection";
import { purser } from "../../worker-client";
import { modelsOf } from "../policy/draft";
import style from "./settings.module.css";

export function Providers(props: { readonly providers: readonly ProviderView[] }): JSX.Element {
  return (
    <section class={style.section} aria-labelledby="settings-providers">
      <h2 id="settings-providers">Providers</h2>
      <p class={style.soft}>
        Whose models run, with your keys. A key lives in the worker: no server and no other part of this page can read
        it, and it is never shown again.
      </p>
      <For each={props.providers}>{(provider) => <Provider provider={provider} />}</For>
    </section>
  );
}

function Provider(props: { readonly provider: ProviderView }): JSX.Element {
  const id = createUniqueId();
  const booked = (): string =>
    bookedWords(state.settings?.prices.find(({ model }) => props.provider.models.includes(model))?.price);
  return (
    // biome-ignore lint/a11y/useSemanticElements: two forms lie inside, and a fieldset groups fields of one.
    <div class={style.card} role="group" aria-labelledby={id}>
      <div class={style.cardHead}>
        <h3 id={id}>{props.provider.label}</h3>
        <ProviderState provider={props.provider} />
      </div>
      <Switch>
        <Match when={props.provider.kind === "embedded"}>
          <p class={style.soft}>
            Runs in this tab without a network: an extractive summariser, not a language model. {booked()}
          </p>
        </Match>
        <Match when={props.provider.kind === "openai_compatible"}>
          <EndpointForm provider={props.provider} />
          <KeyForm provider={props.provider} />
        </Match>
        <Match when={props.provider.kind === "anthropic"}>
          <KeyForm provider={props.provider} />
          <EndpointForm provider={props.provider} />
        </Match>
      </Switch>
      <Show when={props.provider.kind !== "openai_compatible" && props.provider.models.length > 0}>
        <p class={style.soft}>Models: {props.provider.models.join(", ")}</p>
      </Show>
    </div>
  );
}

function ProviderState(props: { readonly provider: ProviderView }): JSX.Element {
  return (
    <span class={style.state} data-state={props.provider.state}>
      <Switch>
        <Match when={props.provider.state === "ready"}>
          {/* Whether the provider takes the key shows with the first request only. */}
          {props.provider.kind === "anthropic" ? "key set" : "ready"}
        </Match>
        <Match when={props.provider.state === "no_key"}>no key</Match>
        <Match when={props.provider.state === "off"}>not set up</Match>
        <Match when={props.provider.state === "backing_off"}>
          asked us to wait
          <Show when={props.provider.backoffUntilAt}>
            {(until) => (
              <>
                , again <When at={until()} />
              </>
            )}
          </Show>
        </Match>
      </Switch>
    </span>
  );
}

const KEY_WORDS = {
  none: "No key is kept.",
  memory: "A key is held in memory: it is gone when this page is reloaded.",
  remembered:
    "A key is remembered on this device, encrypted. Its real protection is this browser profile and your disk's encryption.",
} as const;

function KeyForm(props: { readonly provider: ProviderView }): JSX.Element {
  const command = createCommand();
  const [key, setKey] = createSignal("");
  const [remember, setRemember] = createSignal(false);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (key().trim() === "") return command.report([{ where: "key", message: "Paste a key first." }]);
    const done = await command.run(() => purser.setProviderKey(props.provider.id, key().trim(), remember()));
    if (done !== null) setKey("");
  };
  return (
    <form class={style.block} novalidate onSubmit={(event) => void save(event)}>
      <Field label="API key" hint={KEY_WORDS[props.provider.key]} error={command.at("key")}>
        {(control) => (
          <TextInput
            control={control}
            value={key()}
            onInput={setKey}
            secret
            placeholder={props.provider.key === "none" ? "" : "a new key replaces the kept one"}
          />
        )}
      </Field>
      <Checkbox label="Remember on this device" checked={remember()} onChange={setRemember} />
      <div class={style.actions}>
        <Button type="submit" busy={command.busy()}>
          Save key
        </Button>
        <Button
          tone="danger"
          disabled={props.provider.key === "none"}
          onClick={() => void command.run(() => purser.clearProviderKey(props.provider.id))}
        >
          Forget key
        </Button>
      </div>
      <Problems problems={command.elsewhere("key")} />
    </form>
  );
}

const COMPATIBLE_ADDRESS =
  "Ollama, LM Studio, vLLM, OpenRouter and the like, up to and with /v1. It must allow this page's origin.";
const OWN_ADDRESS = "Empty: the provider's own. A gateway that speaks its API goes here; it is sent your key.";

function EndpointForm(props: { readonly provider: ProviderView }): JSX.Element {
  const command = createCommand();
  /** A provider with an address and models of its own needs neither. */
  const own = (): boolean => props.provider.kind === "anthropic";
  const [url, setUrl] = createSignal(props.provider.baseUrl ?? "");
  const [models, setModels] = createSignal(props.provider.models.join("\n"));
  const [saved, setSaved] = createSignal(false);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const done = await command.run(() =>
      purser.setProviderBaseUrl(props.provider.id, url().trim(), own() ? [] : modelsOf(models())),
    );
    setSaved(done !== null);
  };
  return (
    <form class={style.block} novalidate onSubmit={(event) => void save(event)}>
      <Field label="Base URL" hint={own() ? OWN_ADDRESS : COMPATIBLE_ADDRESS} error={command.at("baseUrl")}>
        {(control) => (
          <TextInput
            control={control}
            value={url()}
            onInput={setUrl}
            inputmode="url"
            placeholder={own() ? "https://api.anthropic.com" : "http://localhost:11434/v1"}
          />
        )}
      </Field>
      <Show when={!own()}>
        <Field label="Models" hint="One per line, as the provider names them." error={command.at("models")}>
          {(control) => <TextArea control={control} mono value={models()} onInput={setModels} />}
        </Field>
      </Show>
      <div class={style.actions}>
        <Button type="submit" busy={command.busy()}>
          Save address
        </Button>
        <p class={style.said} role="status">
          {saved() ? "Saved" : ""}
        </p>
      </div>
      <Problems problems={command.elsewhere("baseUrl", "models")} />
    </form>
  );
}
