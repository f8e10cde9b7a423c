/** RunCard: { run, position, of } – one tool run: what it is, its sampling steps, its notices, and what the server returned. */
import { A } from "@solidjs/router";
import RotateCw from "lucide-solid/icons/rotate-cw";
import Square from "lucide-solid/icons/square";
import { createEffect, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import type { Answer, NoticeView, Problem, RunView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { useNow } from "../../parts/clock";
import { Money, When } from "../../parts/figures";
import { spelledOut } from "../../parts/hidden";
import { Notice } from "../../parts/notice";
import { Problems } from "../../parts/problems";
import { ServerText } from "../../parts/server-text";
import { duration } from "../../parts/words";
import { serverNamed } from "../../projection";
import { purser } from "../../worker-client";
import { ContentView } from "./content/content-view";
import { JsonView } from "./content/json-view";
import { Progress } from "./progress";
import { raise, raiseProblems, raising } from "./raise";
import { reasonShort } from "./reason-words";
import style from "./run-card.module.css";
import { focusRun, runFocused, wantedRun } from "./run-focus";
import { labelOf, nothingIn, refusedIn } from "./served";
import { StateMark } from "./state-mark";
import { Steps } from "./steps";

export function RunCard(props: { readonly run: RunView; readonly position: number; readonly of: number }): JSX.Element {
  let card: HTMLElement | undefined;
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  createEffect(() => {
    if (wantedRun() === props.run.id && card !== undefined) focusWhenSeen(card);
  });
  return (
    <article
      ref={(element) => {
        card = element;
      }}
      class={style.card}
      tabindex={-1}
      aria-label={`${spelledOut(props.run.tool)} on ${props.run.server}`}
      aria-posinset={props.position}
      aria-setsize={props.of}
      aria-busy={props.run.endedAt === null}
    >
      <Head run={props.run} onProblems={setProblems} />
      <Problems problems={problems()} />
      <Progress run={props.run} />
      <Show when={props.run.steps.length > 0 || props.run.foldedSteps > 0}>
        <Steps steps={props.run.steps} folded={props.run.foldedSteps} server={props.run.server} />
      </Show>
      <For each={props.run.notices}>{(notice) => <RunNotice notice={notice} />}</For>
      <Result run={props.run} />
      <Arguments run={props.run} />
    </article>
  );
}

/** On a phone the transcript shows a moment later than the card is there, so this tries for half a second. */
function focusWhenSeen(card: HTMLElement): void {
  let frames = 30;
  const attempt = () => {
    frames -= 1;
    if (frames > 28 || !card.checkVisibility()) {
      if (frames > 0) requestAnimationFrame(attempt);
      return;
    }
    runFocused();
    // A consent that opened meanwhile keeps the focus on its Deny (K4).
    if (document.activeElement?.closest("dialog") === null) card.focus({ preventScroll: true });
  };
  requestAnimationFrame(attempt);
}

function Head(props: {
  readonly run: RunView;
  readonly onProblems: (problems: readonly Problem[]) => void;
}): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const act = async <T,>(work: () => Promise<Answer<T>>): Promise<void> => {
    setBusy(true);
    const answer = await work();
    setBusy(false);
    props.onProblems(answer.ok ? [] : answer.problems);
  };
  const again = async () => {
    const answer = await purser.runTool(props.run.server, props.run.tool, { ...props.run.args });
    if (answer.ok) focusRun(answer.runId);
    return answer;
  };
  return (
    <header class={style.head}>
      <h2 class={style.title}>
        <ServerText text={props.run.tool} inline limit={80} />{" "}
        <span class={style.on}>
          on <A href={`/servers/${encodeURIComponent(props.run.server)}`}>{props.run.server}</A>
        </span>
      </h2>
      <p class={style.facts}>
        <StateMark state={props.run.state} /> <span class={style.dot}>·</span> <Elapsed run={props.run} />
        <Show when={props.run.steps.length > 0 || props.run.foldedSteps > 0}>
          {" "}
          <span class={style.dot}>·</span> <Money micros={props.run.chargedMicros} />
        </Show>
        <Show when={props.run.endedAt !== null}>
          {" "}
          <span class={style.dot}>·</span> <When at={props.run.startedAt} />
        </Show>
      </p>
      <Show
        when={props.run.endedAt === null}
        fallback={
          <Button small tone="quiet" icon={RotateCw} busy={busy()} onClick={() => void act(again)}>
            Run again
          </Button>
        }
      >
        <Button small icon={Square} busy={busy()} onClick={() => void act(() => purser.cancelRun(props.run.id))}>
          Cancel
        </Button>
      </Show>
    </header>
  );
}

function Elapsed(props: { readonly run: RunView }): JSX.Element {
  const now = useNow();
  const whole = () => Math.max(0, (props.run.endedAt ?? now()) - props.run.startedAt);
  // Tenths only once it is over: while it runs they would only flicker.
  return <span>{props.run.endedAt === null ? `${Math.floor(whole() / 1000)} s` : duration(whole())}</span>;
}

function RunNotice(props: { readonly notice: NoticeView }): JSX.Element {
  const window = () => serverNamed(props.notice.server)?.policy.policy.budget.window;
  return (
    <div class={style.notice}>
      <Notice
        notice={props.notice}
        window={window()}
        busy={raising(props.notice.recordId)}
        onRaise={(runAgain) => raise({ recordId: props.notice.recordId, runAgain })}
      >
        <A class={style.why} href={`/activity/${encodeURIComponent(props.notice.recordId)}`}>
          Details
        </A>
      </Notice>
      <Problems problems={raiseProblems(props.notice.recordId)} />
    </div>
  );
}

function Result(props: { readonly run: RunView }): JSX.Element {
  return (
    <>
      <For each={props.run.warnings}>
        {(warning) => (
          <p class={style.warning}>
            <ServerText text={warning} inline limit={400} />
          </p>
        )}
      </For>
      <Show when={props.run.problem}>
        {(problem) => (
          <div class={style.problem}>
            <p class={style.says}>{props.run.problemFrom === "server" ? `${props.run.server} says` : "Purser says"}</p>
            <Show when={props.run.problemFrom === "server"} fallback={<p>{spelledOut(problem())}</p>}>
              <ServerText text={problem()} limit={1_000} />
            </Show>
          </div>
        )}
      </Show>
      <Switch>
        <Match when={!nothingIn(props.run)}>
          <div class={style.result}>
            <Show when={labelOf(props.run.notices)}>{(label) => <p class={style.label}>{label()}</p>}</Show>
            <p class={style.says}>{props.run.server} returned</p>
            <ContentView content={props.run.content} structured={props.run.structured} />
          </div>
        </Match>
        <Match when={props.run.state === "succeeded" && refusedIn(props.run)}>
          {(refused) => (
            <p class={style.nothing}>
              No result: sampling was refused ({reasonShort(refused().reason, refused().because)}).
            </p>
          )}
        </Match>
        <Match when={props.run.state === "succeeded"}>
          <p class={style.nothing}>The tool finished and returned nothing.</p>
        </Match>
      </Switch>
    </>
  );
}

function Arguments(props: { readonly run: RunView }): JSX.Element {
  return (
    <Show when={Object.keys(props.run.args).length > 0}>
      <details class={style.args}>
        <summary>Called with</summary>
        <JsonView value={props.run.args} />
      </details>
    </Show>
  );
}
