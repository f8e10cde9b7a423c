/** What every field of a tool's form is given. */
import { spelledOut } from "../../../parts/hidden";
import type { FormState } from "./form-state";
import type { Field } from "./model";
import type { Path } from "./values";

export interface FieldProps<F extends Field = Field> {
  readonly field: F;
  readonly path: Path;
  readonly required: boolean;
  readonly form: FormState;
}

/** The field's words: its description (the server's), then what we know of its bounds. */
export function hintOf(field: Field): string | null {
  const parts = [field.description, boundsOf(field)].filter((part): part is string => part !== null && part !== "");
  return parts.length === 0
    ? null
    : parts
        .map((part) => (/[.!?:]$/.test(part) ? part : `${part}.`))
        .map(spelledOut)
        .join(" ");
}

function boundsOf(field: Field): string | null {
  if (field.kind === "text") return field.pattern === null ? field.format : `Must match ${field.pattern}`;
  if (field.kind !== "number") return null;
  const { min, max } = field;
  const least = min === null ? null : `${min.open ? "more than" : "at least"} ${min.value}`;
  const most = max === null ? null : `${max.open ? "less than" : "at most"} ${max.value}`;
  const words = [least, most].filter((part) => part !== null).join(", ");
  return words === "" ? null : words.charAt(0).toUpperCase() + words.slice(1);
}
