/** The reference vocabulary, fetched the first time something must be counted (about 1 MB). */
import type { CountPiece } from "./bound";
import { utf8Length } from "./utf8";

/** Merges of untrusted text are remembered by the library; this many, not its hundred thousand. */
const REMEMBERED_MERGES = 5_000;

let loading: Promise<CountPiece> | null = null;

/** Counts bytes where the vocabulary cannot be fetched: too high, never too low. */
export function loadO200k(): Promise<CountPiece> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(
    ({ countTokens, setMergeCacheSize }) => {
      setMergeCacheSize(REMEMBERED_MERGES);
      // Text that looks like a control token is text; by default the library throws on it.
      const asText = { disallowedSpecial: new Set<string>() };
      return (piece) => countTokens(piece, asText);
    },
    () => {
      loading = null;
      return utf8Length;
    },
  );
  return loading;
}
