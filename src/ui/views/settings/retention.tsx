/** Retention: { days } – how long single records are kept; the daily sums stay for good (L4). */
import { createEffect, createSignal, type JSX } from "solid-js";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Field, NumberInput } from "../../parts/field";
import { Problems } from "../../parts/problems";
import { purser } from "../../worker-client";
import style from "./settings.module.css";

export function Retention(props: { readonly days: number }): JSX.Element {
  const command = createCommand();
  const [days, setDays] = createSignal("");
  const [saved, setSaved] = createSignal(false);
  createEffect(() => setDays(String(props.days)));
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    // An empty field is no number of days, not none.
    const wanted = days().trim() === "" ? Number.NaN : Number(days());
    setSaved((await command.run(() => purser.setRecordDays(wanted))) !== null);
  };
  return (
    <form class={style.line} novalidate onSubmit={(event) => void save(event)}>
      <Field
        label="Keep records for (days)"
        hint="Older records are deleted for good; the sums by day stay."
        error={command.at("recordDays")}
      >
        {(control) => (
          <NumberInput
            control={control}
            value={days()}
            onInput={(text) => {
              setSaved(false);
              setDays(text);
            }}
          />
        )}
      </Field>
      <Button type="submit" busy={command.busy()}>
        Save days
      </Button>
      <p class={style.said} role="status">
        {saved() ? "Saved" : ""}
      </p>
      <Problems problems={command.elsewhere("recordDays")} />
    </form>
  );
}
