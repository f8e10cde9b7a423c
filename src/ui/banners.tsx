/** What concerns the whole page, above the panes: a worker that is gone, storage that is refused or lost its memory (D4, D7). */
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Problem, StorageHealth } from "../worker/api";
import style from "./app.module.css";
import { Button } from "./parts/button";
import { Remark } from "./parts/notice";
import { Problems } from "./parts/problems";
import { exactTime, sentence } from "./parts/words";
import { state } from "./projection";
import { purser, startWorker, type WorkerStatus, workerStatus } from "./worker-client";

export function Banners(): JSX.Element {
  return (
    <div class={style.banners} aria-live="polite">
      <WorkerBanner />
      <Show when={state.settings?.storage}>{(health) => <StorageBanner health={health()} />}</Show>
    </div>
  );
}

function WorkerBanner(): JSX.Element {
  const problem = (): string => {
    const status: WorkerStatus = workerStatus();
    return "problem" in status ? status.problem : "";
  };
  return (
    <Switch>
      <Match when={workerStatus().state === "failed"}>
        <Remark tone="fault">
          <p>
            <strong>Purser's worker is not running.</strong> {problem()} No server can spend anything until it runs
            again
            {state.ready ? "; what is shown below may be old." : "."}
          </p>
          <div class={style.bannerActions}>
            <Button small tone="primary" onClick={startWorker}>
              Start it again
            </Button>
            <Button small onClick={() => location.reload()}>
              Reload the page
            </Button>
          </div>
        </Remark>
      </Match>
      <Match when={workerStatus().state === "slow"}>
        <Remark tone="fault">
          <p>
            Purser's worker has not answered yet; nothing can run until it does. Another tab may be holding its storage.
          </p>
          <div class={style.bannerActions}>
            <Button small onClick={startWorker}>
              Start it again
            </Button>
          </div>
        </Remark>
      </Match>
      <Match when={workerStatus().state === "restarting"}>
        <Remark tone="fault">
          <p>The worker stopped and is being started again. {problem()} Runs in flight are marked as interrupted.</p>
        </Remark>
      </Match>
    </Switch>
  );
}

function StorageBanner(props: { readonly health: StorageHealth }): JSX.Element {
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const [busy, setBusy] = createSignal(false);
  const inPart = (): boolean => (props.health.lost?.missing.length ?? 0) > 0;
  const confirm = async (): Promise<void> => {
    setBusy(true);
    const answer = await purser.confirmStorageLoss();
    setBusy(false);
    setProblems(answer.ok ? [] : answer.problems);
  };
  return (
    <Switch>
      <Match when={props.health.state === "amnesia"}>
        <Remark tone="fault">
          <p>
            <strong>This browser lost {inPart() ? "part of Purser's memory" : "Purser's memory"}.</strong>{" "}
            <Show when={props.health.lost}>{(lost) => <LostWords lost={lost()} />}</Show> Every server stays off until
            you confirm: what they spent in this window and what you denied them may be forgotten.
          </p>
          <div class={style.bannerActions}>
            <Button small tone="primary" busy={busy()} onClick={() => void confirm()}>
              {inPart() ? "I understand, go on with what is left" : "I understand, start with an empty memory"}
            </Button>
          </div>
          <Problems problems={problems()} />
        </Remark>
      </Match>
      <Match when={props.health.state === "unavailable"}>
        <Remark tone="fault">
          <p>
            <strong>Nothing can be stored, so no sampling is allowed.</strong>{" "}
            {sentence(props.health.problem ?? "This browser refuses to store data for this page.")} Tools still run;
            servers that ask for a model are told storage.unavailable.
          </p>
        </Remark>
      </Match>
    </Switch>
  );
}

function LostWords(props: { readonly lost: NonNullable<StorageHealth["lost"]> }): JSX.Element {
  return (
    <Show
      when={props.lost.missing.length > 0}
      fallback={
        <>
          It knew {props.lost.servers.length === 0 ? "decisions and spending" : props.lost.servers.join(", ")} as of{" "}
          {exactTime(props.lost.since)}, and nothing of it is left.
        </>
      }
    >
      It was last whole at {exactTime(props.lost.since)}. Missing: {props.lost.missing.join(", ")}.
    </Show>
  );
}
