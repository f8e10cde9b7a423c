/**
 * Field: { label, hint?, error?, aside?, children: (control) => JSX }
 *   `control` holds id, aria-describedby and aria-invalid: spread it on the input. An error is announced (role alert).
 * TextInput / NumberInput / TextArea: { value, onInput(text), control?, mono?, secret?, …attributes } – always text; the caller parses.
 * Select: { value, options: {value, label}[], onChange(value), control? }
 * Checkbox / Switch: { label, checked, onChange(checked), hint?, disabled? }
 */
import { createUniqueId, For, type JSX, Show, splitProps } from "solid-js";
import style from "./field.module.css";
import { sentence } from "./words";

export interface ControlProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": "true" | undefined;
}

export function Field(props: {
  readonly label: string;
  readonly hint?: JSX.Element;
  readonly error?: string | undefined;
  readonly aside?: JSX.Element;
  readonly children: (control: ControlProps) => JSX.Element;
}): JSX.Element {
  const id = createUniqueId();
  const control: ControlProps = {
    id,
    get "aria-describedby"() {
      const ids = [props.hint ? `${id}-hint` : "", props.error ? `${id}-error` : ""].filter(Boolean);
      return ids.length > 0 ? ids.join(" ") : undefined;
    },
    get "aria-invalid"() {
      return props.error ? "true" : undefined;
    },
  };
  return (
    <div class={style.field}>
      <div class={style.head}>
        <label class={style.label} for={id}>
          {props.label}
        </label>
        {props.aside}
      </div>
      {props.children(control)}
      <Show when={props.error}>
        <p class={style.error} id={`${id}-error`} role="alert">
          {sentence(props.error ?? "")}
        </p>
      </Show>
      <Show when={props.hint}>
        <p class={style.hint} id={`${id}-hint`}>
          {props.hint}
        </p>
      </Show>
    </div>
  );
}

interface TextInputProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "onInput" | "class" | "value"> {
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly control?: ControlProps;
  readonly mono?: boolean;
  /** Shown as dots, and not offered to a password manager as a login. */
  readonly secret?: boolean;
}

export function TextInput(props: TextInputProps): JSX.Element {
  const [own, rest] = splitProps(props, ["value", "onInput", "control", "mono", "secret"]);
  return (
    <input
      type="text"
      autocomplete="off"
      spellcheck={false}
      {...rest}
      {...own.control}
      class={style.input}
      data-mono={own.mono ? "" : undefined}
      data-secret={own.secret ? "" : undefined}
      value={own.value}
      onInput={(event) => own.onInput(event.currentTarget.value)}
    />
  );
}

/** Text with a numeric keyboard: `type=number` loses what was typed when it is not a number, so nothing could name the problem. */
export function NumberInput(props: TextInputProps & { readonly unit?: string }): JSX.Element {
  const [own, rest] = splitProps(props, ["unit"]);
  return (
    <span class={style.number}>
      <TextInput inputmode="decimal" {...rest} />
      <Show when={own.unit}>
        <span class={style.unit} aria-hidden="true">
          {own.unit}
        </span>
      </Show>
    </span>
  );
}

export function TextArea(
  props: Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, "onInput" | "class" | "value"> & {
    readonly value: string;
    readonly onInput: (text: string) => void;
    readonly control?: ControlProps;
    readonly mono?: boolean;
  },
): JSX.Element {
  const [own, rest] = splitProps(props, ["value", "onInput", "control", "mono"]);
  return (
    <textarea
      rows={3}
      spellcheck={false}
      {...rest}
      {...own.control}
      class={style.input}
      data-mono={own.mono ? "" : undefined}
      value={own.value}
      onInput={(event) => own.onInput(event.currentTarget.value)}
    />
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export function Select(
  props: Omit<JSX.SelectHTMLAttributes<HTMLSelectElement>, "onChange" | "class" | "value"> & {
    readonly value: string;
    readonly options: readonly Option[];
    readonly onChange: (value: string) => void;
    readonly control?: ControlProps;
  },
): JSX.Element {
  const [own, rest] = splitProps(props, ["value", "options", "onChange", "control"]);
  return (
    <select
      {...rest}
      {...own.control}
      class={style.select}
      onChange={(event) => own.onChange(event.currentTarget.value)}
    >
      <For each={own.options}>
        {(option) => (
          <option value={option.value} selected={option.value === own.value}>
            {option.label}
          </option>
        )}
      </For>
    </select>
  );
}

interface ToggleProps {
  readonly label: JSX.Element;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly hint?: JSX.Element;
  readonly disabled?: boolean;
}

function Toggle(props: ToggleProps & { readonly kind: "checkbox" | "switch" }): JSX.Element {
  const id = createUniqueId();
  return (
    <div class={style.toggle}>
      <input
        id={id}
        type="checkbox"
        role={props.kind === "switch" ? "switch" : undefined}
        class={props.kind === "switch" ? style.switch : style.checkbox}
        checked={props.checked}
        disabled={props.disabled}
        aria-describedby={props.hint ? `${id}-hint` : undefined}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={id} class={style.toggleLabel}>
          {props.label}
        </label>
        <Show when={props.hint}>
          <p class={style.hint} id={`${id}-hint`}>
            {props.hint}
          </p>
        </Show>
      </div>
    </div>
  );
}

export function Checkbox(props: ToggleProps): JSX.Element {
  return <Toggle {...props} kind="checkbox" />;
}

export function Switch(props: ToggleProps): JSX.Element {
  return <Toggle {...props} kind="switch" />;
}
