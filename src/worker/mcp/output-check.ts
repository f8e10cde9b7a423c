/** Whether structured output fits the tool's own schema. A mismatch is a remark beside the result, never its loss. */
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { deeperThan, isMembers, MAX_DEPTH } from "./frame";

const MAX_SCHEMA_CHARS = 64 * 1024;
/** References that each point at two others double the work with every step. */
const MAX_REFS = 20;
/** Keywords a server could make take for ever: expressions that backtrack, comparisons of all with all. */
const SKIPPED = new Set(["pattern", "patternProperties", "format", "uniqueItems"]);
const NOT_CHECKED = "The structured output was not checked: the tool's output schema cannot be used.";

/** Returns a warning, or null where it fits or there is nothing to check. */
export function outputProblem(schema: unknown, structured: unknown): string | null {
  if (schema === undefined) return null;
  if (structured === undefined) return "The tool promises structured output and sent none.";
  if (!isMembers(schema) || deeperThan(schema, MAX_DEPTH)) return NOT_CHECKED;
  const text = JSON.stringify(schema);
  if (text.length > MAX_SCHEMA_CHARS || text.split('"$ref"').length - 1 > MAX_REFS) return NOT_CHECKED;
  const bounded: unknown = JSON.parse(text, (key, value: unknown) => {
    return SKIPPED.has(key) && !(key !== "patternProperties" && isMembers(value)) ? undefined : value;
  });
  try {
    // References are resolved within the schema only; one that leads out of it fails here, and nothing is fetched.
    const validate = new CfWorkerJsonSchemaValidator().getValidator(bounded as never);
    const { valid } = validate(structured);
    return valid ? null : "The structured output does not fit the tool's own output schema.";
  } catch {
    return NOT_CHECKED;
  }
}
