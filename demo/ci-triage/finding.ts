import { z } from "zod";

/** What a model is asked to find out about one failure. */
const Finding = z.object({
  cause: z.string().min(1),
  confidence: z.union([z.number().min(0).max(1), z.enum(["low", "medium", "high"])]),
  // Not every log names a file of ours.
  file: z.string().nullable(),
});
export type Finding = z.infer<typeof Finding>;

/** The finding in a model's answer, with or without a fence or words around it; null where there is none. */
export function readFinding(answer: string): Finding | null {
  const from = answer.indexOf("{");
  const to = answer.lastIndexOf("}");
  if (from < 0 || to < from) return null;
  try {
    return Finding.parse(JSON.parse(answer.slice(from, to + 1)));
  } catch {
    return null;
  }
}
