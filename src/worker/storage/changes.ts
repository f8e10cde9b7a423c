/** What was committed, told to this tab and to the others. Between tabs only ids travel. */
import type { Change } from "./store";

/** What tabs say to each other besides changes: empty your replay memory; look again whether storage was lost. */
export type Word = "empty" | "look_again";

type Message = { readonly change: Change } | { readonly word: Word };
type Listener = (change: Change, origin: "here" | "another_tab") => void;

export interface Changes {
  /** Tells both this tab and the others. */
  announce(...changes: readonly Change[]): void;
  /** Tells this tab only. */
  tellHere(change: Change): void;
  /** Tells the others only. */
  say(word: Word): void;
  onChange(listener: Listener): () => void;
  onWord(word: Word, listener: () => void): void;
}

export function createChanges(channel: BroadcastChannel): Changes {
  const listeners = new Set<Listener>();
  const words = new Map<Word, () => void>();

  function tell(change: Change, origin: "here" | "another_tab"): void {
    for (const listener of listeners) {
      try {
        listener(change, origin);
      } catch (error) {
        // What was committed stays so, whatever a listener makes of it.
        reportError(error);
      }
    }
  }

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ("word" in data) words.get(data.word)?.();
    else tell(data.change, "another_tab");
  };

  return {
    announce(...changes) {
      for (const change of changes) {
        channel.postMessage({ change } satisfies Message);
        tell(change, "here");
      }
    },
    tellHere: (change) => tell(change, "here"),
    say: (word) => channel.postMessage({ word } satisfies Message),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onWord: (word, listener) => void words.set(word, listener),
  };
}
