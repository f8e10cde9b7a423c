import { readFile } from "node:fs/promises";

export const SUITES = ["pytest", "junit", "node", "go", "browser"] as const;
export type Suite = (typeof SUITES)[number];

export interface Failure {
  readonly id: string;
  readonly suite: Suite;
  readonly test: string;
}

const FOLDER = new URL("../failures/", import.meta.url);

/** The failures of one suite, or all of them, in the order of index.json. */
export async function listFailures(suite?: Suite): Promise<readonly Failure[]> {
  const all = JSON.parse(await readFile(new URL("index.json", FOLDER), "utf8")) as Failure[];
  return suite === undefined ? all : all.filter((failure) => failure.suite === suite);
}

export const readLog = (failure: Failure): Promise<string> => readFile(new URL(`${failure.id}.log`, FOLDER), "utf8");
