/** Where a log says that a test failed, which, and how many did. */

export interface FailedTest {
  readonly at: number;
  readonly name: string;
}

interface Heading {
  readonly pattern: RegExp;
  /** Class and method, or suite and case, where the heading has both; else its first group alone. */
  readonly name?: (first: string, second: string) => string;
}

const HEADINGS: readonly Heading[] = [
  { pattern: /^_{3,} (.+?) _{3,}$/ }, // pytest
  { pattern: /^(?:FAIL: |ERROR: |\d+\) )(\w+) ?\(([\w.$]+)\)/, name: qualified }, // unittest, JUnit 4
  { pattern: /^\[ERROR\]\s+(\S.*?)\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!/ }, // surefire
  { pattern: /^(\S+) > (.+?) FAILED$/, name: (suite, method) => `${suite} > ${method}` }, // Gradle
  { pattern: /^\s*--- FAIL: (\S+) \(/ }, // go test
  { pattern: /^---- (\S+) stdout ----$/ }, // cargo test
  { pattern: /^\s*not ok \d+ - (.+)$/ }, // TAP
  { pattern: /^\s*(?:✖|✘|×) (?!failing tests)(.+?)(?: \(?\d+(?:\.\d+)?m?s\)?)?$/ }, // node:test, Mocha, Vitest
  { pattern: /^\s*FAIL\s+(\S+ > .+)$/ }, // Vitest
  { pattern: /^\s*● (.+ › .+)$/ }, // Jest
  { pattern: /^\s+\d+\) (?:\[[^\]]+\] › )?(\S+:\d+:\d+ › .+?)[ ─]*$/ }, // Playwright
];

export function failedTestIn(line: string, at: number): FailedTest | null {
  for (const { pattern, name } of HEADINGS) {
    const [, first, second = ""] = pattern.exec(line) ?? [];
    if (first !== undefined) return { at, name: (name?.(first, second) ?? first).trim() };
  }
  return null;
}

/** Newer Pythons put the method behind the class themselves. */
function qualified(method: string, owner: string): string {
  return owner.endsWith(`.${method}`) ? owner : `${owner}.${method}`;
}

export interface Counts {
  readonly failed: number | null;
  readonly passed: number | null;
}

const SUREFIRE = /Tests run: (\d+),\s+Failures: (\d+)(?:, Errors: (\d+))?(?:, Skipped: (\d+))?/;
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
