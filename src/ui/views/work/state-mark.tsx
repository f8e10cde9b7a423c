/** StateMark: { state } – word, icon and colour of a tool run's state, the same family as the endings. */
import Ban from "lucide-solid/icons/ban";
import Check from "lucide-solid/icons/check";
import CircleHelp from "lucide-solid/icons/circle-question-mark";
import CircleSlash from "lucide-solid/icons/circle-slash-2";
import Hourglass from "lucide-solid/icons/hourglass";
import Play from "lucide-solid/icons/play";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import Unplug from "lucide-solid/icons/unplug";
import type { JSX } from "solid-js";
import type { RunView } from "../../../worker/api";
import { Icon, type IconComponent } from "../../parts/icon";
import style from "./state-mark.module.css";

type State = RunView["state"];

const LOOKS: Readonly<Record<State, readonly [string, IconComponent]>> = {
  queued: ["queued", Hourglass],
  running: ["running", Play],
  succeeded: ["done", Check],
  failed: ["failed", TriangleAlert],
  refused: ["refused", Ban],
  cancelled: ["cancelled", CircleSlash],
  unknown: ["outcome unknown", CircleHelp],
  interrupted: ["interrupted", Unplug],
};

export const stateWord = (state: State): string => LOOKS[state][0];

export function StateMark(props: { readonly state: State }): JSX.Element {
  return (
    <span class={style.mark} data-state={props.state}>
      <Icon of={LOOKS[props.state][1]} size={14} />
      {stateWord(props.state)}
    </span>
  );
}
