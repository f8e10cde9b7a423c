/** Reads a failure log the way a person skims one: which test, what it said, which of our own lines. */
import { type Cause, causeIn } from "./causes";
import { type Counts, countsIn, type FailedTest, failedTestIn } from "./failures";
import { type Frame, frameIn } from "./frames";
import { linesOf } from "./lines";

export interface Finding extends Counts {
  readonly cause: string;
  readonly location: { readonly file: string; readonly line: number } | null;
  readonly test: string | null;
  /** 0 to 1: how much of a failure's usual structure was found; not how likely the reading is right. */
  readonly confidence: number;
}

/** Lines of one failure looked at after its heading. */
const REGION = 200;

/** Null where the text is no failure log. */
export function readFailureLog(text: string): Finding | null {
  const lines = linesOf(text);
  const tests = present(lines.map(failedTestIn));
  const causes = present(lines.map((_, at) => causeIn(lines, at)));
  const frames = present(lines.map(frameIn));
  const cause = chosenCause(causes, tests, lines);
  if (cause === null) return null;
  if (cause.kind === "stated" && tests.length === 0 && frames.length === 0 && lines.length < 3) return null;
  const counts = countsIn(lines);
  const test = chosenTest(tests, cause);
  const frame = chosenFrame(frames, cause);
  const location = frame === null ? null : { file: frame.file, line: frame.line };
  const failed = counts.failed ?? (tests.length > 0 ? new Set(tests.map(({ name }) => name)).size : null);
  return {
    cause: cause.text,
    location,
    test: test?.name ?? null,
    failed,
    passed: counts.passed,
    confidence: confidenceOf(cause, frame, test, failed),
  };
}

/** Inside the first failed test where it says anything, else in the whole log. */
function chosenCause(causes: readonly Cause[], tests: readonly FailedTest[], lines: readonly string[]): Cause | null {
  for (const test of tests) {
    const inside = causes.filter(({ at }) => at > test.at && at <= test.at + REGION && !isPast(test, tests, at));
    const found = best(inside, lines);
    if (found !== null && found.kind !== "stated") return found;
  }
  return best(causes, lines);
}

/** Past another test's heading, unless that is the same failure told again or a part of it. */
function isPast(test: FailedTest, tests: readonly FailedTest[], at: number): boolean {
  return tests.some((other) => other.at > test.at && other.at < at && !other.name.startsWith(test.name));
}

function best(causes: readonly Cause[], lines: readonly string[]): Cause | null {
  const raised = causes.find(({ kind }) => kind === "raised");
  const root = lastOfFirstChain(causes, lines);
  // A root belongs to what was raised just before it; one elsewhere is another story.
  if (root !== null && (raised === undefined || raised.at < root.at || root.at < raised.at - REGION)) return root;
  return raised ?? root ?? causes[0] ?? null;
}

/** "Caused by" lines with nothing but frames between them are one chain, and its end is the root. */
function lastOfFirstChain(causes: readonly Cause[], lines: readonly string[]): Cause | null {
  let last: Cause | null = null;
  for (const cause of causes) {
    if (cause.kind !== "root") continue;
    if (last !== null && lines.slice(last.at + 1, cause.at).some((line) => line.trim() === "")) break;
    last = cause;
  }
  return last;
}

/** The heading before the cause; of nested ones the innermost. Node's summary and TAP print it after. */
function chosenTest(tests: readonly FailedTest[], cause: Cause): FailedTest | null {
  return tests.findLast(({ at }) => at <= cause.at) ?? tests[0] ?? null;
}

function chosenFrame(frames: readonly Frame[], cause: Cause): Frame | null {
  const own = frames.filter((frame) => frame.own);
  const after = own.find(({ at }) => at >= cause.at && at <= cause.at + REGION);
  const before = own.findLast(({ at }) => at < cause.at && at >= cause.at - REGION);
  // A Python traceback ends in the error: its innermost own call stands before. pytest adds the place right after.
  if (before?.innermost === "last" && (after === undefined || after.at > cause.at + 40)) return before;
  return after ?? before ?? own[0] ?? null;
}

function confidenceOf(cause: Cause, frame: Frame | null, test: FailedTest | null, failed: number | null): number {
  let found = cause.kind === "stated" ? 30 : 50;
  if (frame !== null) found += 20;
  if (test !== null) found += 10;
  // Only the first failure was read.
  if (failed !== null && failed > 1) found -= 10;
  return found / 100;
}

function present<T>(found: readonly (T | null)[]): T[] {
  return found.filter((one) => one !== null);
}
