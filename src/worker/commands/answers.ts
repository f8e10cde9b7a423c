/** Answers of commands: nothing typed is thrown across to the page (STYLE, Worker ↔ page). */
import type { Answer, Problem } from "../api";
import { StorageUnavailable } from "../storage/store";

export const done: Answer = { ok: true };

export function refuse(where: string, message: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ where, message }] };
}

/** Runs a command; a storage failure becomes its answer, anything else stays an error of ours. */
export async function answering<T>(work: () => Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageUnavailable) return refuse("storage", `Not saved: ${error.message}`);
    throw error;
  }
}
