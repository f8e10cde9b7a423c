/** RaiseOf: { recordId } – the raise a notice of the transcript offers for this record, if one does (G1, G2). */
import { createMemo, type JSX, Show } from "solid-js";
import { Notice } from "../../parts/notice";
import { Problems } from "../../parts/problems";
import { serverNamed, state } from "../../projection";
import { raise, raiseProblems, raising } from "../work/raise";
import style from "./record.module.css";

export function RaiseOf(props: { readonly recordId: string }): JSX.Element {
  const notice = createMemo(() =>
    state.runs.flatMap((run) => run.notices).find((one) => one.recordId === props.recordId && one.raise !== null),
  );
  return (
    <Show when={notice()}>
      {(found) => (
        <div class={style.part}>
          <Notice
            notice={found()}
            window={serverNamed(found().server)?.policy.policy.budget.window}
            busy={raising(props.recordId)}
            onRaise={(runAgain) => raise({ recordId: props.recordId, runAgain })}
          />
          <Problems problems={raiseProblems(props.recordId)} />
        </div>
      )}
    </Show>
  );
}
