/** Filters: { value, onChange, servers, models } – what of the log is shown. `filterOf` makes the worker's filter of it. */
import type { JSX } from "solid-js";
import type { Ending, RecordFilter } from "../../../worker/api";
import { endingWord } from "../../parts/ending-badge";
import { Field, Select } from "../../parts/field";
import style from "./activity.module.css";

export interface Chosen {
  readonly server: string;
  readonly ending: Ending | "";
  readonly model: string;
  readonly since: Since;
}

type Since = "all" | "hour" | "day" | "week" | "month";

export const EVERYTHING: Chosen = { server: "", ending: "", model: "", since: "all" };

const HOUR = 3_600_000;
const SINCE: Readonly<Record<Since, { readonly label: string; readonly ms: number | null }>> = {
  all: { label: "All time", ms: null },
  hour: { label: "Last hour", ms: HOUR },
  day: { label: "Last 24 hours", ms: 24 * HOUR },
  week: { label: "Last 7 days", ms: 7 * 24 * HOUR },
  month: { label: "Last 30 days", ms: 30 * 24 * HOUR },
};

/** In the order a person looks for them; the same words as the badges. */
const ENDINGS = [
  "completed",
  "trimmed",
  "refused",
  "throttled",
  "denied",
  "unanswered",
  "timed_out",
  "failed",
  "cancelled",
  "lost",
] as const satisfies readonly Ending[];

export function filterOf(chosen: Chosen, now: number): RecordFilter {
  const { ms } = SINCE[chosen.since];
  return {
    server: chosen.server || null,
    endings: chosen.ending === "" ? [] : [chosen.ending],
    model: chosen.model || null,
    from: ms === null ? null : now - ms,
    to: null,
  };
}

export function Filters(props: {
  readonly value: Chosen;
  readonly onChange: (value: Chosen) => void;
  readonly servers: readonly string[];
  readonly models: readonly string[];
}): JSX.Element {
  const names = (all: string, list: readonly string[]) => [
    { value: "", label: all },
    ...list.map((name) => ({ value: name, label: name })),
  ];
  const endings = [
    { value: "", label: "All endings" },
    ...ENDINGS.map((one) => ({ value: one, label: endingWord(one) })),
  ];
  const spans = Object.entries(SINCE).map(([value, { label }]) => ({ value, label }));
  const set = (change: Partial<Chosen>) => props.onChange({ ...props.value, ...change });
  return (
    <search class={style.filters} aria-label="Filter the log">
      <Field label="Server">
        {(control) => (
          <Select
            control={control}
            value={props.value.server}
            options={names("All servers", props.servers)}
            onChange={(server) => set({ server })}
          />
        )}
      </Field>
      <Field label="Ending">
        {(control) => (
          <Select
            control={control}
            value={props.value.ending}
            options={endings}
            onChange={(ending) => set({ ending: ending as Chosen["ending"] })}
          />
        )}
      </Field>
      <Field label="Model">
        {(control) => (
          <Select
            control={control}
            value={props.value.model}
            options={names("All models", props.models)}
            onChange={(model) => set({ model })}
          />
        )}
      </Field>
      <Field label="Time">
        {(control) => (
          <Select
            control={control}
            value={props.value.since}
            options={spans}
            onChange={(since) => set({ since: since as Since })}
          />
        )}
      </Field>
    </search>
  );
}
