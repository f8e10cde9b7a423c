/** Whether structured output fits the tool's own schema. A mismatch is a remark beside the result, never its loss. */
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { deeperThan, isMembers, MAX_DEPTH } from "./frame";
import { expanded, sizeOf } from "./schema-size";

const MAX_SCHEMA_CHARS = 64 * 1024;
/** Parts of a schema, its references followed, times parts of the output: the validator looks at no pair twice. */
const MAX_WORK = 2_000_000;
/** Keywords a server could make take for ever: expressions that backtrack, comparisons of all with all. */
const SKIPPED = new Set(["pattern", "patternProperties", "format", "uniqueItems"]);
const NOT_CHECKED = "The structured output was not checked: the tool's output schema cannot be used.";
const TOO_MUCH = "The structured output was not checked: together with the tool's output schema it is too large.";

/** A schema that could not be used anyway is not kept. */
export function boundedOutputSchema(schema: unknown): unknown {
  if (schema === undefined) return undefined;
  const usable = isMembers(schema) && !deeperThan(schema, MAX_DEPTH);
  return usable && JSON.stringify(schema).length <= MAX_SCHEMA_CHARS ? schema : null;
}

/** Returns a warning, or null where it fits or there is nothing to check. */
export function outputProblem(schema: unknown, structured: unknown): string | null {
  if (schema === undefined) return null;
  if (structured === undefined) return "The tool promises structured output and sent none.";
  const bounded = boundedOutputSchema(schema);
  if (!isMembers(bounded)) return NOT_CHECKED;
  const plain: unknown = JSON.parse(JSON.stringify(bounded), (key, value: unknown) => {
    return SKIPPED.has(key) && !(key !== "patternProperties" && isMembers(value)) ? undefined : value;
  });
  const { parts, depth } = sizeOf(structured, MAX_WORK);
  const whole = expanded(plain, depth, Math.floor(MAX_WORK / parts));
  if (whole === "outside") return NOT_CHECKED;
  if (whole === "too large") return TOO_MUCH;
  try {
    const { valid } = new CfWorkerJsonSchemaValidator().getValidator(whole as never)(structured);
    return valid ? null : "The structured output does not fit the tool's own output schema.";
  } catch {
    return NOT_CHECKED;
  }
}
