/**
 * Runs the policy's tests for Stryker in one process. The policy is pure, so its tests need no isolation: they are bundled
 * once, collected once, and each mutant costs only the tests that reach it. Through vitest, which starts a worker per test
 * file and mutant, the same takes thirty times as long.
 */
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { policyTests } from "./bundle.mjs";
import { createExpect } from "./expect.mjs";
import { createSuite } from "./suite.mjs";

/** Where instrumented code looks for the mutant that is active, and leaves what it came by. */
function namespace() {
  globalThis.__stryker__ ??= {};
  return globalThis.__stryker__;
}

class PolicyRunner {
  static inject = [];
  #collect = () => undefined;
  #expect = createExpect();
  #suite = null;
  /** The mutant the modules were loaded under, if it was there from the start. */
  #loadedUnder;
  #slowness = new Map();
  #ns = namespace();

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // Not before: Stryker changes into its copy of the project after it has loaded this file.
    this.#collect = await policyTests(process.cwd());
  }

  #load(mutant) {
    this.#ns.activeMutant = mutant;
    this.#ns.currentTestId = undefined;
    this.#loadedUnder = mutant;
    this.#suite = createSuite(this.#expect);
    this.#collect(this.#suite.packages);
  }

  async #run(tests, disableBail) {
    const results = [];
    for (const { id, run } of tests) {
      const startedAt = performance.now();
      this.#ns.currentTestId = id;
      let failure = null;
      try {
        await run();
      } catch (error) {
        failure = String(error?.message ?? error);
      }
      this.#ns.currentTestId = undefined;
      results.push({ id, failure, ms: performance.now() - startedAt });
      if (failure !== null && !disableBail) break;
    }
    return results;
  }

  async dryRun() {
    this.#ns.mutantCoverage = undefined;
    this.#ns.hitLimit = undefined;
    try {
      this.#load(undefined);
    } catch (error) {
      return { status: "error", errorMessage: error.stack };
    }
    const results = await this.#run(this.#suite.tests, true);
    for (const { id, ms } of results) this.#slowness.set(id, ms);
    const tests = results.map(({ id, failure, ms }) => ({
      id,
      name: id,
      timeSpentMs: ms,
      ...(failure === null ? { status: 0 } : { status: 1, failureMessage: failure }),
    }));
    return { status: "complete", tests, mutantCoverage: this.#ns.mutantCoverage };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit, disableBail }) {
    const isStatic = mutantActivation === "static";
    this.#ns.hitCount = 0;
    this.#ns.hitLimit = hitLimit;
    try {
      if (isStatic) this.#load(activeMutant.id);
      else if (this.#suite === null || this.#loadedUnder !== undefined) this.#load(undefined);
    } catch (error) {
      // Tables that do not load, or tests that find none: no product could start with it.
      return { status: "killed", killedBy: [this.#anyTest()], failureMessage: String(error), nrOfTests: 0 };
    }
    this.#ns.activeMutant = activeMutant.id;
    const wanted = testFilter === undefined ? null : new Set(testFilter);
    const chosen = this.#suite.tests.filter(({ id }) => wanted === null || wanted.has(id));
    const slowness = ({ id }) => this.#slowness.get(id) ?? 0;
    const results = await this.#run(
      chosen.toSorted((one, other) => slowness(one) - slowness(other)),
      disableBail,
    );
    this.#ns.activeMutant = undefined;
    if (hitLimit !== undefined && this.#ns.hitCount > hitLimit)
      return { status: "timeout", reason: "it went on and on" };
    const failed = results.filter(({ failure }) => failure !== null);
    if (failed.length === 0) return { status: "survived", nrOfTests: results.length };
    return {
      status: "killed",
      killedBy: failed.map(({ id }) => id),
      failureMessage: failed[0].failure,
      nrOfTests: results.length,
    };
  }

  #anyTest() {
    return this.#slowness.keys().next().value ?? "";
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "policy", PolicyRunner)];
