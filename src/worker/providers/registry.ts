/** All providers as one: what can be run, at which price, with which key, and when (R1, R7, M1). */
import type { Catalog, Price } from "../../policy/catalog";
import { ANTHROPIC_URL, createAnthropic } from "./anthropic";
import { createBackoff } from "./backoff";
import { type Endpoint, NOWHERE, readEndpoint } from "./endpoints";
import { createKeyring, keyProblem, type SettingsStore } from "./keys";
import { createLocal } from "./local";
import { type Held, offersOf, type ProviderStatus, statuses } from "./offers";
import { createOpenAiCompatible } from "./openai";
import { type OwnPrice, type OwnPrices, ownPriceProblem, PRICES_AS_OF } from "./prices";
import type { Provider, ProviderFailure } from "./provider";

export interface ProvidersDeps {
  readonly settings: SettingsStore;
  readonly now: () => number;
  /** Views or prices are others than before; not called while it is being created. */
  readonly onChange?: () => void;
  readonly fetch?: typeof fetch;
}

export interface ModelPrice {
  readonly model: string;
  readonly provider: string;
  readonly price: Price | null;
}

/** Acts of the person answer what is wrong in one sentence, or null where it was done and stored. */
interface Acts {
  setKey(provider: string, key: string, remember: boolean): Promise<string | null>;
  clearKey(provider: string): Promise<string | null>;
  /** "" goes back to the provider's own address, or switches it off where it has none. Anthropic's models are known. */
  setBaseUrl(provider: string, url: string, models: readonly string[]): Promise<string | null>;
  /** Null goes back to the table. */
  setPrice(model: string, price: OwnPrice | null): Promise<string | null>;
}

export interface ProviderRegistry extends Acts {
  /** Reads the settings again, after another tab changed them. */
  load(): Promise<void>;
  catalog(): Catalog;
  /** The provider of a model on offer, by id or alias, whether it can run now or not. */
  forModel(model: string): Provider | undefined;
  views(): readonly ProviderStatus[];
  prices(): readonly ModelPrice[];
  /** After a 429 or 529 everything on that provider's key backs off; other failures change nothing. */
  noteFailure(provider: string, failure: ProviderFailure): void;
}

/** Providers with a key and an address of their own. */
const REMOTE: readonly string[] = ["anthropic", "openai"];
const PRICES_ROW = "prices";
const endpointRow = (provider: string) => `provider:${provider}`;

/** What the person has set, as it was last read or written. */
interface Memory {
  readonly endpoints: Map<string, Endpoint>;
  prices: OwnPrices;
}

export async function createProviders(deps: ProvidersDeps): Promise<ProviderRegistry> {
  const { settings, now } = deps;
  const memory: Memory = { endpoints: new Map(), prices: {} };
  const held: Held = {
    keyring: createKeyring(settings, crypto.subtle),
    backoff: createBackoff(),
    endpoint: (provider) => memory.endpoints.get(provider) ?? NOWHERE,
    ownPrices: () => memory.prices,
    now,
  };
  const changed = () => deps.onChange?.();

  async function load(): Promise<void> {
    for (const id of REMOTE) memory.endpoints.set(id, (await settings.get<Endpoint>(endpointRow(id))) ?? NOWHERE);
    memory.prices = (await settings.get<OwnPrices>(PRICES_ROW)) ?? {};
    await held.keyring.load(REMOTE);
  }
  // What storage refuses now is read with the next `load`.
  await load().catch(() => undefined);

  const adapters = adaptersOf(held, deps);
  const entries = () => adapters.flatMap((adapter) => adapter.models());
  return {
    ...actsOf(held, memory, settings, changed),
    load: () => load().then(changed),
    catalog: () => ({ models: entries(), pricesAsOf: PRICES_AS_OF }),
    forModel(model) {
      const all = entries();
      const entry = all.find(({ id }) => id === model) ?? all.find(({ aliases }) => aliases.includes(model));
      return adapters.find(({ id }) => id === entry?.provider);
    },
    views: () => statuses(held),
    prices: () => entries().map(({ id, provider, price }) => ({ model: id, provider, price })),
    noteFailure(provider, failure) {
      if (failure.kind !== "unavailable" || !failure.limit) return;
      const untilAt = held.backoff.note(provider, failure.retryAfterMs, now());
      // The end of the quiet is a change too.
      setTimeout(changed, untilAt - now() + 1);
      changed();
    },
  };
}

function adaptersOf(held: Held, deps: ProvidersDeps): readonly Provider[] {
  // The worker's own fetch must be called as such, not as a method of something else.
  const common = { fetch: deps.fetch ?? ((input, init) => fetch(input, init)), now: deps.now } as const;
  return [
    createLocal(() => offersOf(held, "local")),
    createAnthropic({
      ...common,
      models: () => offersOf(held, "anthropic"),
      key: () => held.keyring.get("anthropic"),
      baseUrl: () => held.endpoint("anthropic").baseUrl ?? ANTHROPIC_URL,
    }),
    createOpenAiCompatible({
      ...common,
      models: () => offersOf(held, "openai"),
      key: () => held.keyring.get("openai"),
      baseUrl: () => held.endpoint("openai").baseUrl,
    }),
  ];
}

function actsOf(held: Held, memory: Memory, settings: SettingsStore, changed: () => void): Acts {
  /** One stored change; what storage refuses is said, not thrown. */
  async function stored(change: () => Promise<void>): Promise<string | null> {
    try {
      await change();
      return null;
    } catch (error) {
      return `Storage did not take it: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      changed();
    }
  }
  const remote = (provider: string) => (REMOTE.includes(provider) ? null : "This provider has no key and no address");

  return {
    async setKey(provider, typed, remember) {
      const key = typed.trim();
      return remote(provider) ?? keyProblem(key) ?? stored(() => held.keyring.set(provider, key, remember));
    },
    async clearKey(provider) {
      return remote(provider) ?? stored(() => held.keyring.forget(provider));
    },
    async setBaseUrl(provider, url, models) {
      const read = readEndpoint(url, models, provider === "openai");
      const problem = remote(provider) ?? (read.ok ? null : read.problem);
      if (problem !== null || !read.ok) return problem;
      return stored(async () => {
        await settings.put(endpointRow(provider), read.endpoint);
        memory.endpoints.set(provider, read.endpoint);
      });
    },
    async setPrice(model, price) {
      const problem = price === null ? null : ownPriceProblem(price);
      if (problem !== null) return problem;
      const asOf = new Date(held.now()).toISOString().slice(0, 10);
      const others = Object.entries(memory.prices).filter(([id]) => id !== model);
      const next = Object.fromEntries(price === null ? others : [...others, [model, { price, asOf }] as const]);
      return stored(async () => {
        await settings.put(PRICES_ROW, next);
        memory.prices = next;
      });
    },
  };
}
