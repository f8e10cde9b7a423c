/**
 * K4: what may press the buttons of a consent. Allow arms 600 ms after its dialog appeared, and neither a key held
 * since before nor one that repeats, nor the second half of a double click, ever presses anything. A key presses Deny
 * after those 600 ms too: a dialog takes the focus of whoever is typing, and their next space is no answer. Kept apart
 * from the DOM so that it can be tested.
 */
export const ARM_MS = 600;

export interface KeyPress {
  readonly code: string;
  readonly repeat: boolean;
}

export interface Guard {
  /** A dialog appeared, moved, was replaced or came back into sight: what was allowed before no longer is. */
  readonly shown: (now: number) => void;
  readonly armed: (now: number) => boolean;
  /** Every keydown of the page, in capture. */
  readonly keyDown: (press: KeyPress, now: number) => void;
  readonly keyUp: (code: string, now: number) => void;
  /** The page lost sight of the keyboard. */
  readonly blurred: () => void;
  /** Whether a click may act now. `clicks`: how many in a row at this place; 0 where no pointer was involved. */
  readonly mayClick: (kind: "allow" | "deny", clicks: number, now: number) => boolean;
}

/** Modifier keys do not press buttons; holding one says nothing. */
const MODIFIER = /^(Shift|Control|Alt|Meta|OS|CapsLock|NumLock|Fn)/;

/** Keys that press a focused button. */
const PRESSES = /^(Enter|NumpadEnter|Space)$/;

export function createGuard(): Guard {
  let shownAt = Number.POSITIVE_INFINITY;
  /** Keys down now, with when each press began. */
  const held = new Map<string, { readonly since: number }>();
  /** The newest press of such a key; a space presses by being released. */
  let lastPress: { readonly since: number; readonly upAt: number } | null = null;

  const armed = (now: number) => now - shownAt >= ARM_MS;
  const inTime = (since: number) => since - shownAt >= ARM_MS;

  return {
    shown: (now) => {
      shownAt = now;
      lastPress = null;
    },
    armed,
    keyDown: ({ code, repeat }, now) => {
      if (MODIFIER.test(code)) return;
      if (repeat) {
        // Its press was before anybody listened: it counts as held since ever.
        if (!held.has(code)) held.set(code, { since: Number.NEGATIVE_INFINITY });
        return;
      }
      held.set(code, { since: now });
      if (PRESSES.test(code)) lastPress = { since: now, upAt: Number.POSITIVE_INFINITY };
    },
    keyUp: (code, now) => {
      const press = held.get(code);
      held.delete(code);
      if (press !== undefined && PRESSES.test(code)) lastPress = { ...press, upAt: now };
    },
    blurred: () => {
      held.clear();
      lastPress = null;
    },
    mayClick: (kind, clicks, now) => {
      if (kind === "allow" && !armed(now)) return false;
      const down = [...held.values()];
      if (clicks > 0) return clicks === 1 && (kind === "deny" || down.length === 0);
      if (down.length > 1 || !down.every(({ since }) => inTime(since))) return false;
      // Long after it, a click without a pointer is assistive technology's.
      return lastPress === null || now - lastPress.upAt > ARM_MS || inTime(lastPress.since);
    },
  };
}
