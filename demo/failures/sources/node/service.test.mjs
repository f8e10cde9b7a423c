import assert from "node:assert/strict";
import { test } from "node:test";
import { configFor, perMinute } from "./lib/config.mjs";
import { Queue } from "./lib/queue.mjs";
import { slug } from "./lib/slug.mjs";

test("a failing job does not stop the queue", async () => {
  const queue = new Queue();
  queue.add(() => Promise.reject(new Error("mail server said 421"))).catch(() => undefined);
  await queue.add(() => "second");
  assert.deepEqual(queue.results, ["second"]);
});

test("a tenant may set one limit and keep the others", () => {
  assert.equal(perMinute(configFor({ limits: { perDay: 500 } })), "60");
});

test("a title becomes an address", () => {
  assert.equal(slug("  Crème brûlée, twice! "), "creme-brulee-twice");
});
