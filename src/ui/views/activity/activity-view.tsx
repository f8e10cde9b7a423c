/** ActivityView: every ending and event of all servers, newest first; rows are fetched and drawn as far as they are seen. */
import { createMemo, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { Button } from "../../parts/button";
import { Empty } from "../../parts/empty";
import { endingWord } from "../../parts/ending-badge";
import { VisuallyHidden } from "../../parts/visually-hidden";
import { count, dollars } from "../../parts/words";
import { state } from "../../projection";
import style from "./activity.module.css";
import { ByDay } from "./by-day";
import { ExportLog } from "./export-log";
import { type Chosen, EVERYTHING, Filters, filterOf } from "./filters";
import { totalsOf } from "./log";
import { LogTable } from "./log-table";
import { type Log, useLog } from "./use-log";

export function ActivityView(): JSX.Element {
  const [chosen, setChosen] = createSignal<Chosen>(EVERYTHING);
  const filter = createMemo(() => filterOf(chosen(), Date.now()));
  const log = useLog(filter);
  const seen = (pick: "server" | "model") => {
    const found = log.rows().flatMap((row) => {
      if (row.kind === "event") return pick === "server" && row.event.server !== null ? [row.event.server] : [];
      return (pick === "server" ? row.record.server : row.record.modelUsed) ?? [];
    });
    return found;
  };
  const servers = createMemo(() =>
    sorted([...state.servers.map((server) => server.name), ...seen("server"), chosen().server]),
  );
  const models = createMemo(() => sorted([...seen("model"), chosen().model]));
  const narrowed = () => chosen() !== EVERYTHING;

  return (
    <div class={style.activity}>
      <div class={style.top}>
        <VisuallyHidden as="h1">Activity</VisuallyHidden>
        <Filters value={chosen()} onChange={setChosen} servers={servers()} models={models()} />
        <div class={style.sums}>
          <Sums log={log} />
          <ExportLog filter={filter()} />
        </div>
        <ByDay filter={filter()} />
      </div>
      <Switch fallback={<LogTable log={log} />}>
        <Match when={log.problem()}>
          {(problem) => (
            <Empty title="The log cannot be read" actions={<Button onClick={log.reload}>Try again</Button>}>
              <p>{problem()}</p>
            </Empty>
          )}
        </Match>
        <Match when={log.rows().length === 0 && log.loading()}>
          <p class={style.opening}>Reading the log…</p>
        </Match>
        <Match when={log.rows().length === 0}>
          <Empty
            title={narrowed() ? "Nothing matches these filters" : "Nothing has happened yet"}
            actions={
              <Show when={narrowed()}>
                <Button onClick={() => setChosen(EVERYTHING)}>Show everything</Button>
              </Show>
            }
          >
            <p>
              Every sampling request ends here in one row: completed, trimmed, refused or otherwise, with what it cost.
            </p>
          </Empty>
        </Match>
      </Switch>
    </div>
  );
}

const sorted = (names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter((name) => name !== "").sort((one, other) => one.localeCompare(other));

/** Endings told one by one in the sums; the filter shows the others. */
const ENDINGS_NAMED = 4;

function Sums(props: { readonly log: Log }): JSX.Element {
  const totals = createMemo(() => totalsOf(props.log.rows()));
  const words = () => {
    const { requests, replays, byEnding } = totals();
    const named = byEnding.slice(0, ENDINGS_NAMED).map(([ending, times]) => `${count(times)} ${endingWord(ending)}`);
    const rest = byEnding.slice(ENDINGS_NAMED).reduce((sum, [, times]) => sum + times, 0);
    const ends = [...named, ...(rest > 0 ? [`${count(rest)} otherwise`] : [])].join(", ");
    return [
      `${count(requests)} ${requests === 1 ? "request" : "requests"}${props.log.complete() ? "" : " in the rows loaded so far"}`,
      ends,
      replays > 0 ? `asked again ${replays === 1 ? "once" : `${count(replays)} times`}` : "",
    ]
      .filter(Boolean)
      .join(" · ");
  };
  return (
    <p class={style.totals}>
      <strong>{dollars(totals().chargedMicros)}</strong> charged · {words()}
    </p>
  );
}
