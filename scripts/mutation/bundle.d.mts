import type { Plugin } from "vite";

export function policyTests(
  root: string,
  plugins?: readonly Plugin[],
): Promise<(standIns: Readonly<Record<string, unknown>>) => void>;
