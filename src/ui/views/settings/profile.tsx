/** The profile name: it goes on every grant, consent and revision (G3). */
import { createEffect, createSignal, type JSX } from "solid-js";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Field, TextInput } from "../../parts/field";
import { Problems } from "../../parts/problems";
import { purser } from "../../worker-client";
import style from "./settings.module.css";

export function Profile(props: { readonly name: string }): JSX.Element {
  const command = createCommand();
  const [name, setName] = createSignal("");
  const [saved, setSaved] = createSignal(false);
  createEffect(() => setName(props.name));
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setSaved((await command.run(() => purser.setProfileName(name()))) !== null);
  };
  return (
    <section class={style.section} aria-labelledby="settings-profile">
      <h2 id="settings-profile">You</h2>
      <form class={style.line} novalidate onSubmit={(event) => void save(event)}>
        <Field
          label="Profile name"
          hint="Stands on the grants you give, the consents and the policies you save. It stays in this browser."
          error={command.at("profileName")}
        >
          {(control) => (
            <TextInput
              control={control}
              value={name()}
              onInput={(text) => {
                setSaved(false);
                setName(text);
              }}
              maxlength={60}
              autocomplete="name"
            />
          )}
        </Field>
        <Button type="submit" busy={command.busy()}>
          Save name
        </Button>
        <p class={style.said} role="status">
          {saved() ? "Saved" : ""}
        </p>
      </form>
      <Problems problems={command.elsewhere("profileName")} />
    </section>
  );
}
