/** Granted, MoneyOf, Times, Exact: { record } – the parts of one record's page. */
import { For, type JSX, Show } from "solid-js";
import type { ExchangeRecord } from "../../../worker/api";
import { Money } from "../../parts/figures";
import { spelledOut } from "../../parts/hidden";
import { count, duration, exactTime, scopeWords } from "../../parts/words";
import { JsonView } from "../work/content/json-view";
import style from "./record.module.css";
import { basisWords, detailParts } from "./record-words";

interface Props {
  readonly record: ExchangeRecord;
}

/** What was asked beside what was granted (L1, L2). */
export function Granted(props: Props): JSX.Element {
  const model = () => spelledOut(props.record.modelUsed ?? "nothing");
  const rows = () => [
    ["Model", props.record.hints.map((hint) => spelledOut(hint.slice(0, 80))).join(", ") || "any", model()],
    ["Context", scopeWords(props.record.scopeAsked), granted(props.record.scopeGranted, scopeWords)],
    [
      "Answer",
      `${count(props.record.maxTokensAsked)} tokens`,
      granted(props.record.maxTokensGranted, (n) => `${count(n)} tokens`),
    ],
  ];
  return (
    <section class={style.part}>
      <h3>Asked and granted</h3>
      <table class={style.table}>
        <thead>
          <tr>
            <td />
            <th scope="col">asked</th>
            <th scope="col">granted</th>
          </tr>
        </thead>
        <tbody>
          <For each={rows()}>
            {([name, asked, got]) => (
              <tr data-differs={asked === got ? undefined : ""}>
                <th scope="row">{name}</th>
                <td>{asked}</td>
                <td>{got}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={props.record.fellBackFrom.length > 0}>
        <p>Tried before, without success: {props.record.fellBackFrom.join(", ")}.</p>
      </Show>
      <Show when={props.record.manifest.length > 0}>
        <p class={style.soft}>Context attached</p>
        <ul class={style.manifest}>
          <For each={props.record.manifest}>
            {(entry) => (
              <li>
                result of {spelledOut(entry.tool)} on {entry.server}, {count(entry.tokens)} tokens
              </li>
            )}
          </For>
        </ul>
      </Show>
    </section>
  );
}

const granted = <T,>(value: T | null, words: (value: T) => string): string =>
  value === null ? "nothing" : words(value);

function Fact(props: { readonly name: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <div class={style.fact}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

export function MoneyOf(props: Props): JSX.Element {
  return (
    <section class={style.part}>
      <h3>Cost and tokens</h3>
      <dl class={style.facts}>
        <Fact name="Charged">
          <Money micros={props.record.chargedMicros} />{" "}
          <span class={style.soft}>{basisWords(props.record.chargeBasis)}</span>
        </Fact>
        <Show when={props.record.estimatedMicros > 0 || props.record.chargeBasis !== "none"}>
          <Fact name="Estimated">
            <Money micros={props.record.estimatedMicros} />{" "}
            <span class={style.soft}>
              at most {count(props.record.estimatedInputTokens)} tokens in, {count(props.record.estimatedOutputTokens)}{" "}
              out
            </span>
          </Fact>
        </Show>
        <Show when={props.record.overrunMicros > 0}>
          <Fact name="Overrun">
            <Money micros={props.record.overrunMicros} />{" "}
            <span class={style.soft}>more than was held; the provider reported more than the estimate</span>
          </Fact>
        </Show>
        <Show when={props.record.usage}>
          {(usage) => (
            <Fact name="Tokens">
              {count(usage().inputTokens)} in, {count(usage().outputTokens)} out
              <Show when={usage().cacheReadTokens + usage().cacheWriteTokens > 0}>
                , {count(usage().cacheReadTokens)} read from cache, {count(usage().cacheWriteTokens)} written to it
              </Show>
            </Fact>
          )}
        </Show>
        <Show when={props.record.pricesAsOf !== ""}>
          <Fact name="Prices">of {props.record.pricesAsOf}</Fact>
        </Show>
      </dl>
    </section>
  );
}

export function Times(props: Props): JSX.Element {
  const after = (at: number) => `${duration(at - props.record.receivedAt)} after`;
  return (
    <section class={style.part}>
      <h3>Times</h3>
      <dl class={style.facts}>
        <Fact name="Received">{exactTime(props.record.receivedAt)}</Fact>
        <Show when={props.record.decidedAt}>{(at) => <Fact name="Decided">{after(at())}</Fact>}</Show>
        <Show when={props.record.dispatchedAt}>{(at) => <Fact name="Sent">{after(at())}</Fact>}</Show>
        <Fact name="Ended">{after(props.record.endedAt)}</Fact>
      </dl>
    </section>
  );
}

/** Codes and ids, for whoever reads logs beside this one. */
export function Exact(props: Props): JSX.Element {
  const values = () => ({
    record: props.record.id,
    reason: props.record.reason,
    rule: props.record.because,
    policy_revision: props.record.policyRevision,
    identity: props.record.identity,
    tool_run: props.record.runId,
    grants: props.record.grantIds,
    consent: props.record.consentId,
    provider: props.record.provider,
    protocol: props.record.protocol,
    transport: props.record.transport,
    scope_asked: props.record.scopeAsked,
    scope_granted: props.record.scopeGranted,
    told_the_server: detailParts(props.record).told,
    kept_here: detailParts(props.record).kept,
  });
  return (
    <details class={style.exact}>
      <summary>
        Exact reason and ids{" "}
        <Show when={props.record.reason}>{(reason) => <code class={style.soft}>{reason()}</code>}</Show>
      </summary>
      <JsonView value={values()} />
    </details>
  );
}
