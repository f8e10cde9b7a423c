/** The editable list of extra request headers. Values go to the worker and never come back. */
import { type Accessor, createSignal } from "solid-js";

export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

export interface HeaderRows {
  readonly rows: Accessor<readonly HeaderRow[]>;
  readonly set: (rows: readonly HeaderRow[]) => void;
  readonly add: () => void;
  readonly edit: (at: number, change: Partial<HeaderRow>) => void;
  readonly remove: (at: number) => void;
}

export function createHeaderRows(): HeaderRows {
  const [rows, set] = createSignal<readonly HeaderRow[]>([]);
  return {
    rows,
    set,
    add: () => set((list) => [...list, { name: "", value: "" }]),
    edit: (at, change) => set((list) => list.map((row, index) => (index === at ? { ...row, ...change } : row))),
    remove: (at) => set((list) => list.filter((_, index) => index !== at)),
  };
}

/** As the worker takes them; rows left blank are no headers. */
export function headersOf(rows: readonly HeaderRow[]): Record<string, string> {
  const filled = rows.filter((row) => row.name.trim() !== "" || row.value.trim() !== "");
  return Object.fromEntries(filled.map((row) => [row.name.trim(), row.value.trim()]));
}

/** Where problems of these rows are reported. */
export function headerFields(rows: readonly HeaderRow[]): readonly string[] {
  return ["headers", ...rows.map((row) => `headers.${row.name.trim()}`)];
}
