/** The reference vocabulary, fetched the first time something must be counted (about 1 MB). */
import type { CountPiece } from "./bound";
import { utf8Length } from "./utf8";

/** Merges of untrusted text are remembered by the library; this many, not its hundred thousand. */
const REMEMBERED_MERGES = 5_000;

/** A download that takes longer is not waited for; it goes on for the next count. */
const PATIENCE_MS = 5_000;

let loading: Promise<CountPiece> | null = null;

/** Counts bytes where the vocabulary cannot be fetched, or not soon: too high, never too low. */
export function loadO200k(): Promise<CountPiece> {
  loading ??= fetched();
  return Promise.race([loading, patience()]);
}

async function fetched(): Promise<CountPiece> {
  try {
    const { countTokens, setMergeCacheSize } = await import("gpt-tokenizer/encoding/o200k_base");
    setMergeCacheSize(REMEMBERED_MERGES);
    // Text that looks like a control token is text; by default the library throws on it.
    const asText = { disallowedSpecial: new Set<string>() };
    return (piece) => countTokens(piece, asText);
  } catch {
    loading = null;
    return utf8Length;
  }
}

function patience(): Promise<CountPiece> {
  return new Promise((resolve) => setTimeout(() => resolve(utf8Length), PATIENCE_MS));
}
