import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readFailureLog } from "./failure-log";

const DEMO = new URL("../../../../demo/failures/", import.meta.url);

test("every real log of the demo has a cause, a failed test and a place that is one of its sources", () => {
  const sources = readdirSync(new URL("sources/", DEMO), { recursive: true, encoding: "utf8" });
  const logs = readdirSync(DEMO).filter((name) => name.endsWith(".log"));
  expect(logs.length).toBeGreaterThan(0);
  for (const name of logs) {
    const finding = readFailureLog(readFileSync(new URL(name, DEMO), "utf8"));
    const file = finding?.location?.file.split("/").at(-1) ?? "";
    expect([name, sources.some((source) => source.endsWith(file))]).toEqual([name, file !== ""]);
    expect([name, finding?.test === null, finding?.cause === ""]).toEqual([name, false, false]);
  }
});

const SUREFIRE = `
[INFO] Running com.acme.cart.CartTest
[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0, Time elapsed: 0.052 s <<< FAILURE! -- in com.acme.cart.CartTest
[ERROR] com.acme.cart.CartTest.totalOfSavedCart -- Time elapsed: 0.011 s <<< ERROR!
java.lang.IllegalStateException: cart could not be loaded
	at com.acme.cart.CartStore.load(CartStore.java:41)
	at com.acme.cart.CartTest.totalOfSavedCart(CartTest.java:27)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)
Caused by: java.io.UncheckedIOException: reading carts.json
	at org.springframework.core.io.Resources.read(Resources.java:90)
	... 5 more
Caused by: java.io.FileNotFoundException: carts.json (No such file or directory)
	at java.base/java.io.FileInputStream.open0(Native Method)
	at com.acme.io.Files.slurp(Files.java:12)
	... 9 more

[ERROR] Errors:
[ERROR]   CartTest.totalOfSavedCart:27 » IllegalState cart could not be loaded
[ERROR] Tests run: 12, Failures: 0, Errors: 1, Skipped: 2
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project cart: There are test failures.`;

test("surefire: the last cause of the chain, the first own frame under it, the total of the run", () => {
  expect(readFailureLog(SUREFIRE)).toEqual({
    cause: "java.io.FileNotFoundException: carts.json (No such file or directory)",
    location: { file: "Files.java", line: 12 },
    test: "com.acme.cart.CartTest.totalOfSavedCart",
    failed: 1,
    passed: 9,
    confidence: 0.8,
  });
});

test("pytest through a library: the innermost frame outside site-packages", () => {
  const log = `
=================================== FAILURES ===================================
_________________________________ test_fetch __________________________________

    def test_fetch():
>       fetch("http://shop.invalid")

tests/test_fetch.py:7:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

src/fetch.py:21: in fetch
    return client.get(url)
.venv/lib/python3.12/site-packages/httpx/_client.py:1027: in get
    raise mapped_exc(message) from exc
E   httpx.ConnectError: [Errno -2] Name or service not known

.venv/lib/python3.12/site-packages/httpx/_transports/default.py:118: ConnectError
=========================== short test summary info ============================
FAILED tests/test_fetch.py::test_fetch - httpx.ConnectError: [Errno -2] Name ...
========================= 1 failed, 14 passed in 0.71s =========================`;
  const finding = readFailureLog(log);
  expect(finding?.cause).toBe("httpx.ConnectError: [Errno -2] Name or service not known");
  expect(finding?.location).toEqual({ file: "src/fetch.py", line: 21 });
  expect([finding?.test, finding?.failed, finding?.passed]).toEqual(["test_fetch", 1, 14]);
});

test("unittest: the error at the end of the traceback, the call nearest to it", () => {
  const log = `
F.
======================================================================
FAIL: test_total (tests.test_cart.CartTest.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/runner/work/shop/shop/tests/test_cart.py", line 9, in test_total
    self.assertEqual(total([1, 2]), 4)
  File "/usr/lib/python3.12/unittest/case.py", line 885, in assertEqual
    assertion_func(first, second, msg=msg)
AssertionError: 3 != 4

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)`;
  expect(readFailureLog(log)).toMatchObject({
    cause: "AssertionError: 3 != 4",
    location: { file: "tests/test_cart.py", line: 9 },
    test: "tests.test_cart.CartTest.test_total",
    failed: 1,
  });
});

