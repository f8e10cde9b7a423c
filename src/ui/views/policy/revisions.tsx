/** The kept revisions of one policy, newest first, each with what it changed (P2). */
import { createResource, For, type JSX, Show } from "solid-js";
import type { PolicyRevision, ServerView } from "../../../worker/api";
import { When } from "../../parts/figures";
import { purser } from "../../worker-client";
import { changesBetween, type LineChange } from "./controls";
import style from "./policy.module.css";

export function Revisions(props: { readonly server: ServerView }): JSX.Element {
  const [list] = createResource(
    // Asked again whenever the revision in force changes.
    () => ({ name: props.server.name, revision: props.server.policy.revision }),
    ({ name }) => purser.revisions(name),
  );
  const rows = (): readonly PolicyRevision[] => (list.error === undefined ? (list.latest ?? []) : []);
  return (
    <section class={style.history}>
      <h2>Revisions</h2>
      <Show when={list.error === undefined} fallback={<p class={style.soft}>The revisions could not be read.</p>}>
        <Show
          when={rows().length > 0}
          fallback={<p class={style.soft}>None yet: this server has the default, sampling off.</p>}
        >
          <ol class={style.revisions}>
            <For each={rows()}>
              {(revision, at) => <Row revision={revision} before={rows()[at() + 1]} inForce={at() === 0} />}
            </For>
          </ol>
        </Show>
      </Show>
    </section>
  );
}

function Row(props: {
  readonly revision: PolicyRevision;
  readonly before: PolicyRevision | undefined;
  readonly inForce: boolean;
}): JSX.Element {
  const changes = (): readonly LineChange[] =>
    props.before === undefined ? [] : changesBetween(props.before.policy, props.revision.policy);
  return (
    <li class={style.revision}>
      <p>
        <strong>Revision {props.revision.revision}</strong>
        <Show when={props.inForce}>, in force</Show>
        <span class={style.soft}>
          {" "}
          <When at={props.revision.editedAt} />
          <Show when={props.revision.editedBy}>{(by) => <> by {by()}</>}</Show>
        </span>
      </p>
      <Show when={changes().length > 0} fallback={<p class={style.soft}>The first one kept.</p>}>
        <ul class={style.changes}>
          <For each={changes()}>
            {(change) => (
              <li>
                {change.label}: <del>{change.before}</del> <ins>{change.after}</ins>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </li>
  );
}
