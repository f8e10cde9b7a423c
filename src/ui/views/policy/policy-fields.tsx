/** The fields of the policy form, grouped by the control they belong to. */
import { For, type JSX, Show } from "solid-js";
import type { PriceRow } from "../../../worker/api";
import { Button } from "../../parts/button";
import { Field, NumberInput, Select, TextArea } from "../../parts/field";
import { spelledOut } from "../../parts/hidden";
import { dollars } from "../../parts/words";
import { state } from "../../projection";
import { ControlGroup } from "./control-group";
import { modelsOf } from "./draft";
import style from "./policy.module.css";
import type { FormState, PolicyField } from "./policy-form";

interface Fields {
  readonly form: FormState;
}

type TextKey = {
  [K in keyof ReturnType<FormState["draft"]>]: ReturnType<FormState["draft"]>[K] extends string ? K : never;
}[keyof ReturnType<FormState["draft"]>];

/** One figure: label, field of the file, key of the draft. */
function Figure(
  props: Fields & {
    readonly label: string;
    readonly field: PolicyField;
    readonly of: TextKey;
    readonly hint?: string;
    readonly placeholder?: string;
  },
): JSX.Element {
  return (
    <Field label={props.label} hint={props.hint} error={props.form.at(props.field)}>
      {(control) => (
        <NumberInput
          control={control}
          placeholder={props.placeholder}
          value={props.form.draft()[props.of]}
          onInput={(text) => props.form.edit({ [props.of]: text })}
        />
      )}
    </Field>
  );
}

export function ConsentFields(props: Fields): JSX.Element {
  return (
    <ControlGroup of="consent">
      <Field label="Consent" error={props.form.at("consent")}>
        {(control) => (
          <Select
            control={control}
            value={props.form.draft().consent}
            options={[
              { value: "per_session", label: "Once per session" },
              { value: "per_request", label: "For every request" },
            ]}
            onChange={(value) => props.form.edit({ consent: value === "per_request" ? "per_request" : "per_session" })}
          />
        )}
      </Field>
      <Figure
        {...props}
        label="Consent ceiling (USD)"
        field="consent_ceiling_usd"
        of="consentCeilingUsd"
        placeholder="what is left"
        hint="What one consent covers. Empty: what is left of the budget."
      />
    </ControlGroup>
  );
}

export function ModelFields(props: Fields): JSX.Element {
  const chosen = (): ReadonlySet<string> => new Set(modelsOf(props.form.draft().models));
  const known = (): readonly PriceRow[] => (state.settings?.prices ?? []).filter((row) => !chosen().has(row.model));
  /** Not wrong, since a provider may come later, but nothing runs there today. */
  const unoffered = (): readonly string[] => {
    const settings = state.settings;
    if (settings === null) return [];
    const offered = new Set(
      [...settings.prices, ...settings.providers].flatMap((one) => ("model" in one ? [one.model] : one.models)),
    );
    return [...chosen()].filter((model) => !offered.has(model) && !offered.has(plainId(model)));
  };
  const add = (model: string): void => {
    props.form.edit({ models: [...chosen(), model].join("\n") });
  };
  return (
    <ControlGroup of="models">
      <div class={style.whole}>
        <Field
          label="Models (allowlist)"
          hint="One per line, most wanted first. Nothing outside this list ever runs for this server."
          error={props.form.at("models")}
        >
          {(control) => (
            <TextArea
              control={control}
              mono
              rows={3}
              value={props.form.draft().models}
              onInput={(models) => props.form.edit({ models })}
            />
          )}
        </Field>
        <For each={unoffered()}>
          {(model) => <p class={style.soft}>{spelledOut(model.slice(0, 120))}: no provider offers it now.</p>}
        </For>
        <Show when={known().length > 0}>
          <ul class={style.known} aria-label="Known models">
            <For each={known()}>
              {(row) => (
                <li>
                  <Button small aria-label={`Add ${row.model}`} title={priceWords(row)} onClick={() => add(row.model)}>
                    + {row.model}
                  </Button>
                </li>
              )}
            </For>
          </ul>
        </Show>
      </div>
    </ControlGroup>
  );
}

