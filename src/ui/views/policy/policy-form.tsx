/** The form "Policy for <server>": the seven controls, problems at their fields, saved whole. */
import { useSearchParams } from "@solidjs/router";
import { createEffect, createMemo, createSignal, type JSX, on, Show } from "solid-js";
import type { Policy, ServerView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { type Command, createCommand } from "../../parts/command";
import { Switch } from "../../parts/field";
import { Remark } from "../../parts/notice";
import { Problems } from "../../parts/problems";
import { purser } from "../../worker-client";
import { type Draft, draftOf, policyOf, sameDraft, usdText } from "./draft";
import style from "./policy.module.css";
import { BudgetFields, ConsentFields, DeadlineFields, ModelFields, RateFields, TokenFields } from "./policy-fields";

/** Fields that show their own problem; anything else goes above the buttons. */
const FIELDS = [
  "consent",
  "consent_ceiling_usd",
  "models",
  "max_context_scope",
  "max_output_tokens",
  "max_input_tokens",
  "rate_limit.requests_per_minute",
  "rate_limit.burst",
  "budget.usd",
  "budget.window",
  "deadline_ms",
  "max_concurrent",
  "raise.usd",
  "raise.requests",
] as const;
export type PolicyField = (typeof FIELDS)[number];

export interface FormState {
  readonly draft: () => Draft;
  readonly edit: (change: Partial<Draft>) => void;
  readonly at: (field: PolicyField) => string | undefined;
}

interface Editing extends FormState {
  readonly command: Command;
  readonly dirty: () => boolean;
  /** Another revision was saved while this one was being edited. */
  readonly overtaken: () => boolean;
  readonly saved: () => number | null;
  readonly reset: () => void;
  readonly save: () => Promise<void>;
}

function createEditing(server: () => ServerView, suggestedMicros: number | null): Editing {
  const command = createCommand();
  const revision = (): number => server().policy.revision;
  const [base, setBase] = createSignal({ revision: revision(), draft: draftOf(server().policy.policy) });
  const suggestion = suggestedMicros === null ? {} : { budgetUsd: usdText(suggestedMicros) };
  const [draft, setDraft] = createSignal<Draft>({ ...base().draft, ...suggestion });
  const [saved, setSaved] = createSignal<number | null>(null);
  const dirty = createMemo(() => !sameDraft(draft(), base().draft));
  const reset = (): void => {
    const draft = draftOf(server().policy.policy);
    setBase({ revision: revision(), draft });
    setDraft(draft);
    command.report([]);
  };
  // A revision saved elsewhere is taken over at once unless something would be lost.
  createEffect(
    on(revision, () => {
      if (!dirty()) reset();
    }),
  );
  const save = async (): Promise<void> => {
    setSaved(null);
    const read = policyOf(draft());
    if ("problems" in read) return command.report(read.problems);
    const sent = draft();
    const policy: Policy = read.policy;
    const answer = await command.run(() => purser.savePolicy(server().name, policy));
    if (answer === null) return;
    const kept = draftOf(policy);
    setBase({ revision: answer.revision, draft: kept });
    if (sameDraft(draft(), sent)) setDraft(kept);
    setSaved(answer.revision);
  };
  return {
    command,
    draft,
    dirty,
    saved,
    reset,
    save,
    overtaken: () => dirty() && revision() > base().revision,
    edit: (change) => {
      setSaved(null);
      setDraft((old) => ({ ...old, ...change }));
    },
    at: (field) => command.at(field),
  };
}

export function PolicyForm(props: {
  readonly server: ServerView;
  readonly onDirty: (dirty: boolean) => void;
}): JSX.Element {
  const [search] = useSearchParams();
  // "Edit the budget" of a suggestion (G5) arrives with its figure.
  const suggested = Number(search.budget);
  const form = createEditing(() => props.server, Number.isSafeInteger(suggested) && suggested > 0 ? suggested : null);
  createEffect(() => props.onDirty(form.dirty()));
  let element: HTMLFormElement | undefined;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    await form.save();
    const first = element?.querySelector("[aria-invalid]");
    if (first instanceof HTMLElement) first.focus();
  };

  return (
    <form
      ref={(form) => {
        element = form;
      }}
      class={style.form}
      aria-label={`Policy for ${props.server.name}`}
      novalidate
      onSubmit={(event) => void submit(event)}
    >
      <Switch
        label="Allow sampling"
        hint="Off: the server is not even told that a model could be asked. Switching reconnects it."
        checked={form.draft().allowSampling}
        onChange={(allowSampling) => form.edit({ allowSampling })}
      />
      <ConsentFields form={form} />
      <ModelFields form={form} />
      <TokenFields form={form} />
      <RateFields form={form} />
      <BudgetFields form={form} />
      <DeadlineFields form={form} />
      <Foot form={form} />
    </form>
  );
}

function Foot(props: { readonly form: Editing }): JSX.Element {
  const faults = (): number => FIELDS.filter((field) => props.form.at(field) !== undefined).length;
  const standing = (): string => {
    if (faults() > 1) return `${faults()} fields need attention.`;
    if (faults() === 1) return "One field needs attention.";
    return props.form.dirty() ? "Not saved yet" : "";
  };
  return (
    <div class={style.foot}>
      <Show when={props.form.overtaken()}>
        <Remark tone="limit">
          <p>Another revision was saved elsewhere meanwhile. Saving here replaces it.</p>
          <div>
            <Button small onClick={props.form.reset}>
              Load the saved one
            </Button>
          </div>
        </Remark>
      </Show>
      <Problems problems={props.form.command.elsewhere(...FIELDS)} />
      <div class={style.actions}>
        <Button type="submit" tone="primary" busy={props.form.command.busy()}>
          Save policy
        </Button>
        <Button disabled={!props.form.dirty()} onClick={props.form.reset}>
          Undo changes
        </Button>
        <p class={style.soft} role="status">
          <Show when={props.form.saved() !== null} fallback={standing()}>
            Saved as revision {props.form.saved()}
          </Show>
        </p>
      </div>
    </div>
  );
}
