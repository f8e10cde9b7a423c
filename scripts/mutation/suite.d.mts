export interface Collected {
  readonly id: string;
  readonly run: () => unknown;
}

export function createSuite(expect: unknown): {
  readonly tests: readonly Collected[];
  readonly packages: Readonly<Record<string, unknown>>;
};
