/**
 * Notice: { notice: NoticeView, window?: BudgetWindow, busy?: boolean, onRaise?: (runAgain: boolean) => void, children? }
 *   One sentence with local times, when it changes, at most one raise (with and without running again). Role note.
 *   `children` follow the sentence, e.g. a link to the record.
 * Remark: { tone?: "info" | "limit" | "fault", children } – the same look for our own standing sentences.
 */
import CircleAlert from "lucide-solid/icons/circle-alert";
import Info from "lucide-solid/icons/info";
import Scale from "lucide-solid/icons/scale";
import { type JSX, Show } from "solid-js";
import type { NoticeView, RaiseOffer } from "../../worker/api";
import { Button } from "./button";
import { useNow } from "./clock";
import { Icon, type IconComponent } from "./icon";
import style from "./notice.module.css";
import { type BudgetWindow, count, raiseWords, timeFrom, withTimes } from "./words";

export type NoticeTone = NoticeView["tone"];

const ICONS: Readonly<Record<NoticeTone, IconComponent>> = { info: Info, limit: Scale, fault: CircleAlert };

export function Remark(props: { readonly tone?: NoticeTone; readonly children: JSX.Element }): JSX.Element {
  const tone = (): NoticeTone => props.tone ?? "info";
  return (
    <div class={style.notice} role="note" data-tone={tone()}>
      <Icon of={ICONS[tone()]} />
      <div class={style.body}>{props.children}</div>
    </div>
  );
}

export function Notice(props: {
  readonly notice: NoticeView;
  readonly window?: BudgetWindow | undefined;
  readonly busy?: boolean;
  readonly onRaise?: (runAgain: boolean) => void;
  readonly children?: JSX.Element;
}): JSX.Element {
  const now = useNow();
  return (
    <Remark tone={props.notice.tone}>
      <p>
        {withTimes(props.notice.text, now())} {props.children}
      </p>
      <Show when={!props.notice.short && props.notice.raise}>
        {(offer) => (
          <Raise
            offer={offer()}
            window={props.window ?? "24h"}
            busy={props.busy ?? false}
            onRaise={(runAgain) => props.onRaise?.(runAgain)}
          />
        )}
      </Show>
    </Remark>
  );
}

function Raise(props: {
  readonly offer: RaiseOffer;
  readonly window: BudgetWindow;
  readonly busy: boolean;
  readonly onRaise: (runAgain: boolean) => void;
}): JSX.Element {
  const now = useNow();
  const words = (): string => raiseWords(props.offer, props.window);
  const over = (): boolean => props.offer.expiresAt <= now();
  return (
    <Show when={!over()} fallback={<p class={style.buys}>That window has ended; run it again.</p>}>
      <div class={style.raise}>
        <Button small tone="primary" busy={props.busy} onClick={() => props.onRaise(true)}>
          {words()} and run again
        </Button>
        <Button small busy={props.busy} onClick={() => props.onRaise(false)}>
          {words()}
        </Button>
        <span class={style.buys}>
          <Show when={props.offer.kind === "usd" && props.offer.buysAbout !== null}>
            buys about {count(props.offer.buysAbout ?? 0)} more ·{" "}
          </Show>
          until {timeFrom(props.offer.expiresAt, now())}
        </span>
      </div>
    </Show>
  );
}
