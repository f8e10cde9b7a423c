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
  const up = (event: KeyboardEvent) => guard.keyUp(event.code);
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
  createEffect(
    on(terms, () => {
      guard.shown(now());
      setArmed(false);
      const timer = setTimeout(() => setArmed(true), ARM_MS);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  return {
    armed,
    // A click without a pointer has no detail: Enter, Space, or assistive technology.
    mayClick: (kind, event) => guard.mayClick(kind, event.detail === 0, now()),
  };
}
