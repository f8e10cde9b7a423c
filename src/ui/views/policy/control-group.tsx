/** A group of fields under one of the seven controls, with what it bounds, how it fails and what it leaves alone (P6). */
import { createUniqueId, type JSX } from "solid-js";
import { CONTROLS, type ControlId } from "./controls";
import style from "./policy.module.css";

export function ControlGroup(props: { readonly of: ControlId; readonly children: JSX.Element }): JSX.Element {
  const id = createUniqueId();
  const words = (): (typeof CONTROLS)[ControlId] => CONTROLS[props.of];
  return (
    <fieldset class={style.group} aria-describedby={id}>
      <legend class={style.legend}>{words().title}</legend>
      <dl class={style.words} id={id}>
        <div>
          <dt>Bounds</dt>
          <dd>{words().bounds}</dd>
        </div>
        <div>
          <dt>How it fails</dt>
          <dd>{words().fails}</dd>
        </div>
        <div>
          <dt>Leaves alone</dt>
          <dd>{words().untouched}</dd>
        </div>
      </dl>
      <div class={style.fields}>{props.children}</div>
    </fieldset>
  );
}
