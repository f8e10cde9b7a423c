/** NamePrompt: asked once, before the first grant (G3): whose name stands on it. */
import { createSignal, type JSX, Show } from "solid-js";
import type { Problem } from "../../../worker/api";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Field, TextInput } from "../../parts/field";
import { forgetUnnamedRaise, nameAndRaise, raiseWithoutName } from "../work/raise";

export function NamePrompt(): JSX.Element {
  return (
    <Show when={raiseWithoutName() !== null}>
      <Prompt />
    </Show>
  );
}

function Prompt(): JSX.Element {
  const [name, setName] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy()) return;
    if (name().trim() === "") {
      setProblems([{ where: "", message: "Write a name; it stands on every grant." }]);
      return;
    }
    setBusy(true);
    setProblems(await nameAndRaise(name().trim()));
    setBusy(false);
  };
  return (
    <Dialog
      open
      onClose={forgetUnnamedRaise}
      title="Who is granting this?"
      description="Grants carry a name, so that later everyone can see who raised a limit. It stays on this device."
      footer={
        <>
          <Button onClick={forgetUnnamedRaise}>Not now</Button>
          <Button type="submit" form="who-grants" tone="primary" busy={busy()}>
            Save
          </Button>
        </>
      }
    >
      <form id="who-grants" novalidate onSubmit={(event) => void save(event)}>
        <Field
          label="Your name"
          error={
            problems()
              .map((problem) => problem.message)
              .join(" ") || undefined
          }
        >
          {(control) => <TextInput control={control} value={name()} onInput={setName} autofocus autocomplete="name" />}
        </Field>
      </form>
    </Dialog>
  );
}