test("Vitest: the first own frame, not the runner's; tests are counted, not files", () => {
  const log = `
 ❯ src/cart.test.ts (2 tests | 1 failed) 5ms
   × adds up 3ms
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯
 FAIL  src/cart.test.ts > cart > adds up
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ node_modules/vitest/dist/chunks/expect.js:12:3
 ❯ src/cart.test.ts:6:23
      4| test("adds up", () => {

 Test Files  1 failed (1)
      Tests  1 failed | 4 passed (5)`;
  const finding = readFailureLog(log);
  expect(finding?.cause).toBe("AssertionError: expected 3 to be 4 // Object.is equality");
  expect(finding?.location).toEqual({ file: "src/cart.test.ts", line: 6 });
  expect([finding?.test, finding?.failed, finding?.passed]).toEqual(["src/cart.test.ts > cart > adds up", 1, 4]);
});

test("TAP: the error of the YAML block and its stack", () => {
  const log = `TAP version 13
# Subtest: total
not ok 1 - total
  ---
  duration_ms: 1.2
  location: '/app/test/cart.test.js:4:1'
  failureType: 'testCodeFailure'
  error: 'cart is empty'
  code: 'ERR_TEST_FAILURE'
  stack: |-
    total (file:///app/lib/cart.js:9:11)
    at TestContext.<anonymous> (file:///app/test/cart.test.js:5:3)
  ...
1..1
# pass 0
# fail 1`;
  expect(readFailureLog(log)).toMatchObject({ cause: "cart is empty", test: "total", failed: 1, passed: 0 });
  expect(readFailureLog(log)?.location?.file).toBe("test/cart.test.js");
});

test("go test with testify, cargo test, Jest, a compiler", () => {
  const testify = `
--- FAIL: TestTotal (0.00s)
    cart_test.go:14:
        	Error Trace:	/builds/acme/shop/cart_test.go:14
        	Error:      	Not equal:
        	            	expected: 4
        	            	actual  : 3
        	Test:       	TestTotal
FAIL`;
  expect(readFailureLog(testify)).toMatchObject({ test: "TestTotal", failed: 1, location: { line: 14 } });
  expect(readFailureLog(testify)?.cause).toContain("Not equal: expected: 4");

  const cargo = `
---- cart::tests::adds_up stdout ----

thread 'cart::tests::adds_up' panicked at src/cart.rs:31:9:
assertion \`left == right\` failed
  left: 3
 right: 4

test result: FAILED. 6 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out`;
  expect(readFailureLog(cargo)).toMatchObject({
    cause: "assertion `left == right` failed",
    location: { file: "src/cart.rs", line: 31 },
    test: "cart::tests::adds_up",
    failed: 1,
    passed: 6,
  });

  const jest = `
  ● cart › adds up

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

      at Object.toBe (src/cart.test.js:5:19)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 3 passed, 4 total`;
  expect(readFailureLog(jest)).toMatchObject({ test: "cart › adds up", failed: 1, passed: 3 });
  expect(readFailureLog(jest)?.cause).toContain("expect(received).toBe(expected)");

  const tsc = "src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.";
  const compiled = readFailureLog(`> tsc --noEmit\n\n${tsc}\nFound 1 error.`);
  expect(compiled?.cause).toBe("TS2322: Type 'string' is not assignable to type 'number'.");
  expect(compiled?.location).toEqual({ file: "src/cart.ts", line: 12 });
});

test("colours, time stamps and marks of CI systems do not hide the failure", () => {
  const esc = String.fromCharCode(27);
  const plain = "Traceback (most recent call last):\n  File \"src/a.py\", line 3, in f\nKeyError: 'x'";
  const dressed = plain
    .split("\n")
    .map((line) => `2026-11-30T10:00:00.1234567Z ${esc}[31m${line}${esc}[0m\r\n`)
    .join("");
  expect(readFailureLog(dressed)).toEqual(readFailureLog(plain));
  expect(readFailureLog(dressed)?.cause).toBe("KeyError: 'x'");
});

test("prose is no failure log, not even about errors", () => {
  expect(readFailureLog("The committee met on Tuesday. Several errors in the minutes were corrected.")).toBeNull();
  expect(readFailureLog("")).toBeNull();
});

test("any text is read in bounded work: only 200,000 characters of it, lines cut", () => {
  const long = `${"x".repeat(300_000)}\n${SUREFIRE}`;
  expect(readFailureLog(long)?.cause).toContain("FileNotFoundException");
  for (const text of [
    " > ".repeat(80_000),
    "Error".repeat(50_000),
    "a.b:1:".repeat(40_000),
    "(".repeat(240_000),
    "\n".repeat(300_000),
  ])
    expect(() => readFailureLog(text)).not.toThrow();
});
