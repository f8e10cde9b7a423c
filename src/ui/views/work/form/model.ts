/**
 * What a form shows for one JSON Schema, as plain data. Pure: schemas come from servers, so every walk is bounded,
 * and whatever the form cannot say well becomes a `json` field instead of a wrong one.
 */

interface Common {
  /** From `title`, else the property name. Server text, its hidden characters spelled out. */
  readonly label: string;
  /** Server text; null where the schema says nothing. */
  readonly description: string | null;
  /** What the form starts with; undefined where the schema names none. */
  readonly initial: unknown;
}

export interface TextField extends Common {
  readonly kind: "text";
  readonly multiline: boolean;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly pattern: string | null;
  readonly format: string | null;
}

export interface Bound {
  readonly value: number;
  /** True where the bound itself is not allowed. */
  readonly open: boolean;
}

export interface NumberField extends Common {
  readonly kind: "number";
  readonly integer: boolean;
  readonly min: Bound | null;
  readonly max: Bound | null;
}

export interface BooleanField extends Common {
  readonly kind: "boolean";
}

export interface Option {
  readonly label: string;
  readonly value: unknown;
}

export interface ChoiceField extends Common {
  readonly kind: "enum";
  readonly options: readonly Option[];
  /** An array of distinct options instead of one. */
  readonly many: boolean;
}

export interface ListField extends Common {
  readonly kind: "list";
  readonly item: Field;
  readonly minItems: number;
  readonly maxItems: number | null;
}

export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly field: Field;
}

export interface GroupField extends Common {
  readonly kind: "group";
  readonly members: readonly Member[];
  /** Properties past the bound, which only JSON can set. */
  readonly leftOut: number;
}

/** One of several shapes (`oneOf`, `anyOf`, several types). */
export interface VariantField extends Common {
  readonly kind: "variant";
  readonly variants: readonly Field[];
}

/** Anything a form has no control for; `why` is our own sentence. */
export interface JsonField extends Common {
  readonly kind: "json";
  readonly why: string;
}

export type Field =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ListField
  | GroupField
  | VariantField
  | JsonField;

/** Bounds on what one schema may make of a form; past them a field is edited as JSON. */
export const LIMITS = {
  depth: 6,
  fields: 200,
  /** Of one field, and of all together: one list of choices may be referred to by every field. */
  options: 500,
  optionsInAll: 2_000,
  variants: 12,
  refHops: 8,
  refChars: 1_000,
  /** Keywords and properties copied while references and `allOf` are followed, in all. */
  copied: 20_000,
  /** Of defaults that are lists or objects, in all. */
  defaultChars: 300_000,
  /** Items that lists start with, in all: lists within lists multiply. */
  items: 200,
  text: 4000,
} as const;
