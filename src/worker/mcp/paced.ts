/** Passes values on at most once in a while; the last one always gets through, unless stopped before. */
export function paced<T>(everyMs: number, pass: (value: T) => void): { (value: T): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: { readonly value: T } | null = null;

  function turn(): void {
    timer = undefined;
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    timer = setTimeout(turn, everyMs);
    pass(value);
  }

  const push = (value: T) => {
    waiting = { value };
    if (timer === undefined) turn();
  };
  const stop = () => {
    clearTimeout(timer);
    waiting = null;
  };
  return Object.assign(push, { stop });
}
