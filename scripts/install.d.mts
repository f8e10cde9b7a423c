interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Stopped and counted as failed after this; 0 for never. */
  readonly limitMs?: number;
  readonly stdio?: readonly ("ignore" | "inherit")[];
}

export declare const ROOT: string;
export declare const bin: Readonly<Record<"biome" | "tsc" | "vite" | "vitest" | "playwright", string>>;
export declare function run(command: string, args: readonly string[], options?: RunOptions): Promise<number>;
export declare function node(script: string, args?: readonly string[], options?: RunOptions): Promise<number>;
export declare function build(): Promise<number>;
export declare function ensureInstalled(): Promise<void>;
