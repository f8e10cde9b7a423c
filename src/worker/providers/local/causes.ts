/** The line of a log that says what went wrong. */

/** How sure a form is to be the cause: what a test runner or runtime printed as the error, or a line that says so. */
export type CauseKind = "root" | "raised" | "stated";

export interface Cause {
  readonly at: number;
  readonly text: string;
  readonly kind: CauseKind;
}

const CAUSED_BY = /^\s*(?:Caused by|\[cause\]): (.+?)(?: \{)?$/;
const PYTEST = /^E {2,}(\S.*)$/;
const PANIC = /^(panic: .+?)(?: \[recovered\])?$/;
const RAISED =
  /^\s*(?:Exception in thread "[^"]*" |\[ERROR\]\s+|(?:Uncaught )|error: ')?([A-Za-z_$][\w.$]*(?:Error|Exception|Failure|Failed|Fault|Timeout)|Error|Exception)(?: \[\w+\])?(?:: (.*))?(?: \{)?$/;
const TIMEOUT = /^\s*(Test timeout of \d+ms exceeded.*)$/;
const GO_LINE = /^\s+\S+_test\.go:\d+: (\S.*)$/;
const TESTIFY = /^\s+Error:\s+(\S.*)$/;
const MATCHER = /^\s+(expect\((?:received|locator|page|string|jest\.fn\(\)).*)$/;
const TAP_ERROR = /^\s+error: (?:'(.+)'|"(.+)"|(\|-))$/;
const RUST_PANIC = /panicked at (?:'([^']+)', )?\S+\.rs:\d+:\d+:?$/;
const COMPILER = /^(?:\[ERROR\] )?\S+\.\w+[:(]\[?\d+[,:]\d+[\]):]{0,2}:? (?:fatal )?(?:error\b:? ?)?(\S.*)$/;
const STATED =
  /^(?:\[ERROR\]|ERROR:?|error(?:\[\w+\])?:|fatal:|FATAL:?|npm (?:ERR!|error)|✘ \[ERROR\]|Error:)\s+(\S.*)$/;

/** Words of a build tool around the failure, not the failure. */
const ABOUT_THE_BUILD =
  /^(?:Tests run:|Failures:|Errors:|Failed to execute goal|There are test failures|BUILD|-> \[Help|\[Help|To see the full|Re-run Maven|For more information|Please refer|See .* for|Command failed|Process completed|code \w+$|errno|Lifecycle script|A complete log)|Time elapsed:|<<< (?:FAILURE|ERROR)|^\S+:\d+ » /;

export function causeIn(lines: readonly string[], at: number): Cause | null {
  const line = lines[at] ?? "";
  const root = CAUSED_BY.exec(line);
  if (root?.[1] !== undefined) return { at, text: full(lines, at, root[1]), kind: "root" };
  const raised = raisedIn(lines, at, line);
  if (raised !== null) return { at, text: full(lines, at, raised), kind: "raised" };
  const stated = COMPILER.exec(line) ?? STATED.exec(line);
  const text = stated?.[1];
  if (text === undefined || ABOUT_THE_BUILD.test(text)) return null;
  return { at, text: full(lines, at, text), kind: "stated" };
}

function raisedIn(lines: readonly string[], at: number, line: string): string | null {
  const pytest = PYTEST.exec(line)?.[1];
  if (pytest !== undefined) return pytest;
  const plain = PANIC.exec(line)?.[1] ?? TIMEOUT.exec(line)?.[1] ?? TESTIFY.exec(line)?.[1] ?? MATCHER.exec(line)?.[1];
  if (plain !== undefined) return plain;
  const go = GO_LINE.exec(line)?.[1];
  // Testify prints a labelled block; its error line comes later.
  if (go !== undefined && !go.startsWith("Error Trace:")) return go;
  const tap = TAP_ERROR.exec(line);
  if (tap !== null) return tap[1] ?? tap[2] ?? lines[at + 1]?.trim() ?? null;
  const rust = RUST_PANIC.exec(line);
  if (rust !== null) return rust[1] ?? lines[at + 1]?.trim() ?? null;
  const error = RAISED.exec(line);
  if (error?.[1] === undefined) return null;
  return error[2] === undefined ? error[1] : `${error[1]}: ${error[2]}`;
}

const VALUES =
  /^\s*(?:E\s+)?[-+]?\s*(Expected|Received|expected|actual)(?: (?:string|pattern|value|substring))?\s*: +(\S.*)$/;
const VALUES_WITHIN = 14;
const TEXT_MAX = 300;

/** What Node prints above the difference of two values. */
const LEGEND = "+ actual - expected";

/** The first line on either side of a difference. */
function diffIn(lines: readonly string[]): string | null {
  const side = (sign: "+" | "-") => lines.find((line) => line.trim().startsWith(`${sign} `) && line.trim() !== LEGEND);
  const [actual, expected] = [side("+"), side("-")];
  if (actual === undefined || expected === undefined) return null;
  return `expected ${expected.trim().slice(2)}, actual ${actual.trim().slice(2)}`;
}

/** The sentence with what it leaves to the next lines: a text after a colon, expected and actual values. */
function full(lines: readonly string[], at: number, text: string): string {
  let whole = text.trim().replace(/\s+/g, " ");
  const following = lines.slice(at + 1, at + 1 + VALUES_WITHIN);
  const next = following.find((line) => line.trim() !== "" && line.trim() !== LEGEND)?.trim();
  const diff = following.some((line) => line.trim() === LEGEND) ? diffIn(following) : null;
  if (diff !== null) return `${whole.replace(/:$/, "")} (${diff})`.slice(0, TEXT_MAX);
  if (whole.endsWith(":") && next !== undefined) whole += ` ${next.replace(/^E\s+/, "")}`;
  const values: string[] = [];
  for (const line of following) {
    const match = VALUES.exec(line);
    if (match !== null && values.length < 2) values.push(`${match[1]?.toLowerCase()} ${match[2]}`);
  }
  if (values.length === 2 && !whole.includes(values[0] ?? "")) whole += ` (${values.join(", ")})`;
  return whole.slice(0, TEXT_MAX);
}
