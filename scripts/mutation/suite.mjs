/** As much of vitest as the policy's tests use: `describe`, `test` and an `expect` that is given; and fast-check with few, seeded runs. */
import { format } from "node:util";
import * as fastCheck from "fast-check";

/** Thousands of runs find what is rare; a mutant worth the name is not. */
const MAX_RUNS = 30;
/** Megabytes of YAML for seconds on end, to show that they take no minutes. */
const TOO_LONG = /an odd file is refused soon/;

const assert = (property, given) =>
  fastCheck.assert(property, {
    ...given,
    seed: given?.seed ?? 1,
    numRuns: Math.min(given?.numRuns ?? 100, MAX_RUNS),
    endOnFailure: true,
  });
const shortened = { ...fastCheck, assert, default: { ...fastCheck.default, assert } };

/** Collects the tests of whatever is loaded against `packages`. */
export function createSuite(expect) {
  const tests = [];
  const path = [];
  const seen = new Map();

  function add(name, run) {
    if (TOO_LONG.test(name)) return;
    const plain = [globalThis.__testFile__, ...path, name].join(" > ");
    const count = seen.get(plain) ?? 0;
    seen.set(plain, count + 1);
    tests.push({ id: count === 0 ? plain : `${plain} (${count + 1})`, run });
  }
  const pick = (args) => args.find((one) => typeof one === "function");

  const test = (name, ...rest) => add(name, pick(rest));
  test.each =
    (rows) =>
    (name, ...rest) => {
      const run = pick(rest);
      const spreads = rows.every(Array.isArray);
      for (const row of rows) {
        const args = spreads ? row : [row];
        add(titled(name, args), () => run(...args));
      }
    };
  const describe = (name, ...rest) => {
    path.push(name);
    pick(rest)();
    path.pop();
  };
  return { tests, packages: { vitest: { describe, expect, test, it: test }, "fast-check": shortened } };
}

function titled(name, args) {
  const [first] = args;
  const filled = name.replace(/\$(\w+)/g, (whole, key) =>
    Object(first) === first && key in first ? String(first[key]) : whole,
  );
  const holes = filled.match(/%[sjd]/g)?.length ?? 0;
  return format(filled, ...args.slice(0, holes));
}
