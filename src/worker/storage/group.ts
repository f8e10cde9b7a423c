/** Group commit (A7): what arrives while a transaction runs shares the next one, in the order it arrived. */
import { asUnavailable } from "./failure";

/** Keeps a transaction short enough that other tabs get their turn. */
const MAX_GROUP = 64;

interface Waiting<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** How long work that nobody waits for may wait for company. */
const LINGER_MS = 30;

/**
 * @param commit answers all asks, in their order, once their one transaction has committed
 * @param lingers whether nobody waits for this ask: it then goes along with the next one that somebody does wait for
 */
export function grouped<Ask, Answer>(
  commit: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
  lingers: (ask: Ask) => boolean = () => false,
): (ask: Ask) => Promise<Answer> {
  let queue: Waiting<Ask, Answer>[] = [];
  let running = false;
  let lingering: ReturnType<typeof setTimeout> | null = null;

  async function one(waiting: Waiting<Ask, Answer>): Promise<void> {
    try {
      waiting.resolve((await commit([waiting.ask]))[0] as Answer);
    } catch (error) {
      waiting.reject(error);
    }
  }

  async function together(group: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await commit(group.map((waiting) => waiting.ask));
      for (const [at, waiting] of group.entries()) waiting.resolve(answers[at] as Answer);
    } catch (error) {
      const { problem } = asUnavailable(error);
      // One row that cannot be written must not fail its neighbours (P5); where nothing can be, one try is enough.
      if (group.length > 1 && (problem === "failed" || problem === "full" || problem === "lost"))
        for (const waiting of group) await one(waiting);
      else for (const waiting of group) waiting.reject(error);
    }
  }

  async function run(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      const group = queue.slice(0, MAX_GROUP);
      queue = queue.slice(MAX_GROUP);
      await together(group);
    }
    running = false;
  }

  function start(): void {
    if (lingering !== null) clearTimeout(lingering);
    lingering = null;
    if (running) return;
    running = true;
    // A microtask later, so that calls made in one go share their transaction.
    queueMicrotask(() => void run());
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      queue.push({ ask, resolve, reject });
      if (!lingers(ask)) start();
      else lingering ??= setTimeout(start, LINGER_MS);
    });
}
