/** What a policy bounds, one line per control (P6); each opens to how it fails and what it leaves alone. */
import { For, type JSX, Show } from "solid-js";
import type { PolicyRevision } from "../../../worker/api";
import { When } from "../../parts/figures";
import { CONTROLS, type ControlId, controlSummary } from "../policy/controls";
import style from "./server-view.module.css";

const ORDER = Object.keys(CONTROLS) as readonly ControlId[];

export function PolicySummary(props: { readonly revision: PolicyRevision }): JSX.Element {
  return (
    <>
      <dl class={style.controls}>
        <For each={ORDER}>
          {(id) => (
            <div>
              <dt>{CONTROLS[id].title}</dt>
              <dd>{controlSummary(props.revision.policy)[id]}</dd>
            </div>
          )}
        </For>
      </dl>
      <p class={style.soft}>
        Revision {props.revision.revision}
        <Show when={props.revision.editedBy}>{(by) => <>, saved by {by()}</>}</Show>,{" "}
        <When at={props.revision.editedAt} />
      </p>
    </>
  );
}
