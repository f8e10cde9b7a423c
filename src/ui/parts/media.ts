/** usePhone(): true while the screen shows one pane at a time. The width is the same as in the stylesheets. */
import { type Accessor, createSignal, onCleanup } from "solid-js";

export function usePhone(): Accessor<boolean> {
  const query = matchMedia("(max-width: 719px)");
  const [phone, setPhone] = createSignal(query.matches);
  const follow = (): void => {
    setPhone(query.matches);
  };
  query.addEventListener("change", follow);
  onCleanup(() => query.removeEventListener("change", follow));
  return phone;
}
