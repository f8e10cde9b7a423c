/** The log's version for what looks at all of it: bursts of changes count once, and a steady stream still gets through. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import { state } from "../../projection";

const SETTLE_MS = 300;

export function settledLogVersion(): Accessor<number> {
  const [version, setVersion] = createSignal(state.logVersion);
  let timer: ReturnType<typeof setTimeout> | undefined;
  createEffect(
    on(
      () => state.logVersion,
      () => {
        timer ??= setTimeout(() => {
          timer = undefined;
          setVersion(state.logVersion);
        }, SETTLE_MS);
      },
      { defer: true },
    ),
  );
  onCleanup(() => clearTimeout(timer));
  return version;
}
