/** Remarks about a list of tools: the same fault in a thousand tools is one sentence, and a million faults are a few. */

const MAX_LINES = 10;

export interface Warnings {
  add(warning: string): void;
  lines(): readonly string[];
}

export function createWarnings(): Warnings {
  const counts = new Map<string, number>();
  let unnamed = 0;
  return {
    add(warning) {
      const known = counts.get(warning);
      if (known === undefined && counts.size >= MAX_LINES) unnamed += 1;
      else counts.set(warning, (known ?? 0) + 1);
    },
    lines() {
      const lines = [...counts].map(([text, times]) => (times === 1 ? text : `${text} (${times} times)`));
      return unnamed === 0 ? lines : [...lines, `${unnamed} more remarks about tools are not shown.`];
    },
  };
}
