/** Knows: { dialog } – our voice: model, reach, size, money, and what an answer covers and until when (K3, C3). */
import { createUniqueId, For, type JSX, Show } from "solid-js";
import type { DialogView } from "../../../worker/api";
import { useNow } from "../../parts/clock";
import { bookedWords, count, dollars, timeFrom } from "../../parts/words";
import { state } from "../../projection";
import style from "./consent.module.css";
import { answerWords, costWords, reachWords } from "./terms";
import { TheirName } from "./their-name";

export function Knows(props: { readonly dialog: DialogView }): JSX.Element {
  const id = createUniqueId();
  const now = useNow();
  /** Whose model it is, as in the settings: that tells where the prompt goes, and what is no language model. */
  const provider = () => state.settings?.providers.find((one) => one.id === props.dialog.provider);
  const booked = () =>
    provider()?.kind === "embedded" &&
    bookedWords(state.settings?.prices.find(({ model }) => model === props.dialog.model)?.price);
  return (
    <fieldset aria-labelledby={id} class={style.knows}>
      <h3 id={id} class={style.voice}>
        What Purser knows
      </h3>
      <dl class={style.facts}>
        <Fact name="Cost">
          {costWords(props.dialog.estimatedMicros, props.dialog.atMostMicros)}
          <Show when={booked()}>{(words) => <span class={style.booked}>{words()}</span>}</Show>
        </Fact>
        <Fact name="Model">
          {props.dialog.model} <span class={style.soft}>{provider()?.label ?? props.dialog.provider}</span>
        </Fact>
        <Fact name="Context">
          {reachWords(props.dialog.scopeAsked, props.dialog.scopeGranted)}
          <Manifest dialog={props.dialog} />
        </Fact>
        <Fact name="Prompt">at most {count(props.dialog.inputTokens)} tokens, context included</Fact>
        <Fact name="Answer">{answerWords(props.dialog.maxTokensAsked, props.dialog.maxTokensGranted)}</Fact>
        <Fact name="Covers">
          <Show
            when={props.dialog.mode === "per_session"}
            fallback="this request only; this server's policy asks every time"
          >
            for this session: later requests of {props.dialog.server} on this model with no more context, up to{" "}
            {dollars(props.dialog.ceilingMicros)} in all, until {timeFrom(props.dialog.untilAt, now())}, a change of its
            policy, or until you take it back
          </Show>
        </Fact>
      </dl>
    </fieldset>
  );
}

function Fact(props: { readonly name: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <div class={style.fact}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

function Manifest(props: { readonly dialog: DialogView }): JSX.Element {
  return (
    <Show when={props.dialog.manifest.length > 0}>
      <ul class={style.manifest} aria-label="Context attached">
        <For each={props.dialog.manifest}>
          {(entry) => (
            <li>
              result of <TheirName of={entry.tool} /> on {entry.server}, {count(entry.tokens)} tokens
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
