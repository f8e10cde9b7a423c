/**
 * EndingBadge: { ending: Ending | "waiting" | "replayed", count?: number, iconOnly?: boolean }
 * Word, icon and colour of an ending, the same everywhere; with `iconOnly` the word is for ears and the tooltip.
 */
import Ban from "lucide-solid/icons/ban";
import CircleCheck from "lucide-solid/icons/circle-check";
import CircleDashed from "lucide-solid/icons/circle-dashed";
import CircleSlash from "lucide-solid/icons/circle-slash-2";
import Clock from "lucide-solid/icons/clock";
import Gauge from "lucide-solid/icons/gauge";
import Hand from "lucide-solid/icons/hand";
import Hourglass from "lucide-solid/icons/hourglass";
import Repeat from "lucide-solid/icons/repeat";
import Scissors from "lucide-solid/icons/scissors";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import Unplug from "lucide-solid/icons/unplug";
import { type JSX, Show } from "solid-js";
import type { Ending } from "../../worker/api";
import style from "./ending-badge.module.css";
import { Icon, type IconComponent } from "./icon";

export type EndingMark = Ending | "waiting" | "replayed";

interface Look {
  readonly word: string;
  readonly icon: IconComponent;
}

const LOOKS: Readonly<Record<EndingMark, Look>> = {
  completed: { word: "completed", icon: CircleCheck },
  trimmed: { word: "trimmed", icon: Scissors },
  refused: { word: "refused", icon: Ban },
  throttled: { word: "throttled", icon: Gauge },
  denied: { word: "denied", icon: Hand },
  unanswered: { word: "unanswered", icon: CircleDashed },
  timed_out: { word: "timed out", icon: Clock },
  failed: { word: "failed", icon: TriangleAlert },
  cancelled: { word: "cancelled", icon: CircleSlash },
  lost: { word: "lost", icon: Unplug },
  waiting: { word: "waiting", icon: Hourglass },
  replayed: { word: "replayed", icon: Repeat },
};

/** The word alone, for filters and sentences. */
export function endingWord(ending: EndingMark): string {
  return LOOKS[ending].word;
}

export function EndingBadge(props: {
  readonly ending: EndingMark;
  readonly count?: number;
  readonly iconOnly?: boolean;
}): JSX.Element {
  const look = (): Look => LOOKS[props.ending];
  return (
    <span class={style.badge} data-ending={props.ending} title={props.iconOnly ? look().word : undefined}>
      <Icon of={look().icon} size={14} {...(props.iconOnly ? { label: look().word } : {})} />
      <Show when={!props.iconOnly}>{look().word}</Show>
      <Show when={props.count !== undefined && props.count > 1}>
        <span class={style.count}>×{props.count}</span>
      </Show>
    </span>
  );
}
