/** ExportLog: { filter } – the records behind the filter as NDJSON or CSV, page by page (L2). */
import Download from "lucide-solid/icons/download";
import { createSignal, type JSX } from "solid-js";
import type { ExchangeRecord, RecordCursor, RecordFilter } from "../../../worker/api";
import { Button } from "../../parts/button";
import { purser } from "../../worker-client";
import { announce } from "../consent/announcer";
import style from "./activity.module.css";
import { csvOf, ndjsonOf } from "./export-format";

const PAGE = 1_000;

const FORMATS = {
  ndjson: { label: "NDJSON", type: "application/x-ndjson", write: ndjsonOf },
  csv: { label: "CSV", type: "text/csv", write: csvOf },
} as const;
type Format = keyof typeof FORMATS;

export function ExportLog(props: { readonly filter: RecordFilter }): JSX.Element {
  const [busy, setBusy] = createSignal<Format | null>(null);
  const save = async (format: Format) => {
    if (busy() !== null) return;
    setBusy(format);
    try {
      const { type, write } = FORMATS[format];
      download(`purser-activity.${format}`, new Blob([write(await allOf(props.filter))], { type }));
      announce("The log was exported.");
    } catch (error) {
      announce(`The log could not be exported: ${error instanceof Error ? error.message : String(error)}`);
    }
    setBusy(null);
  };
  const button = (format: Format) => (
    <Button small tone="quiet" icon={Download} busy={busy() === format} onClick={() => void save(format)}>
      {FORMATS[format].label}
    </Button>
  );
  return (
    <fieldset class={style.exports} aria-label="Export">
      {button("ndjson")}
      {button("csv")}
    </fieldset>
  );
}

async function allOf(filter: RecordFilter): Promise<readonly ExchangeRecord[]> {
  const rows: ExchangeRecord[] = [];
  let before: RecordCursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof purser.records>> = await purser.records(filter, before, PAGE);
    rows.push(...page.rows);
    before = page.next;
  } while (before !== null);
  return rows;
}

function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
