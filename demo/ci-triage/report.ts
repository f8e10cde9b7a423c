import type { Outcome } from "./triage";

/** The report a person reads: the count first, then a line for each failure, nothing left out. */
export function reportText(outcomes: readonly Outcome[]): string {
  const analysed = outcomes.filter(({ status }) => status === "analysed").length;
  const lines = outcomes.map((outcome) =>
    outcome.status === "analysed"
      ? `- ${outcome.suite} · ${outcome.test}: ${outcome.finding.cause} (${outcome.finding.file ?? "no file named"}, confidence ${outcome.finding.confidence})`
      : `- ${outcome.suite} · ${outcome.test}: NOT ANALYSED, ${outcome.why}`,
  );
  const missing = outcomes.length - analysed;
  const first = `${analysed} of ${outcomes.length} failures analysed${missing === 0 ? "." : `, ${missing} not.`}`;
  return [first, ...lines].join("\n");
}
