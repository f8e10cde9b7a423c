import { expect, test } from "vitest";
import { ARM_MS, createGuard } from "./arming";

test("[K4] allow arms 600 ms after its dialog appeared", () => {
  const guard = createGuard();
  expect(guard.mayClick("allow", 1, 10_000)).toBe(false);
  guard.shown(10_000);
  expect(guard.mayClick("allow", 1, 10_000 + ARM_MS - 1)).toBe(false);
  expect(guard.mayClick("allow", 1, 10_000 + ARM_MS)).toBe(true);
});

test("[K4] a replaced dialog starts the wait again", () => {
  const guard = createGuard();
  guard.shown(0);
  guard.shown(5_000);
  expect(guard.mayClick("allow", 1, 5_100)).toBe(false);
  expect(guard.mayClick("allow", 1, 5_600)).toBe(true);
});

test("[K4] a key held since before the dialog presses nothing, however long it is held", () => {
  const guard = createGuard();
  guard.keyDown({ code: "Enter", repeat: false }, 0);
  guard.shown(100);
  guard.keyDown({ code: "Enter", repeat: true }, 900);
  expect(guard.mayClick("allow", 0, 5_000)).toBe(false);
  expect(guard.mayClick("deny", 0, 5_000)).toBe(false);
  guard.keyUp("Enter", 5_050);
  guard.keyDown({ code: "Enter", repeat: false }, 5_100);
  expect(guard.mayClick("allow", 0, 5_100)).toBe(true);
});

test("[K4] a key that only ever repeats was held before anybody listened, and presses nothing", () => {
  const guard = createGuard();
  guard.shown(0);
  guard.keyDown({ code: "Enter", repeat: true }, 2_000);
  expect(guard.mayClick("deny", 0, 2_000)).toBe(false);
  expect(guard.mayClick("allow", 0, 2_000)).toBe(false);
});

test("[K4] a press that began before allow was armed does not press it by being released later", () => {
  const guard = createGuard();
  guard.shown(0);
  guard.keyDown({ code: "Space", repeat: false }, 300);
  guard.keyUp("Space", 650);
  expect(guard.mayClick("allow", 0, 700)).toBe(false);
});

test("[K4] a pointer does not press allow while any key is held", () => {
  const guard = createGuard();
  guard.shown(0);
  guard.keyDown({ code: "KeyA", repeat: false }, 1_000);
  expect(guard.mayClick("allow", 1, 1_100)).toBe(false);
  guard.keyUp("KeyA", 1_150);
  expect(guard.mayClick("allow", 1, 1_200)).toBe(true);
});

test("[K4] a pointer on deny needs no wait, and assistive technology presses without keys", () => {
  const guard = createGuard();
  guard.shown(0);
  expect(guard.mayClick("deny", 1, 1)).toBe(true);
  expect(guard.mayClick("deny", 0, 2)).toBe(true);
  guard.keyDown({ code: "Enter", repeat: false }, 700);
  expect(guard.mayClick("deny", 0, 700)).toBe(true);
  guard.keyUp("Enter", 750);
  guard.shown(1_000);
  expect(guard.mayClick("allow", 0, 1_700)).toBe(true);
});

test("[K4] whoever was typing when the dialog took the focus does not deny by the next key", () => {
  const guard = createGuard();
  guard.shown(0);
  guard.keyDown({ code: "Space", repeat: false }, 200);
  guard.keyUp("Space", 200);
  expect(guard.mayClick("deny", 0, 200)).toBe(false);
});

test("[K4] the second half of a double click answers nothing, whatever stands under it by then (K7-12)", () => {
  const guard = createGuard();
  guard.shown(0);
  expect(guard.mayClick("allow", 2, 5_000)).toBe(false);
  expect(guard.mayClick("deny", 2, 5_000)).toBe(false);
});

test("[K4] a space held since before the dialog presses nothing by being let go after it armed", () => {
  const guard = createGuard();
  guard.keyDown({ code: "Space", repeat: false }, 0);
  guard.shown(100);
  guard.keyDown({ code: "Space", repeat: true }, 900);
  guard.keyUp("Space", 1_000);
  expect(guard.mayClick("allow", 0, 1_000)).toBe(false);
  expect(guard.mayClick("deny", 0, 1_000)).toBe(false);
  // Nobody pressed a key for a while: this is assistive technology.
  expect(guard.mayClick("allow", 0, 1_700)).toBe(true);
});
