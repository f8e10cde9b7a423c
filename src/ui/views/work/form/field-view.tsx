/** FieldView: FieldProps – one field of a tool's form, whatever its kind; groups, lists and shapes hold further ones. */
import Plus from "lucide-solid/icons/plus";
import X from "lucide-solid/icons/x";
import { createSignal, For, Index, type JSX, Match, Show, Switch } from "solid-js";
import { Button, IconButton } from "../../../parts/button";
import { Field, Select } from "../../../parts/field";
import { count } from "../../../parts/words";
import { type FieldProps, hintOf } from "./field-props";
import style from "./form.module.css";
import { BooleanView, ChoiceView, JsonView, NumberView, TextView } from "./leaf-fields";
import type { Field as FieldModel, GroupField, ListField, VariantField } from "./model";
import { problemsOf } from "./problems";
import { initialOf } from "./values";

export function FieldView(props: FieldProps): JSX.Element {
  // A field never changes its kind, so the parts below may take it as it is.
  const as = <K extends FieldModel["kind"]>(kind: K) =>
    props.field.kind === kind ? (props as FieldProps<Extract<FieldModel, { kind: K }>>) : undefined;
  return (
    <Switch>
      <Match when={as("text")}>{(of) => <TextView {...of()} />}</Match>
      <Match when={as("number")}>{(of) => <NumberView {...of()} />}</Match>
      <Match when={as("boolean")}>{(of) => <BooleanView {...of()} />}</Match>
      <Match when={as("enum")}>{(of) => <ChoiceView {...of()} />}</Match>
      <Match when={as("json")}>{(of) => <JsonView {...of()} />}</Match>
      <Match when={as("list")}>{(of) => <ListView {...of()} />}</Match>
      <Match when={as("variant")}>{(of) => <VariantView {...of()} />}</Match>
      <Match when={as("group")}>{(of) => <GroupView {...of()} />}</Match>
    </Switch>
  );
}

function Head(props: FieldProps): JSX.Element {
  return (
    <>
      <legend class={style.legend}>
        {props.field.label}
        <Show when={!props.required}>
          <span class={style.optional}>optional</span>
        </Show>
      </legend>
      <Show when={hintOf(props.field)}>{(hint) => <p class={style.note}>{hint()}</p>}</Show>
      <Show when={props.form.problem(props.path)}>
        {(problem) => (
          <p class={style.problem} role="alert">
            {problem()}
          </p>
        )}
      </Show>
    </>
  );
}

function GroupView(props: FieldProps<GroupField>): JSX.Element {
  return (
    <fieldset class={style.group}>
      <Head {...props} />
      <Members {...props} />
    </fieldset>
  );
}

/** The fields of a group without a frame; the whole form is one. */
export function Members(props: FieldProps<GroupField>): JSX.Element {
  return (
    <>
      <For each={props.field.members}>
        {(member) => (
          <FieldView
            field={member.field}
            path={[...props.path, member.name]}
            required={member.required}
            form={props.form}
          />
        )}
      </For>
      <Show when={props.field.leftOut > 0}>
        <p class={style.note}>{count(props.field.leftOut)} more fields are not shown here. Raw JSON can set them.</p>
      </Show>
    </>
  );
}

function ListView(props: FieldProps<ListField>): JSX.Element {
  const items = (): readonly unknown[] => {
    const value = props.form.at(props.path);
    return Array.isArray(value) ? value : [];
  };
  const full = () => props.field.maxItems !== null && items().length >= props.field.maxItems;
  const add = () => {
    const item = initialOf(props.field.item, true);
    props.form.set(props.path, [...items(), item === undefined ? null : item]);
  };
  const remove = (index: number) => {
    const rest = items().filter((_, at) => at !== index);
    props.form.set(props.path, rest.length === 0 && !props.required ? undefined : rest);
  };
  const itemField = (index: number): FieldModel => ({
    ...props.field.item,
    label: `${props.field.item.label === "Item" ? props.field.label : props.field.item.label} ${index + 1}`,
  });
  return (
    <fieldset class={style.group}>
      <Head {...props} />
      <Index each={items()}>
        {(_, index) => (
          <div class={style.item}>
            <FieldView field={itemField(index)} path={[...props.path, index]} required form={props.form} />
            <IconButton label={`Remove ${itemField(index).label}`} of={X} onClick={() => remove(index)} />
          </div>
        )}
      </Index>
      <div>
        <Button small icon={Plus} onClick={add} disabled={full()}>
          Add {props.field.label}
        </Button>
      </div>
    </fieldset>
  );
}

function VariantView(props: FieldProps<VariantField>): JSX.Element {
  const fitting = () => {
    const value = props.form.at(props.path);
    return Math.max(
      0,
      props.field.variants.findIndex((variant) => value !== undefined && problemsOf(variant, value).size === 0),
    );
  };
  const [chosen, setChosen] = createSignal(fitting());
  const choose = (index: number) => {
    setChosen(index);
    const variant = props.field.variants[index];
    props.form.set(props.path, variant === undefined ? undefined : initialOf(variant, props.required));
  };
  const options = () => props.field.variants.map((variant, index) => ({ value: String(index), label: variant.label }));
  return (
    <fieldset class={style.group}>
      <Head {...props} />
      <Field label={`Shape of ${props.field.label}`}>
        {(control) => (
          <Select
            control={control}
            value={String(chosen())}
            options={options()}
            onChange={(index) => choose(Number(index))}
          />
        )}
      </Field>
      <Show when={props.field.variants[chosen()]} keyed>
        {(variant) => <FieldView field={variant} path={props.path} required={props.required} form={props.form} />}
      </Show>
    </fieldset>
  );
}
