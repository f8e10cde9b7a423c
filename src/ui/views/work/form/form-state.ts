/** One tool form's state: the arguments, which fields were visited, and JSON typed that does not parse. */
import { createMemo, createSignal } from "solid-js";
import type { GroupField } from "./model";
import { keyOf, problemsOf } from "./problems";
import { initialOf, type Path, valueAt, withValueAt } from "./values";

export interface FormState {
  readonly value: () => unknown;
  readonly at: (path: Path) => unknown;
  readonly set: (path: Path, value: unknown) => void;
  readonly replace: (value: unknown) => void;
  /** What to say at a field now; undefined while there is nothing or it was not visited yet. */
  readonly problem: (path: Path) => string | undefined;
  readonly visited: (path: Path) => void;
  /** Text of a JSON field that does not parse, or null once it does. */
  readonly unparsed: (path: Path, problem: string | null) => void;
  readonly problems: () => ReadonlyMap<string, string>;
  /** From now on every problem is shown. */
  readonly showAll: () => void;
}

export function createFormState(form: GroupField): FormState {
  const [value, setValue] = createSignal<unknown>(initialOf(form, true));
  const [seen, setSeen] = createSignal<ReadonlySet<string>>(new Set());
  const [all, setAll] = createSignal(false);
  const [broken, setBroken] = createSignal<ReadonlyMap<string, string>>(new Map());
  const problems = createMemo(() => new Map([...problemsOf(form, value()), ...broken()]));
  return {
    value,
    at: (path) => valueAt(value(), path),
    set: (path, next) => setValue((old) => withValueAt(old, path, next)),
    replace: (next) => {
      setValue(() => next);
      setBroken(new Map());
    },
    problem: (path) => {
      const key = keyOf(path);
      return all() || seen().has(key) ? problems().get(key) : undefined;
    },
    visited: (path) => setSeen((old) => new Set(old).add(keyOf(path))),
    unparsed: (path, problem) =>
      setBroken((old) => {
        const next = new Map(old);
        if (problem === null) next.delete(keyOf(path));
        else next.set(keyOf(path), problem);
        return next;
      }),
    problems,
    showAll: () => setAll(true),
  };
}
