/** What is read from storage at the start: where that fails, as where storage is refused, once storage works again (D4). */

export interface Loading {
  /** Never rejects. Reads everything, one part's failure being no other's; calls meanwhile share it. */
  load(): Promise<void>;
  /** Storage works or does not, as it was found just now. */
  note(works: boolean): void;
}

export function createLoading(parts: readonly (() => Promise<unknown>)[]): Loading {
  let running: Promise<void> | null = null;
  let missed = false;

  async function loadOnce(): Promise<void> {
    missed = false;
    const outcomes = await Promise.allSettled(parts.map((part) => part()));
    if (outcomes.some(({ status }) => status === "rejected")) missed = true;
    running = null;
  }

  function load(): Promise<void> {
    running ??= loadOnce();
    return running;
  }

  return {
    load,
    note(works) {
      // What this tab could only remember while storage failed is stored by loading too.
      if (!works) missed = true;
      // A part that is being read tells by its own end whether it was.
      else if (missed && running === null) void load();
    },
  };
}
