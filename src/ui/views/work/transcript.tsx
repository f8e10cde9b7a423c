/**
 * Transcript: the run cards, newest at the bottom, drawn only near what is seen. Whoever is at the bottom stays there
 * as it grows; whoever has scrolled up keeps their place and is told that there is more below.
 */
import ArrowDown from "lucide-solid/icons/arrow-down";
import { createEffect, createMemo, createSignal, type JSX, on, Show } from "solid-js";
import { Virtualizer, type VirtualizerHandle } from "virtua/solid";
import type { Problem } from "../../../worker/api";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Problems } from "../../parts/problems";
import { VisuallyHidden } from "../../parts/visually-hidden";
import { count } from "../../parts/words";
import { state } from "../../projection";
import { purser } from "../../worker-client";
import { RunCard } from "./run-card";
import { RunEndings } from "./run-endings";
import { wantedRun } from "./run-focus";
import { Steps } from "./steps";
import style from "./work-view.module.css";

/** This near to the end counts as being there. */
const AT_END_PX = 32;

export function Transcript(): JSX.Element {
  let scroller: HTMLDivElement | undefined;
  let list: VirtualizerHandle | undefined;
  const ids = createMemo(() => state.runs.map((run) => run.id));
  const byId = createMemo(() => new Map(state.runs.map((run) => [run.id, run])));
  const [atEnd, setAtEnd] = createSignal(true);
  const [focused, setFocused] = createSignal<string | null>(null);
  /** Runs that came while the person was reading further up. */
  const [unseenFrom, setUnseenFrom] = createSignal<number | null>(null);

  const look = () => {
    if (scroller === undefined) return;
    const end = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= AT_END_PX;
    const last = ids().length - 1;
    const top = tall() && Math.abs((list?.getItemOffset(last) ?? 0) - scroller.scrollTop) <= AT_END_PX;
    setAtEnd(end || top);
    if (end || top) setUnseenFrom(null);
  };
  /** A newest card higher than the view is shown from its head, since that is where one begins to read. */
  const tall = () => list !== undefined && list.getItemSize(ids().length - 1) > list.viewportSize;
  const toEnd = () => list?.scrollToIndex(ids().length - 1, { align: tall() ? "start" : "end" });
  const keep = () => {
    if (atEnd() && ids().length > 0) toEnd();
  };
  createEffect(
    on(
      () => ids().length,
      (now, before) => {
        if (now <= (before ?? 0)) return;
        if (atEnd()) queueMicrotask(toEnd);
        else setUnseenFrom((from) => from ?? before ?? null);
      },
    ),
  );
  createEffect(() => {
    const wanted = wantedRun();
    const at = wanted === null ? -1 : ids().indexOf(wanted);
    if (at < 0) return;
    setAtEnd(at === ids().length - 1);
    queueMicrotask(() => list?.scrollToIndex(at, { align: tall() ? "start" : "nearest" }));
  });
  /** The card that has, or last had, the focus, and its neighbours: Tab must find what comes next, and go there. */
  const kept = createMemo(() => {
    const at = focused() === null ? -1 : ids().indexOf(focused() ?? "");
    return [at - 1, at, at + 1].filter((one) => at >= 0 && one >= 0 && one < ids().length);
  });

  return (
    <div class={style.work}>
      <Bar />
      <RunEndings />
      <div
        ref={(element) => {
          scroller = element;
        }}
        class={style.scroller}
        role="feed"
        aria-label="Transcript"
        onScroll={look}
      >
        <Virtualizer
          ref={(handle) => {
            list = handle;
          }}
          data={ids()}
          keepMounted={kept()}
          bufferSize={600}
          onResize={keep}
        >
          {(id, index) => (
            <div class={style.row} onFocusIn={() => setFocused(id)}>
              <Show when={byId().get(id)}>
                {(run) => <RunCard run={run()} position={index() + 1} of={ids().length} />}
              </Show>
            </div>
          )}
        </Virtualizer>
      </div>
      <Show when={!atEnd()}>
        <div class={style.below}>
          <Button small icon={ArrowDown} onClick={toEnd}>
            <Show when={unseenFrom()} fallback="To the newest">
              {(from) => `${count(ids().length - from())} new below`}
            </Show>
          </Button>
        </div>
      </Show>
    </div>
  );
}

function Bar(): JSX.Element {
  const [asking, setAsking] = createSignal(false);
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const clear = async () => {
    const answer = await purser.clearRuns();
    setProblems(answer.ok ? [] : answer.problems);
    if (answer.ok) setAsking(false);
  };
  return (
    <>
      <VisuallyHidden as="h1">Work</VisuallyHidden>
      <div class={style.bar}>
        <span class={style.state}>
          {count(state.runs.length)} {state.runs.length === 1 ? "run" : "runs"}
        </span>
        <Button small tone="quiet" onClick={() => setAsking(true)}>
          Clear
        </Button>
      </div>
      <Show when={state.ambient.length > 0}>
        <details class={style.ambient}>
          <summary>
            {count(state.ambient.length)} sampling {state.ambient.length === 1 ? "request" : "requests"} outside any
            tool run
          </summary>
          <Steps steps={state.ambient} folded={0} />
        </details>
      </Show>
      <Dialog
        open={asking()}
        onClose={() => setAsking(false)}
        title="Clear the transcript?"
        footer={
          <>
            <Button autofocus onClick={() => setAsking(false)}>
              Keep it
            </Button>
            <Button tone="danger" onClick={() => void clear()}>
              Clear
            </Button>
          </>
        }
      >
        <p>The runs shown here go away. The activity log, budgets and decisions stay as they are.</p>
        <Problems problems={problems()} />
      </Dialog>
    </>
  );
}
