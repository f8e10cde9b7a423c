/**
 * API keys. A key lives in this worker's memory; a remembered one also lies in the settings store, encrypted with
 * AES-GCM under a key that scripts cannot export. That keeps it out of exports and backups of readable text, not
 * from someone who reads this machine's disk; the screen says so. It never goes to the page.
 */
export interface SettingsStore {
  get<T>(key: string): Promise<T | undefined>;
  put(key: string, value: unknown): Promise<void>;
}

export type KeyState = "none" | "memory" | "remembered";

export interface Keyring {
  /** Reads what is remembered. A row that cannot be opened counts as no key. */
  load(providers: readonly string[]): Promise<void>;
  get(provider: string): string | null;
  state(provider: string): KeyState;
  /** Rejects where it could not be stored; it is in memory then. */
  set(provider: string, key: string, remember: boolean): Promise<void>;
  forget(provider: string): Promise<void>;
}

/** Both halves in one row, so that forgetting is one write. */
interface Wrapped {
  readonly wrapper: CryptoKey;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly sealed: ArrayBuffer;
}

const ALGORITHM = { name: "AES-GCM", length: 256 } as const;

export function createKeyring(settings: SettingsStore, subtle: SubtleCrypto): Keyring {
  const keys = new Map<string, { readonly key: string; readonly remembered: boolean }>();

  async function sealed(key: string): Promise<Wrapped> {
    const wrapper = await subtle.generateKey(ALGORITHM, false, ["encrypt", "decrypt"]);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    return {
      wrapper,
      iv,
      sealed: await subtle.encrypt({ name: "AES-GCM", iv }, wrapper, new TextEncoder().encode(key)),
    };
  }

  async function opened(row: Wrapped): Promise<string | null> {
    try {
      return new TextDecoder().decode(await subtle.decrypt({ name: "AES-GCM", iv: row.iv }, row.wrapper, row.sealed));
    } catch {
      return null;
    }
  }

  return {
    async load(providers) {
      for (const provider of providers) {
        const row = await settings.get<Wrapped | null>(rowOf(provider));
        const key = row ? await opened(row) : null;
        if (key !== null) keys.set(provider, { key, remembered: true });
        else if (keys.get(provider)?.remembered) keys.delete(provider);
      }
    },
    get: (provider) => keys.get(provider)?.key ?? null,
    state(provider) {
      const held = keys.get(provider);
      if (held === undefined) return "none";
      return held.remembered ? "remembered" : "memory";
    },
    async set(provider, key, remember) {
      keys.set(provider, { key, remembered: false });
      await settings.put(rowOf(provider), remember ? await sealed(key) : null);
      keys.set(provider, { key, remembered: remember });
    },
    async forget(provider) {
      keys.delete(provider);
      await settings.put(rowOf(provider), null);
    },
  };
}

function rowOf(provider: string): string {
  return `providerKey:${provider}`;
}

/** What is wrong with a key as typed; null where it can go into a header. */
export function keyProblem(key: string): string | null {
  if (key === "") return "Give a key";
  if (!/^[\x21-\x7e]+$/.test(key)) return "A key has no spaces and no letters outside ASCII";
  return null;
}
