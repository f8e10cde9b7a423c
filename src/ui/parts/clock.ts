/** One shared clock for everything on the page that counts: a tick a second while somebody looks. */
import { type Accessor, createSignal, onCleanup } from "solid-js";

const [tick, setTick] = createSignal(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Epoch ms, following the clock once a second for as long as the calling component lives. */
export function useNow(): Accessor<number> {
  watchers += 1;
  if (timer === undefined) {
    setTick(Date.now());
    timer = setInterval(() => {
      if (!document.hidden) setTick(Date.now());
    }, 1_000);
  }
  onCleanup(() => {
    watchers -= 1;
    if (watchers > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  return tick;
}
