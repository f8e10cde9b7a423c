/** Where a log says that a test failed, which, and how many did. */

export interface FailedTest {
  readonly at: number;
  readonly name: string;
}

/** Each names the test in its first group, or in its first and second. */
const HEADERS: readonly RegExp[] = [
  /^_{3,} (.+?) _{3,}$/, // pytest
  /^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)/, // unittest
  /^\[ERROR\]\s+(\S.*?)\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!/, // surefire
  /^(\S+) > (.+?) FAILED$/, // Gradle
  /^\s*--- FAIL: (\S+) \(/, // go test
  /^---- (\S+) stdout ----$/, // cargo test
  /^\s*not ok \d+ - (.+)$/, // TAP
  /^\s*(?:✖|✘|×) (?!failing tests)(.+?)(?: \(?\d+(?:\.\d+)?m?s\)?)?$/, // node:test, Mocha, Vitest
  /^\s*FAIL\s+(\S+ > .+)$/, // Vitest
  /^\s*● (.+ › .+)$/, // Jest
  /^\s+\d+\) (?:\[[^\]]+\] › )?(\S+:\d+:\d+ › .+?)[ ─]*$/, // Playwright
];

export function failedTestIn(line: string, at: number): FailedTest | null {
  for (const header of HEADERS) {
    const match = header.exec(line);
    if (match?.[1] === undefined) continue;
    const inner = header.source.startsWith("^(?:FAIL|ERROR)") && match[2] !== undefined ? `${match[2]}.` : "";
    const outer = header.source.startsWith("^(\\S+) >") && match[2] !== undefined ? ` > ${match[2]}` : "";
    return { at, name: `${inner}${match[1]}${outer}`.trim() };
  }
  return null;
}

export interface Counts {
  readonly failed: number | null;
  readonly passed: number | null;
}

const SUREFIRE = /Tests run: (\d+), Failures: (\d+), Errors: (\d+)(?:, Skipped: (\d+))?/;
const UNITTEST = /^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?/;
const NODE = /^(?:#|ℹ) (fail|pass) (\d+)$/;
const SUMMARY = /(?:^|[\s:,=])(\d+) (?:tests? )?(failed|failures?|passed|passing|failing)\b/g;

/** The last summary a runner printed; null where it printed none. */
export function countsIn(lines: readonly string[]): Counts {
  let failed: number | null = null;
  let passed: number | null = null;
  for (const line of lines) {
    const surefire = SUREFIRE.exec(line);
    if (surefire !== null) {
      const [run, failures, errors, skipped] = surefire.slice(1).map((count) => Number(count ?? 0));
      failed = (failures ?? 0) + (errors ?? 0);
      passed = (run ?? 0) - failed - (skipped ?? 0);
      continue;
    }
    const unittest = UNITTEST.exec(line);
    if (unittest !== null) failed = Number(unittest[1] ?? 0) + Number(unittest[2] ?? 0);
    const node = NODE.exec(line.trim());
    if (node?.[1] === "fail") failed = Number(node[2]);
    if (node?.[1] === "pass") passed = Number(node[2]);
    // `Test Files  1 failed (1)` counts files, not tests.
    if (/^\s*(?:Test Files|Test Suites|Suites)\b/.test(line)) continue;
    for (const [, count, word] of line.matchAll(SUMMARY)) {
      if (word?.startsWith("fail")) failed = Number(count);
      else passed = Number(count);
    }
  }
  return { failed, passed };
}