/** A model may be listed with its maker, its day, or dots in its version: `anthropic/claude-haiku-4.5`. */
const plainId = (model: string): string =>
  model
    .replace(/^.*\//, "")
    .replace(/-(\d{8}|latest)$/, "")
    .replaceAll(".", "-");

function priceWords(row: PriceRow): string {
  const band = row.price?.bands[0];
  if (band === undefined) return "no price: it would be refused";
  return `${dollars(band.inputMicros)} in, ${dollars(band.outputMicros)} out per million tokens`;
}

const SCOPE_OPTIONS = [
  { value: "none", label: "Nothing" },
  { value: "this_server", label: "Its own earlier calls" },
  { value: "conversation", label: "The whole conversation" },
] as const;

export function TokenFields(props: Fields): JSX.Element {
  return (
    <ControlGroup of="tokens">
      <Figure {...props} label="Input tokens" field="max_input_tokens" of="maxInputTokens" />
      <Figure {...props} label="Output tokens" field="max_output_tokens" of="maxOutputTokens" />
      <Field
        label="Context ceiling"
        hint="What of your work may be attached when it asks for it; more is trimmed."
        error={props.form.at("max_context_scope")}
      >
        {(control) => (
          <Select
            control={control}
            value={props.form.draft().maxContextScope}
            options={SCOPE_OPTIONS}
            onChange={(value) =>
              props.form.edit({
                maxContextScope: SCOPE_OPTIONS.find((option) => option.value === value)?.value ?? "none",
              })
            }
          />
        )}
      </Field>
    </ControlGroup>
  );
}

export function RateFields(props: Fields): JSX.Element {
  return (
    <ControlGroup of="rate">
      <Figure {...props} label="Requests per minute" field="rate_limit.requests_per_minute" of="requestsPerMinute" />
      <Figure {...props} label="Burst" field="rate_limit.burst" of="burst" />
    </ControlGroup>
  );
}

export function DeadlineFields(props: Fields): JSX.Element {
  return (
    <>
      <ControlGroup of="deadline">
        <Figure
          {...props}
          label="Deadline (ms)"
          field="deadline_ms"
          of="deadlineMs"
          hint="Of the model's answer; waiting for you does not count."
        />
      </ControlGroup>
      <ControlGroup of="concurrency">
        <Figure {...props} label="Concurrent requests" field="max_concurrent" of="maxConcurrent" />
      </ControlGroup>
    </>
  );
}

const WINDOW_OPTIONS = [
  { value: "1h", label: "1 hour" },
  { value: "24h", label: "24 hours (UTC day)" },
  { value: "7d", label: "7 days (from Monday)" },
  { value: "30d", label: "30 days" },
] as const;

export function BudgetFields(props: Fields): JSX.Element {
  return (
    <ControlGroup of="budget">
      <Figure {...props} label="Budget (USD)" field="budget.usd" of="budgetUsd" />
      <Field label="Window" error={props.form.at("budget.window")}>
        {(control) => (
          <Select
            control={control}
            value={props.form.draft().window}
            options={WINDOW_OPTIONS}
            onChange={(value) =>
              props.form.edit({ window: WINDOW_OPTIONS.find((option) => option.value === value)?.value ?? "24h" })
            }
          />
        )}
      </Field>
      <Figure
        {...props}
        label="Raise by (USD)"
        field="raise.usd"
        of="raiseUsd"
        hint="Offered when the budget runs out."
      />
      <Figure
        {...props}
        label="Raise by (requests)"
        field="raise.requests"
        of="raiseRequests"
        hint="Offered when the rate runs out."
      />
    </ControlGroup>
  );
}
