/** What the person said yes to: consents that still cover requests, and grants with the budget they add up to (G5, K1). */
import { For, type JSX, Show } from "solid-js";
import type { Consent, Grant, ServerView } from "../../../worker/api";
import { Button, LinkButton } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Money, When } from "../../parts/figures";
import { Remark } from "../../parts/notice";
import { Problems } from "../../parts/problems";
import { count, dollars, scopeWords, windowName } from "../../parts/words";
import { purser } from "../../worker-client";
import { GrantDays } from "./grant-days";
import { policyPath } from "./paths";
import style from "./server-view.module.css";

export function Consents(props: { readonly server: ServerView }): JSX.Element {
  const command = createCommand();
  return (
    <section class={style.section}>
      <div class={style.sectionHead}>
        <h2>Consents in force</h2>
        <Show when={props.server.consents.length > 0}>
          <Button
            small
            tone="danger"
            busy={command.busy()}
            onClick={() => void command.run(() => purser.revokeConsents(props.server.name))}
          >
            Revoke
          </Button>
        </Show>
      </div>
      <Show
        when={props.server.consents.length > 0}
        fallback={<p class={style.soft}>None. The next request that gets this far asks you.</p>}
      >
        <ul class={style.rows}>
          <For each={props.server.consents}>{(consent) => <ConsentRow consent={consent} />}</For>
        </ul>
      </Show>
      <Problems problems={command.problems()} />
    </section>
  );
}

function ConsentRow(props: { readonly consent: Consent }): JSX.Element {
  return (
    <li>
      <p>
        {props.consent.kind === "session" ? "This session" : "One request"} on {props.consent.model}:{" "}
        <Money micros={props.consent.usedMicros} /> of <Money micros={props.consent.ceilingMicros} /> used
      </p>
      <p class={style.soft}>
        given by {props.consent.givenBy || "you"} <When at={props.consent.givenAt} />, until{" "}
        <When at={props.consent.expiresAt} as="sentence" />; may see {scopeWords(props.consent.scope)}
      </p>
    </li>
  );
}

export function Grants(props: { readonly server: ServerView }): JSX.Element {
  const past = (): ServerView["grantsIn7Days"] => props.server.grantsIn7Days;
  return (
    <section class={style.section}>
      <h2>Grants</h2>
      <Show
        when={props.server.grants.length > 0}
        fallback={<p class={style.soft}>No raise is in force. One is offered where a budget or rate runs out.</p>}
      >
        <ul class={style.rows}>
          <For each={props.server.grants}>{(grant) => <GrantRow grant={grant} />}</For>
        </ul>
      </Show>
      <Show when={past().count > 0}>
        <p class={style.soft}>
          {count(past().count)} {past().count === 1 ? "grant" : "grants"} in 7 days, {dollars(past().micros)} in all.
        </p>
      </Show>
      <GrantDays server={props.server} />
      <Show when={props.server.suggestedCapMicros}>
        {(cap) => (
          <Remark tone="limit">
            <p>
              You keep raising this budget. {dollars(cap())} per {windowName(props.server.gauge.window)} would have
              fitted.
            </p>
            <div>
              <LinkButton href={`${policyPath(props.server.name)}?budget=${cap()}`} small>
                Edit the budget
              </LinkButton>
            </div>
          </Remark>
        )}
      </Show>
    </section>
  );
}

function GrantRow(props: { readonly grant: Grant }): JSX.Element {
  return (
    <li>
      <p>
        <Show when={props.grant.kind === "usd"} fallback={`${props.grant.left} of ${props.grant.amount} requests left`}>
          +<Money micros={props.grant.amount} />
        </Show>{" "}
        until <When at={props.grant.expiresAt} as="sentence" />
      </p>
      <p class={style.soft}>
        by {props.grant.grantedBy} <When at={props.grant.grantedAt} />
      </p>
    </li>
  );
}
