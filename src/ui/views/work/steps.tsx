/**
 * Steps: { steps, folded, server? } – sampling requests, one line each: mark · server · what · model · tokens · cost · time.
 * A finished step of `server` leaves its name out: the card says it.
 */
import { A } from "@solidjs/router";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { createMemo, createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from "solid-js";
import type { StepView } from "../../../worker/api";
import { useNow } from "../../parts/clock";
import { EndingBadge, type EndingMark } from "../../parts/ending-badge";
import { Money } from "../../parts/figures";
import { Icon } from "../../parts/icon";
import { ServerText } from "../../parts/server-text";
import { count, duration } from "../../parts/words";
import { state } from "../../projection";
import { reasonShort } from "./reason-words";
import {
  askedElsewhere,
  deadlineShare,
  phaseWords,
  previewOf,
  type StepLine,
  stepLines,
  sumsOf,
  tokensOf,
} from "./step-words";
import style from "./steps.module.css";

export function Steps(props: {
  readonly steps: readonly StepView[];
  readonly folded: number;
  readonly server?: string;
}): JSX.Element {
  const lines = createMemo(() => stepLines(props.steps));
  // By key, so that a line that only grew is drawn again in place and keeps its focus.
  const byKey = createMemo(() => new Map(lines().map((line) => [line.key, line])));
  const keys = createMemo(() => lines().map((line) => line.key));
  return (
    <ul class={style.steps} aria-label="Sampling steps">
      <Show when={props.folded > 0}>
        <li class={style.line}>
          <span class={style.folded}>{count(props.folded)} earlier requests are counted in the activity log only.</span>
        </li>
      </Show>
      <For each={keys()}>
        {(key) => <Show when={byKey().get(key)}>{(line) => <Line line={line()} server={props.server} />}</Show>}
      </For>
    </ul>
  );
}

function Line(props: { readonly line: StepLine; readonly server: string | undefined }): JSX.Element {
  return (
    <Switch>
      <Match when={props.line.kind === "one" && props.line}>
        {(line) => <Step step={line().step} server={props.server} />}
      </Match>
      <Match when={props.line.kind === "many" && props.line}>
        {(line) => <Fold steps={line().steps} server={props.server} />}
      </Match>
    </Switch>
  );
}

function Step(props: { readonly step: StepView; readonly server: string | undefined }): JSX.Element {
  return (
    <li class={style.line} data-running={props.step.ending === null ? "" : undefined}>
      <Show when={props.step.ending} fallback={<Running step={props.step} />}>
        {(ending) => <Ended step={props.step} ending={ending()} server={props.server} />}
      </Show>
    </li>
  );
}

function Running(props: { readonly step: StepView }): JSX.Element {
  const now = useNow();
  const waits = () => props.step.step.phase.startsWith("waiting");
  return (
    <>
      <span class={style.mark} data-waits={waits() ? "" : undefined} aria-hidden="true" />
      <span class={style.what}>
        <span class={style.server}>{props.step.server}</span> · <strong>{phaseWords(props.step.step, now())}</strong>
        <Show when={askedElsewhere(props.step, state.dialogs)}>; answer it in the tab that runs it</Show>
        <About step={props.step} />
      </span>
      <Show when={deadlineShare(props.step.step, now()) !== null}>
        <progress
          class={style.deadline}
          aria-label="Time used of the deadline"
          value={deadlineShare(props.step.step, now()) ?? 0}
          max={1}
        />
      </Show>
    </>
  );
}

function About(props: { readonly step: StepView }): JSX.Element {
  return (
    <Show when={previewOf(props.step.about)}>
      {(words) => (
        <>
          {" "}
          <span class={style.about}>
            <ServerText text={words()} inline limit={90} />
          </span>
        </>
      )}
    </Show>
  );
}

function Ended(props: {
  readonly step: StepView;
  readonly ending: EndingMark;
  readonly server: string | undefined;
}): JSX.Element {
  const took = () => (props.step.endedAt ?? props.step.receivedAt) - props.step.receivedAt;
  return (
    <>
      <EndingBadge ending={props.ending} />{" "}
      <span class={style.what}>
        <Show when={props.step.server !== props.server}>
          <Dot /> <span class={style.server}>{props.step.server}</span>{" "}
        </Show>
        <Why step={props.step} />
        <About step={props.step} />
      </span>{" "}
      <Figures
        tokens={tokensOf(props.step)}
        chargedMicros={props.step.chargedMicros}
        ms={took()}
        represented={props.step.represented}
      />
      <A
        class={style.more}
        href={`/activity/${encodeURIComponent(props.step.recordId)}`}
        aria-label="Record of this request"
      >
        <Icon of={ChevronRight} />
      </A>
    </>
  );
}

/** Why it ended so, or on which model it ran. */
function Why(props: { readonly step: StepView }): JSX.Element {
  return (
    <Show
      when={props.step.reason}
      fallback={
        <Show when={props.step.model}>
          {(model) => (
            <>
              <Dot /> {model()}
            </>
          )}
        </Show>
      }
    >
      {(reason) => (
        <>
          <Dot /> {reasonShort(reason(), props.step.because)}{" "}
          <span class={style.exact}>
            <Dot /> <code class={style.code}>{reason()}</code>
          </span>
        </>
      )}
    </Show>
  );
}

const Dot = (): JSX.Element => <span class={style.dot}>·</span>;

function Figures(props: {
  readonly tokens: number | null;
  readonly chargedMicros: number | null;
  readonly ms: number;
  readonly represented: number;
}): JSX.Element {
  return (
    <span class={style.figures}>
      <Show when={props.represented > 0}>
        <span class={style.again} title="How often the same request came again and got the stored answer">
          asked again ×{count(props.represented)} <Dot />
        </span>
      </Show>
      <Show when={props.tokens}>
        {(tokens) => (
          <span>
            <Dot /> {count(tokens())} tokens{" "}
          </span>
        )}
      </Show>
      <Show when={props.chargedMicros !== null && props.tokens !== null}>
        <span class={style.cost}>
          <Dot /> <Money micros={props.chargedMicros ?? 0} />{" "}
        </span>
      </Show>
      {/* What was refused at once took no time worth a figure. */}
      <Show when={props.ms >= 50}>
        <span class={style.time}>
          <Dot /> {duration(props.ms)}
        </span>
      </Show>
    </span>
  );
}

function Fold(props: { readonly steps: readonly StepView[]; readonly server: string | undefined }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  const first = () => props.steps[0];
  const sums = createMemo(() => sumsOf(props.steps));
  return (
    <li class={style.fold}>
      <div class={style.line}>
        <Show when={first()?.ending}>{(ending) => <EndingBadge ending={ending()} count={props.steps.length} />}</Show>{" "}
        <span class={style.what}>
          <Show when={first()}>{(step) => <Why step={step()} />}</Show>
        </span>{" "}
        <Figures
          tokens={sums().tokens || null}
          chargedMicros={sums().chargedMicros}
          ms={sums().ms}
          represented={sums().represented}
        />
        <button
          type="button"
          class={style.more}
          aria-expanded={open()}
          aria-controls={id}
          aria-label={`Show each of the ${props.steps.length}`}
          onClick={() => setOpen((was) => !was)}
        >
          <Icon of={ChevronRight} />
        </button>
      </div>
      <ul id={id} class={style.each} hidden={!open()} aria-label="Each request">
        <Show when={open()}>
          <For each={props.steps}>{(step) => <Step step={step} server={props.server} />}</For>
        </Show>
      </ul>
    </li>
  );
}
