/** The arming guard of `arming.ts`, fed by the page's keyboard for as long as the caller lives. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { ARM_MS, createGuard, type Guard } from "./arming";

const now = () => performance.now();

export interface LiveGuard {
  /** Whether allow may be pressed; false again when `terms` change. */
  readonly armed: Accessor<boolean>;
  readonly mayClick: (kind: "allow" | "deny", event: MouseEvent) => boolean;
}

/** One for the page, so that a key held since before a dialog is known when it appears. */
export function createPageGuard(): Guard {
  const guard = createGuard();
  const down = (event: KeyboardEvent) => guard.keyDown({ code: event.code, repeat: event.repeat }, now());
  const up = (event: KeyboardEvent) => guard.keyUp(event.code, now());
  window.addEventListener("keydown", down, { capture: true });
  window.addEventListener("keyup", up, { capture: true });
  window.addEventListener("blur", guard.blurred);
  onCleanup(() => {
    window.removeEventListener("keydown", down, { capture: true });
    window.removeEventListener("keyup", up, { capture: true });
    window.removeEventListener("blur", guard.blurred);
  });
  return guard;
}

export function useGuard(guard: Guard, terms: Accessor<string>): LiveGuard {
  const [armed, setArmed] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = () => {
    guard.shown(now());
    setArmed(false);
    clearTimeout(timer);
    timer = setTimeout(() => setArmed(true), ARM_MS);
  };
  createEffect(on(terms, arm));
  // Nobody saw it while the tab or the window was behind another, and a click that was meant for what lay in front
  // must not allow anything; nor one aimed at where a button stood before the window changed its size.
  const events = [
    [document, "visibilitychange"],
    [window, "focus"],
    [window, "resize"],
  ] as const;
  for (const [target, name] of events) target.addEventListener(name, arm);
  onCleanup(() => {
    clearTimeout(timer);
    for (const [target, name] of events) target.removeEventListener(name, arm);
  });
  return {
    armed,
    // A click without a pointer has no detail: Enter, Space, or assistive technology.
    mayClick: (kind, event) => guard.mayClick(kind, event.detail, now()),
  };
}
