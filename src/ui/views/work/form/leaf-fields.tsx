/** TextView, NumberView, BooleanView, ChoiceView, JsonView: FieldProps – the fields that hold no other fields. */
import { createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import { Checkbox, type ControlProps, Field, Select, TextArea, TextInput } from "../../../parts/field";
import { type FieldProps, hintOf } from "./field-props";
import style from "./form.module.css";
import { readJson } from "./json-text";
import type { BooleanField, ChoiceField, JsonField, NumberField, TextField } from "./model";

/** Label, hint, problem and the word "optional", the same for every control. */
export function Labelled(
  props: FieldProps & { readonly children: (control: ControlProps) => JSX.Element },
): JSX.Element {
  return (
    <div onFocusOut={() => props.form.visited(props.path)}>
      <Field
        label={props.field.label}
        hint={hintOf(props.field)}
        error={props.form.problem(props.path)}
        aside={<Show when={!props.required}>{<span class={style.optional}>optional</span>}</Show>}
      >
        {(control) => props.children(control)}
      </Field>
    </div>
  );
}

/** An emptied text leaves its argument out; an empty string can be sent as JSON. */
const orNothing = (text: string): string | undefined => (text === "" ? undefined : text);

export function TextView(props: FieldProps<TextField>): JSX.Element {
  const text = () => {
    const value = props.form.at(props.path);
    return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  };
  const set = (next: string) => props.form.set(props.path, orNothing(next));
  return (
    <Labelled {...props}>
      {(control) => (
        <Show
          when={props.field.multiline}
          fallback={<TextInput control={control} value={text()} onInput={set} required={props.required} />}
        >
          <TextArea control={control} value={text()} onInput={set} rows={4} required={props.required} />
        </Show>
      )}
    </Labelled>
  );
}

const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What was typed as a number, or as itself where it is none, so that the problem can be named. */
const parsed = (text: string): unknown => (text === "" ? undefined : NUMBER.test(text) ? Number(text) : text);

export function NumberView(props: FieldProps<NumberField>): JSX.Element {
  // "1." on the way to "1.5" is 1 already: the draft keeps what was typed while it means the same.
  const [draft, setDraft] = createSignal("");
  const text = () => {
    const value = props.form.at(props.path);
    if (parsed(draft().trim()) === value) return draft();
    return value === undefined || value === null ? "" : String(value);
  };
  const set = (next: string) => {
    setDraft(next);
    props.form.set(props.path, parsed(next.trim()));
  };
  return (
    <Labelled {...props}>
      {(control) => (
        <TextInput
          control={control}
          value={text()}
          onInput={set}
          inputmode={props.field.integer ? "numeric" : "decimal"}
          required={props.required}
        />
      )}
    </Labelled>
  );
}

export function BooleanView(props: FieldProps<BooleanField>): JSX.Element {
  return (
    <div class={style.toggle}>
      <Checkbox
        label={props.field.label}
        hint={hintOf(props.field)}
        checked={props.form.at(props.path) === true}
        onChange={(checked) => props.form.set(props.path, checked)}
      />
    </div>
  );
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export function ChoiceView(props: FieldProps<ChoiceField>): JSX.Element {
  return (
    <Show when={props.field.many} fallback={<OneOf {...props} />}>
      <ManyOf {...props} />
    </Show>
  );
}

function OneOf(props: FieldProps<ChoiceField>): JSX.Element {
  const chosen = () => {
    const value = props.form.at(props.path);
    return value === undefined ? -1 : props.field.options.findIndex((option) => same(option.value, value));
  };
  const options = () => [
    ...(props.required && chosen() >= 0 ? [] : [{ value: "-1", label: props.required ? "Choose…" : "Not set" }]),
    ...props.field.options.map((option, index) => ({ value: String(index), label: option.label })),
  ];
  return (
    <Labelled {...props}>
      {(control) => (
        <Select
          control={control}
          value={String(chosen())}
          options={options()}
          onChange={(index) => props.form.set(props.path, props.field.options[Number(index)]?.value)}
        />
      )}
    </Labelled>
  );
}

function ManyOf(props: FieldProps<ChoiceField>): JSX.Element {
  const chosen = (): readonly unknown[] => {
    const value = props.form.at(props.path);
    return Array.isArray(value) ? value : [];
  };
  const toggle = (option: unknown, on: boolean) => {
    const rest = chosen().filter((value) => !same(value, option));
    const next = on ? [...rest, option] : rest;
    props.form.set(props.path, next.length === 0 && !props.required ? undefined : next);
  };
  return (
    <fieldset class={style.group}>
      <legend class={style.legend}>{props.field.label}</legend>
      <Show when={hintOf(props.field)}>{(hint) => <p class={style.note}>{hint()}</p>}</Show>
      <For each={props.field.options}>
        {(option) => (
          <Checkbox
            label={option.label}
            checked={chosen().some((value) => same(value, option.value))}
            onChange={(on) => toggle(option.value, on)}
          />
        )}
      </For>
    </fieldset>
  );
}

export function JsonView(props: FieldProps<JsonField>): JSX.Element {
  const [draft, setDraft] = createSignal<string | null>(null);
  onCleanup(() => props.form.unparsed(props.path, null));
  const text = () => {
    const typed = draft();
    if (typed !== null) return typed;
    const value = props.form.at(props.path);
    return value === undefined ? "" : JSON.stringify(value, null, 2);
  };
  const set = (next: string) => {
    setDraft(next);
    const read = next.trim() === "" ? ({ ok: true, value: undefined } as const) : readJson(next);
    props.form.unparsed(props.path, read.ok ? null : read.problem);
    if (read.ok) props.form.set(props.path, read.value);
  };
  return (
    <Labelled {...props}>
      {(control) => (
        <>
          <TextArea control={control} value={text()} onInput={set} mono rows={3} placeholder="JSON" />
          <p class={style.note}>{props.field.why}</p>
        </>
      )}
    </Labelled>
  );
}
